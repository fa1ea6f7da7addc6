import CausewaySeeds

/// Writes a tree as a text, each operator in one of its spellings.
struct TextWriter {
    var numbers: SeededNumbers
    var takesArguments = false
    private(set) var arguments: [PlainValue] = []
    private(set) var noted: [String] = []
    /// Stands before every path inside of a SUBQUERY.
    private var start = ""

    init(numbers: SeededNumbers, takesArguments: Bool = false) {
        self.numbers = numbers
        self.takesArguments = takesArguments
    }

    private mutating func one(of spellings: [(production: String, text: String)]) -> String {
        let spelling = numbers.one(of: spellings)
        noted.append(spelling.production)
        return spelling.text
    }

    mutating func text(_ predicate: TreePredicate) -> String {
        switch predicate {
        case .truth(let value):
            return one(of: value ? [("TRUEPREDICATE", "TRUEPREDICATE")] : [("FALSEPREDICATE", "FALSEPREDICATE")])
        case .and(let parts):
            let sign = one(of: [("AND", "AND"), ("AND", "and"), ("&&", "&&")])
            return parts.map { grouped($0) }.joined(separator: " \(sign) ")
        case .or(let parts):
            let sign = one(of: [("OR", "OR"), ("||", "||")])
            return parts.map { grouped($0) }.joined(separator: " \(sign) ")
        case .not(let part):
            let sign = one(of: [("NOT", "NOT "), ("!", "!")])
            return sign + grouped(part)
        case .comparison(let comparison): return text(comparison)
        }
    }

    private mutating func grouped(_ predicate: TreePredicate) -> String {
        if case .truth = predicate { return text(predicate) }
        noted.append("group")
        return "(\(text(predicate)))"
    }

    private mutating func text(_ comparison: TreeComparison) -> String {
        let left = text(comparison.left)
        let sign = text(comparison.comparator) + (comparison.ignoresCase ? "[c]" : "")
        return "\(left) \(sign) \(text(comparison.right))"
    }

    private mutating func text(_ comparator: TreeComparator) -> String {
        switch comparator {
        case .equal: one(of: [("==", "=="), ("=", "=")])
        case .notEqual: one(of: [("!=", "!="), ("<>", "<>")])
        case .lessOrEqual: one(of: [("<=", "<="), ("=<", "=<")])
        case .greaterOrEqual: one(of: [(">=", ">="), ("=>", "=>")])
        case .isIn: numbers.once(in: 2) ? "IN" : "in"
        default: one(of: [(comparator.rawValue, comparator.rawValue)])
        }
    }

    private mutating func text(_ side: TreeSide) -> String {
        var text = text(side.operand)
        guard let quantifier = side.quantifier else { return text }
        noted.append(quantifier.rawValue)
        text = quantifier.rawValue + " " + text
        return text
    }

    private mutating func text(_ operand: TreeOperand) -> String {
        switch operand {
        case .path(let path): return text(path)
        case .constant(let value, let text):
            guard takesArguments, arguments.count < Self.argumentsMax, numbers.once(in: 2), Self.isArgument(value)
            else {
                return text
            }
            arguments.append(value)
            return "$\(arguments.count - 1)"
        case .list(let values): return "{" + values.map(\.1).joined(separator: ", ") + "}"
        case .computed(let left, let sign, let right):
            var first = text(left)
            if case .computed = left { first = "(\(first))" }
            var second = text(right)
            if case .computed = right { second = "(\(second))" }
            return "\(first) \(sign.rawValue) \(second)"
        case .subquery(let path, let condition):
            let collection = text(path)
            let outer = start
            start = "$x."
            let inside = text(condition)
            start = outer
            return "SUBQUERY(\(collection), $x, \(inside)).@count"
        }
    }

    private static let argumentsMax = 6

    /// Values that an argument hands over as the very constant that a text writes.
    private static func isArgument(_ value: PlainValue) -> Bool {
        switch value {
        case .number(.fraction(_, over: 1), .int), .text, .bool, .bytes: true
        default: false
        }
    }

    // MARK: - Paths

    private mutating func text(_ path: TreePath) -> String {
        var parts: [String] = []
        for hop in path.hops {
            switch hop {
            case .link(let name), .each(let name): parts.append(name)
            case .place(let name, let place): parts.append(name + text(place))
            case .backlinks: parts.append(PlainObject.backlinks)
            }
        }
        switch path.end {
        case .value(let name): parts.append(self.name(name))
        case .list(let name): parts.append(name)
        case .element(let name, let place): parts.append(name + text(place))
        case .entry(let name, let key): parts.append("\(name)['\(key)']")
        case .keys(let name): parts.append("\(name).@keys")
        case .values(let name): parts.append("\(name).@values")
        case .count(let name, let isSize): parts.append(counted(name, isSize: isSize, isBehind: !parts.isEmpty))
        case .fold(let fold, let name): parts.append("\(name).\(fold.rawValue)")
        case .foldOf(let fold, let name, let property): parts.append("\(name).\(fold.rawValue).\(self.name(property))")
        case .size(let name): parts.append("\(name).@size")
        case .lengths(let name): parts.append("\(name).length")
        case .type(let name): parts.append("\(name).@type")
        case .backlinkCount: parts.append("@links.@count")
        case .objects: break
        }
        return start + parts.joined(separator: ".")
    }

    private mutating func counted(_ name: String, isSize: Bool, isBehind: Bool) -> String {
        if isSize { return name + one(of: [("@size", ".@size")]) }
        // Only lists have a size in brackets.
        if name != "map", !isBehind, numbers.once(in: 3) { return name + one(of: [("SIZE", "[SIZE]")]) }
        return name + one(of: [("@count", ".@count")])
    }

    private mutating func text(_ place: TreePlace) -> String {
        switch place {
        case .first: one(of: [("FIRST", "[FIRST]")])
        case .last: one(of: [("LAST", "[LAST]")])
        case .at(let index): one(of: [("position", "[\(index)]")])
        }
    }

    /// A property that is named like an operator has three spellings.
    private mutating func name(_ name: String) -> String {
        guard name == "in" else { return name }
        return one(of: [("backticks", "`in`"), ("#name", "#in"), ("name of an operator", "in")])
    }
}
