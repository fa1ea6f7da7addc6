/// Words with a meaning of their own, in any letter case. A property of such a name is written in backticks.
enum Keyword: String, CaseIterable {
    case and, or, not
    case any, some, all, none
    case `in`, between, beginswith, endswith, contains, like, matches
    case `true`, `false`, yes, no, `nil`, null
    case inf, infinity, inff, nan, nanf
    case truepredicate, falsepredicate
    case subquery, oid, uuid, link, container
    case geowithin, geobox, geocircle, geopolygon
    case decimal
    case text
    case obj, binary, base64
    case sort, distinct, limit, asc, ascending, desc, descending
    case first, last, size

    init?(_ word: String) {
        guard let letters = Letters(word.utf8), let found = Self.byLetters[letters] else { return nil }
        self = found
    }

    /// A word in small letters, as two numbers: every word of a query is looked up.
    private struct Letters: Hashable {
        private var first: UInt64 = 0
        private var last: UInt64 = 0

        /// Nil for a word that is longer than any keyword.
        init?(_ bytes: some Sequence<UInt8>) {
            var count = 0
            for byte in bytes {
                let letter = UInt64(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte)
                if count < 8 { first = first << 8 | letter } else { last = last << 8 | letter }
                count += 1
                guard count <= 16 else { return nil }
            }
        }
    }

    private static let byLetters: [Letters: Keyword] = {
        var found: [Letters: Keyword] = [:]
        for keyword in allCases { if let letters = Letters(keyword.rawValue.utf8) { found[letters] = keyword } }
        return found
    }()

    /// Whether the word is written in backticks where it is a name. A name of an operator (`isOperator`) is read without
    /// them, too. The rest (`oid`, `geobox` and so on) are
    /// plain names unless a parenthesis follows. `geowithin` is one wherever a name is expected.
    var isReserved: Bool {
        switch self {
        case .oid, .uuid, .link, .container, .subquery, .geowithin, .geobox, .geocircle, .geopolygon: false
        case .decimal, .obj, .binary, .base64: false
        case .sort, .distinct, .limit, .asc, .ascending, .desc, .descending, .first, .last, .size: false
        // Many classes have a property of this name.
        case .text: false
        default: true
        }
    }

    /// Whether the word can only be a name where an operand is expected, and never where an operator is.
    var isOperator: Bool { comparator != nil || self == .matches }

    var comparator: Comparator? {
        switch self {
        case .in: .in
        case .between: .between
        case .beginswith: .beginsWith
        case .endswith: .endsWith
        case .contains: .contains
        case .like: .like
        case .text: .text
        default: nil
        }
    }

    var quantifier: Quantifier? {
        switch self {
        case .any, .some: .any
        case .all: .all
        case .none: Quantifier.none
        default: nil
        }
    }
}

extension Comparator {
    /// As the printer writes it and errors name it.
    package var text: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .in: "IN"
        case .between: "BETWEEN"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .contains: "CONTAINS"
        case .like: "LIKE"
        case .text: "TEXT"
        }
    }

    /// The operator that says the same with its two sides exchanged; nil where there is none.
    package var exchanged: Comparator? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .in, .between, .beginsWith, .endsWith, .contains, .like, .text: nil
        }
    }
}

extension Aggregate {
    /// The word after the at sign. `@size` is another way to write `@count`.
    init?(word: String) {
        switch word.lowercased() {
        case "count", "size": self = .count
        case "min": self = .minimum
        case "max": self = .maximum
        case "sum": self = .sum
        case "avg": self = .average
        default: return nil
        }
    }

    package var text: String {
        switch self {
        case .count: "@count"
        case .minimum: "@min"
        case .maximum: "@max"
        case .sum: "@sum"
        case .average: "@avg"
        }
    }
}
