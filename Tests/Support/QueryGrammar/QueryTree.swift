// What a generated text means, as a tree of its own.

package indirect enum TreePredicate: Sendable {
    case truth(Bool)
    case and([TreePredicate])
    case or([TreePredicate])
    case not(TreePredicate)
    case comparison(TreeComparison)
}

package struct TreeComparison: Sendable {
    package var left: TreeSide
    package var comparator: TreeComparator
    package var ignoresCase = false
    package var right: TreeSide
}

package enum TreeComparator: String, CaseIterable, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case isIn = "IN"
    case between = "BETWEEN"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case contains = "CONTAINS"
    case like = "LIKE"
    case search = "TEXT"
}

package enum TreeQuantifier: String, CaseIterable, Sendable {
    case any = "ANY"
    case some = "SOME"
    case all = "ALL"
    case none = "NONE"
}

/// One side of a comparison. Several values without a quantifier stand for ANY of them.
package struct TreeSide: Sendable {
    var quantifier: TreeQuantifier?
    var operand: TreeOperand
    /// What written numbers are beside it.
    var digits = TreeDigits.none
}

/// Which written numbers count with all their digits. The others are the nearest Double.
enum TreeDigits: Int, Sendable {
    /// Beside Floats and Doubles.
    case none
    /// Beside mixed values and results of arithmetic, and between constants.
    case ofDecimals
    /// Beside decimals, and beside ints with which nothing is computed.
    case all
}

package indirect enum TreeOperand: Sendable {
    case path(TreePath)
    /// A constant and how it is written.
    case constant(PlainValue, String)
    case list([(PlainValue, String)])
    case computed(TreeOperand, PlainNumber.Sign, TreeOperand)
    /// How many objects at the end of a path meet a condition.
    case subquery(TreePath, TreePredicate)
}

/// Steps to objects, and what is read of them.
package struct TreePath: Sendable {
    package enum Hop: Sendable {
        case link(String)
        case each(String)
        case place(String, TreePlace)
        case backlinks
    }

    package enum End: Sendable {
        case value(String)
        case list(String)
        case element(String, TreePlace)
        case entry(String, key: String)
        case keys(String)
        case values(String)
        /// `@count` of a list or map; `isSize` for its other spelling.
        case count(String, isSize: Bool)
        case fold(TreeFold, String)
        /// Of a property of the objects of a list.
        case foldOf(TreeFold, String, property: String)
        /// `@size` of a text or data.
        case size(String)
        case lengths(String)
        case type(String)
        case backlinkCount
        /// The objects that the hops lead to.
        case objects
    }

    package var hops: [Hop] = []
    package var end: End
}

package enum TreePlace: Sendable {
    case at(Int)
    case first
    case last
}

package enum TreeFold: String, CaseIterable, Sendable {
    case minimum = "@min"
    case maximum = "@max"
    case sum = "@sum"
    case average = "@avg"
}

// MARK: - What it needs

extension TreePredicate {
    /// Whether it looks at other objects than the one that it is about: subscriptions refuse that.
    package var usesLinks: Bool {
        switch self {
        case .truth: false
        case .and(let parts), .or(let parts): parts.contains(where: \.usesLinks)
        case .not(let part): part.usesLinks
        case .comparison(let comparison): [comparison.left, comparison.right].contains { $0.operand.usesLinks }
        }
    }

    /// Whether it compares each element of one collection with each of another: subscriptions and rules refuse that.
    package var multipliesCollections: Bool {
        switch self {
        case .truth: false
        case .and(let parts), .or(let parts): parts.contains(where: \.multipliesCollections)
        case .not(let part): part.multipliesCollections
        case .comparison(let comparison):
            comparison.left.operand.isCollection && comparison.right.operand.isCollection
                || [comparison.left, comparison.right].contains { $0.operand.multipliesCollections }
        }
    }
}

extension TreeOperand {
    fileprivate var usesLinks: Bool {
        switch self {
        case .path(let path): path.usesLinks
        case .constant, .list: false
        case .computed(let left, _, let right): left.usesLinks || right.usesLinks
        case .subquery: true
        }
    }

    /// Of a SUBQUERY, that of its condition.
    fileprivate var multipliesCollections: Bool {
        if case .subquery(_, let condition) = self { condition.multipliesCollections } else { false }
    }

    fileprivate var isCollection: Bool {
        if case .path(let path) = self { path.isToMany } else { false }
    }
}

extension TreePath {
    /// A path that ends at a link asks the object itself.
    fileprivate var usesLinks: Bool {
        switch end {
        case .foldOf, .backlinkCount: return true
        case .objects:
            if case .backlinks? = hops.last { return true }
            return hops.count > 1
        default: return !hops.isEmpty
        }
    }

    /// Whether an object has several values there.
    package var isToMany: Bool {
        let hasManyObjects = hops.contains { hop in
            switch hop {
            case .each, .backlinks: true
            case .link, .place: false
            }
        }
        switch end {
        case .list, .keys, .values, .lengths: return true
        case .value, .element, .entry, .size, .type, .objects: return hasManyObjects
        case .fold: return hasManyObjects
        // Objects and links are counted together, values for each object that has them.
        case .count(let name, _): return hasManyObjects && name != "items"
        case .foldOf, .backlinkCount: return false
        }
    }
}
