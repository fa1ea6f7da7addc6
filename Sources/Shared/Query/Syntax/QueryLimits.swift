/// Bounds of a query, checked before it runs. A query beyond a bound is refused, never truncated.
package enum QueryLimits {
    /// Bytes of a predicate's text. An IN list of some ten thousand literals fits.
    package static let textBytes = 1 << 20
    /// Parentheses, NOTs and SUBQUERYs inside each other, in text and in a predicate built by code. Bounds every
    /// recursion here.
    package static let nestingDepth = 100
    /// Levels of a predicate's tree: one pair of parentheses, or one SUBQUERY, may hold an OR of ANDs.
    static let treeDepth = 3 * nestingDepth + 3
    /// Arguments handed over beside the text.
    package static let argumentCount = 10_000
    /// Values in one IN list, written or handed over.
    package static let listValues = 100_000
    /// Points of one polygon, those of its holes included: every edge is checked against every other.
    package static let polygonPoints = 1_000
    /// Arithmetic operations in one comparison: bounds how deep a chain of them nests.
    package static let arithmeticOperations = 100
    /// Values of one list with a quantifier, where each is compared by itself.
    package static let quantifiedValues = 1_000
    /// SORT, DISTINCT and LIMIT after one predicate, and key paths in one of them.
    package static let selectionSteps = 16
    package static let sortKeys = 32
    /// Names in one key path.
    package static let pathNames = 32
    /// Bytes of one number as written; no finite number needs more.
    static let numberBytes = 512
    /// Bytes of one `oid(…)` or `uuid(…)`, quotes and spaces included.
    static let identifierBytes = 64
    /// Characters of the text that an error shows around its position.
    package static let excerptCharacters = 72
    /// Characters of a refused value that an error shows.
    static let shownValueCharacters = 100
    /// Different words in what TEXT searches for.
    package static let searchWords = 100
}
