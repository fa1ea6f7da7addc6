import CausewayModel
import CausewayQuery

/// One condition on strings, in a form that vector code tests on many at once: a length, a beginning, an end, a part or
/// an order. The matcher decides the rest string by string.
struct StringCondition {
    /// What decides for a string: its parts, its order, or only the matcher.
    private enum Form {
        case parts
        case order(Comparator)
        case matcher
    }

    private static let few = 4
    /// Pieces of a pattern up to this length stand in many strings: looking for them first narrows nothing down.
    private static let commonPiece = 2

    private let form: Form
    private var shortest = 0
    private var longest = Int.max
    private var prefix: StringNeedle?
    private var suffix: StringNeedle?
    private var part: StringNeedle?
    /// The other pieces between the stars of a LIKE pattern, in any order.
    private var others: [StringNeedle] = []
    private var stars: StarPattern?
    /// Whether the parts only narrow down, and the matcher decides.
    private var isFilter = false
    /// Whether the parts are right only for strings of ASCII.
    private var needsASCII = false
    private let bytes: [UInt8]
    private var matcher: StringMatcher

    /// - Parameter isText: whether the bytes are UTF-8, where a part that matches never begins inside of a character.
    init(_ comparator: Comparator, _ needle: [UInt8], _ options: TextOptions, isText: Bool) {
        let options = isText ? options : []
        matcher = StringMatcher(comparator, needle, options: options)
        let folded = options.isEmpty ? needle : needle.withUnsafeBytes { StringFolding.folded($0, options) }
        bytes = folded
        needsASCII = !StringFolding.isFoldedFromASCIIOnly(folded, options)
        switch comparator {
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            form = options.isEmpty ? .order(comparator) : .matcher
            return
        case .between, .notEqual, .text:
            form = .matcher
            return
        case .like where !isText:
            form = .matcher
            return
        case .equal, .in, .beginsWith, .endsWith, .contains, .like: form = .parts
        }
        let ignoresCase = options.contains(.caseInsensitive)
        if comparator == .like {
            take(LikePattern(folded), ignoresCase, matchesBytes: options.isEmpty)
            return
        }
        shortest = folded.count
        let needle = StringNeedle(folded, ignoringCase: ignoresCase)
        switch comparator {
        case .equal, .in:
            longest = folded.count
            // Of long strings the ends differ sooner than the beginnings.
            if folded.count > 8 { suffix = needle } else if !folded.isEmpty { prefix = needle }
        case .beginsWith: prefix = needle
        case .endsWith: suffix = needle
        default: part = needle
        }
        // An empty needle of BEGINSWITH, ENDSWITH and CONTAINS matches nothing.
        if folded.isEmpty, longest > 0 { shortest = .max }
    }

    /// - Parameter matchesBytes: whether strings are compared as they are, without folding.
    private mutating func take(_ pattern: LikePattern, _ ignoresCase: Bool, matchesBytes: Bool) {
        func needle(_ bytes: ArraySlice<UInt8>) -> StringNeedle? {
            bytes.isEmpty ? nil : StringNeedle(bytes, ignoringCase: ignoresCase, anyByte: LikePattern.one)
        }
        shortest = pattern.shortest
        longest = pattern.hasStar ? .max : pattern.shortest
        prefix = needle(pattern.prefix)
        suffix = needle(pattern.suffix)
        part = pattern.longestInner.flatMap { needle(pattern.inner[$0]) }
        others = pattern.inner.indices.filter { $0 != pattern.longestInner }.compactMap { needle(pattern.inner[$0]) }
        if pattern.hasStar, !pattern.hasOne, matchesBytes { stars = StarPattern(pattern) }
        isFilter = pattern.inner.count > 1 || (pattern.inner.count == 1 && (prefix != nil || suffix != nil))
        if pattern.hasOne { needsASCII = true }
    }

    // MARK: - Asking

    /// The wanted slots for which the condition holds.
    mutating func evaluate(_ span: StringSpan, _ strings: StringLeaf, isEntries: Bool, _ wanted: SlotBitmap)
        -> SlotBitmap
    {
        // For a few strings, vector code costs more than it saves.
        if !isEntries, wanted.count <= Self.few { return matched(strings, isEntries, wanted) }
        switch form {
        case .order(let comparator): return Self.ordered(span, comparator, bytes).intersection(wanted)
        case .matcher: return matched(strings, isEntries, wanted)
        case .parts where needsASCII:
            let others = span.beyondASCII.intersection(wanted)
            let found = withParts(span, strings, isEntries, wanted.subtracting(others))
            return others.isEmpty ? found : found.union(matched(strings, isEntries, others))
        case .parts: return withParts(span, strings, isEntries, wanted)
        }
    }

    private mutating func withParts(
        _ span: StringSpan, _ strings: StringLeaf, _ isEntries: Bool, _ wanted: SlotBitmap
    ) -> SlotBitmap {
        if shortest == .max { return SlotBitmap() }
        var found = wanted
        if shortest > 0 || longest < .max, part == nil || isFilter {
            found = found.intersection(span.ofLength(shortest...longest))
        }
        if let suffix, !found.isEmpty { found = span.ending(with: suffix, found) }
        if let prefix, !found.isEmpty { found = span.beginning(with: prefix, found) }
        if let stars, isFilter, part.map({ $0.count <= Self.commonPiece }) ?? true, !found.isEmpty {
            return span.matching(stars, found)
        }
        if let part, !found.isEmpty {
            if found.count <= Self.few * 4 { return decided(span, strings, isEntries, found) }
            found = span.containing(part).intersection(found)
            for other in others where found.count > span.count / Self.few {
                found = span.containing(other).intersection(found)
            }
        }
        return isFilter && !found.isEmpty ? decided(span, strings, isEntries, found) : found
    }

    private mutating func decided(
        _ span: StringSpan, _ strings: StringLeaf, _ isEntries: Bool, _ wanted: SlotBitmap
    ) -> SlotBitmap {
        if let stars { return span.matching(stars, wanted) }
        return matched(strings, isEntries, wanted)
    }

    mutating func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { matcher.matches(bytes) }

    private static func ordered(_ span: StringSpan, _ comparator: Comparator, _ bytes: [UInt8]) -> SlotBitmap {
        let (before, equal) = span.ordered(by: bytes)
        let all = SlotBitmap(first: span.count)
        return switch comparator {
        case .less: before
        case .lessOrEqual: before.union(equal)
        case .greater: all.subtracting(before.union(equal))
        default: all.subtracting(before)
        }
    }

    private mutating func matched(_ strings: StringLeaf, _ isEntries: Bool, _ wanted: SlotBitmap) -> SlotBitmap {
        var found = SlotBitmap()
        wanted.forEach { slot in
            if matcher.matches(isEntries ? strings.entry(slot) : strings.bytes(slot)) { found.insert(slot) }
        }
        return found
    }
}

/// A LIKE pattern cut at its stars.
struct LikePattern {
    static let one = UInt8(ascii: "?")
    private static let star = UInt8(ascii: "*")

    let hasStar: Bool
    let hasOne: Bool
    /// The fewest bytes of a string that matches.
    let shortest: Int
    /// Before the first star; without one, all of it.
    let prefix: ArraySlice<UInt8>
    /// Behind the last star.
    let suffix: ArraySlice<UInt8>
    /// The pieces between stars that are not empty.
    let inner: [ArraySlice<UInt8>]
    /// The place of the longest of them; nil when there is none.
    let longestInner: Int?

    init(_ pattern: [UInt8]) {
        let pieces = pattern.split(separator: Self.star, omittingEmptySubsequences: false)
        hasStar = pieces.count > 1
        hasOne = pattern.contains(Self.one)
        shortest = pieces.reduce(0) { $0 + $1.count }
        prefix = pieces.first ?? []
        suffix = hasStar ? pieces.last ?? [] : []
        let inner = pieces.dropFirst().dropLast().filter { !$0.isEmpty }
        self.inner = inner
        longestInner = inner.indices.max { inner[$0].count < inner[$1].count }
    }
}
