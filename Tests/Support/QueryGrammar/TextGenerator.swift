import CausewaySeeds

/// Draws predicates and writes them as texts, each production of the published grammar now and then.
package struct TextGenerator {
    /// A predicate and one way to write it.
    package struct Drawn: Sendable {
        package var tree: TreePredicate
        /// Without arguments, as a rule is written.
        package var text: String
        /// The same with arguments in the place of some constants.
        package var textWithArguments: String
        package var arguments: [PlainValue]
        package var steps: [TreeStep] = []
    }

    var numbers: SeededNumbers
    let objectCount: Int
    /// How often each production occurred.
    package private(set) var counts: [String: Int] = [:]

    package init(seed: UInt64, objectCount: Int) {
        numbers = SeededNumbers(seed: seed)
        self.objectCount = objectCount
    }

    mutating func note(_ production: String) {
        precondition(PublishedGrammar.names.contains(production), "'\(production)' is no row of the grammar's table")
        counts[production, default: 0] += 1
    }

    package mutating func next() -> Drawn {
        let tree = predicate(depth: 0)
        var plain = TextWriter(numbers: numbers)
        let text = plain.text(tree)
        var other = TextWriter(numbers: numbers, takesArguments: true)
        let textWithArguments = other.text(tree)
        numbers = plain.numbers
        for production in plain.noted + (other.arguments.isEmpty ? [] : ["argument"]) { note(production) }
        var drawn = Drawn(
            tree: tree, text: text, textWithArguments: textWithArguments, arguments: other.arguments)
        if numbers.once(in: 6) { drawn.steps = steps() }
        return drawn
    }

    // MARK: - Compounds

    private mutating func predicate(depth: Int, isOfElements: Bool = false) -> TreePredicate {
        guard depth < 3, numbers.once(in: 3) else {
            if numbers.once(in: 40) { return .truth(numbers.once(in: 2)) }
            return .comparison(comparison(depth: depth, isOfElements: isOfElements))
        }
        switch numbers.below(3) {
        case 0: return .not(predicate(depth: depth + 1, isOfElements: isOfElements))
        case 1:
            return .and((0..<2).map { _ in predicate(depth: depth + 1, isOfElements: isOfElements) })
        default: return .or((0..<2).map { _ in predicate(depth: depth + 1, isOfElements: isOfElements) })
        }
    }

    private mutating func steps() -> [TreeStep] {
        var steps: [TreeStep] = []
        if numbers.once(in: 2) {
            note("SORT")
            steps.append(
                .sort(
                    numbers.one(of: ["int", "name", "decimal", "optInt"]), isAscending: numbers.once(in: 2)))
        }
        if numbers.once(in: 2) {
            note("DISTINCT")
            steps.append(.distinct(numbers.one(of: ["int", "name", "bool"])))
        }
        if steps.isEmpty || numbers.once(in: 2) {
            note("LIMIT")
            steps.append(.limit(numbers.below(6)))
        }
        return steps
    }

    /// How many of an object's elements meet a condition, which names their own properties alone.
    private mutating func subquery(depth: Int) -> TreeComparison {
        let path =
            numbers.once(in: 4)
            ? TreePath(hops: [.backlinks], end: .objects) : TreePath(hops: [.each("items")], end: .objects)
        let condition = predicate(depth: depth + 1, isOfElements: true)
        let isProperty = numbers.once(in: 3)
        note(isProperty ? "SUBQUERY and property" : "SUBQUERY")
        let other: TreeOperand = isProperty ? .path(TreePath(end: .value("int"))) : integer()
        let sides = [TreeSide(operand: .subquery(path, condition)), TreeSide(operand: other)]
        let isTurned = numbers.once(in: 3)
        return TreeComparison(
            left: sides[isTurned ? 1 : 0], comparator: numbers.one(of: Self.orders), right: sides[isTurned ? 0 : 1])
    }

    // MARK: - Comparisons

    static let orders: [TreeComparator] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]

    private mutating func comparison(depth: Int, isOfElements: Bool) -> TreeComparison {
        if depth < 3, !isOfElements, numbers.once(in: 14) { return subquery(depth: depth) }
        switch numbers.below(12) {
        case 0...2: return numeric()
        case 3: return computed()
        case 4: return compared(.text)
        case 5: return compared(.mixed)
        case 6: return typeTest()
        case 7: return linked()
        case 8: return pairs()
        default: return compared(numbers.one(of: [.text, .bytes, .date, .objectId, .uuid, .bool, .int, .decimal]))
        }
    }

    private mutating func numeric() -> TreeComparison { compared(numbers.one(of: [.int, .double, .float, .decimal])) }

    /// A path of a type against constants.
    private mutating func compared(_ type: PlainType) -> TreeComparison {
        let (path, digits) = path(to: type)
        let comparator = numbers.one(of: Self.comparators(type))
        let left = TreeSide(quantifier: path.isToMany ? quantifier() : nil, operand: .path(path), digits: digits)
        var ignoresCase = false
        let takesCase: [TreeComparator] = [.equal, .notEqual, .beginsWith, .endsWith, .contains, .like, .isIn]
        if type == .text, takesCase.contains(comparator), numbers.once(in: 4) {
            note("[c]")
            ignoresCase = true
        }
        let right: TreeSide
        switch comparator {
        case .isIn:
            note("IN list")
            right = TreeSide(operand: .list(constants(of: type, comparator)))
        case .between:
            let ends = (0..<2).map { _ in constant(of: type, comparator) }
            right = TreeSide(operand: .list(ends))
        case .search: right = TreeSide(operand: search())
        default:
            // The list of an operator stands for ANY of its values.
            if numbers.once(in: 5) { return beside(left, comparator, type, ignoresCase) }
            let (value, text) = constant(of: type, comparator)
            if value == .null, comparator != .equal, comparator != .notEqual { note("nil in order") }
            right = TreeSide(operand: .constant(value, text))
        }
        if Self.orders.contains(comparator), numbers.once(in: 6) {
            note("constant before")
            return TreeComparison(
                left: right, comparator: Self.turned(comparator), ignoresCase: ignoresCase, right: left)
        }
        if comparator == .isIn, path.isToMany, case .list(let values) = right.operand, let (value, text) = values.first,
            left.quantifier == nil, value != .null
        {
            note("value IN collection")
            return TreeComparison(
                left: TreeSide(operand: .constant(value, text)), comparator: .isIn, ignoresCase: ignoresCase,
                right: left)
        }
        return TreeComparison(left: left, comparator: comparator, ignoresCase: ignoresCase, right: right)
    }

    /// A path beside a list, with quantifiers or without.
    private mutating func beside(
        _ path: TreeSide, _ comparator: TreeComparator, _ type: PlainType, _ ignoresCase: Bool
    ) -> TreeComparison {
        let values = constants(of: type, comparator)
        var list = TreeSide(operand: .list(values))
        if numbers.once(in: 3) {
            note("plain list")
        } else {
            list.quantifier = quantifier()
            note(path.quantifier != nil && list.quantifier != nil ? "both quantified" : "quantified list")
        }
        let isTurned = Self.orders.contains(comparator) && numbers.once(in: 3)
        if isTurned { note("list before") }
        return TreeComparison(
            left: isTurned ? list : path, comparator: comparator, ignoresCase: ignoresCase,
            right: isTurned ? path : list)
    }

    /// Two paths, or two lists.
    private mutating func pairs() -> TreeComparison {
        let comparator = numbers.one(of: Self.orders)
        if numbers.once(in: 5) {
            note("two lists")
            let sides = (0..<2).map { _ in
                TreeSide(
                    quantifier: quantifier(), operand: .list(constants(of: .int, comparator)),
                    digits: .ofDecimals)
            }
            return TreeComparison(left: sides[0], comparator: comparator, right: sides[1])
        }
        let type: PlainType = numbers.one(of: [.int, .decimal, .text, .double])
        let (first, second) = (path(to: type).path, path(to: type == .double ? .int : type).path)
        var left = TreeSide(quantifier: first.isToMany ? quantifier() : nil, operand: .path(first))
        let right = TreeSide(quantifier: second.isToMany ? quantifier() : nil, operand: .path(second))
        if first.isToMany, second.isToMany {
            note("two collections")
            if left.quantifier == nil, right.quantifier == nil { left.quantifier = .any }
        } else {
            note("two properties")
        }
        return TreeComparison(left: left, comparator: comparator, right: right)
    }

    private mutating func typeTest() -> TreeComparison {
        note("@type")
        let names = [
            "string", "int", "double", "decimal", "bool", "null", "date", "objectid", "uuid", "binary", "object",
        ]
        let name = numbers.one(of: names)
        return TreeComparison(
            left: TreeSide(operand: .path(TreePath(end: .type("mixed")))),
            comparator: numbers.one(of: [.equal, .notEqual]),
            right: TreeSide(operand: .constant(.text(name), "'\(name)'")))
    }

    private mutating func linked() -> TreeComparison {
        let path =
            numbers.once(in: 2)
            ? TreePath(hops: [.link("link")], end: .objects) : TreePath(hops: [.each("items")], end: .objects)
        let right: (PlainValue, String) = numbers.once(in: 3) ? null() : object()
        return TreeComparison(
            left: TreeSide(quantifier: path.isToMany ? quantifier() : nil, operand: .path(path)),
            comparator: numbers.one(of: [.equal, .notEqual]), right: TreeSide(operand: .constant(right.0, right.1)))
    }

    // MARK: - Arithmetic

    private mutating func computed() -> TreeComparison {
        let type: PlainType = numbers.one(of: [.int, .double, .decimal])
        func property() -> TreeOperand { .path(TreePath(end: .value(type == .int ? "int" : "\(type)"))) }
        var operand = property()
        for _ in 0..<1 + numbers.below(2) {
            let sign = numbers.one(of: type == .decimal ? [.plus, .minus] : PlainNumber.Sign.allCases)
            note(sign.rawValue)
            if sign == .divided {
                operand = .computed(
                    operand, sign, type == .int ? smallInteger() : .constant(.number(PlainNumber(2), .double), "2.0"))
            } else if type == .int, numbers.once(in: 3) {
                note("two properties computed")
                operand = .computed(operand, sign, .path(TreePath(end: .value("in"))))
            } else if numbers.once(in: 3) {
                note("grouped operands")
                operand = .computed(operand, sign, .computed(smallInteger(), .minus, smallInteger()))
            } else {
                operand = .computed(operand, sign, smallInteger())
            }
        }
        let (value, text) = constant(of: type, .less)
        return TreeComparison(
            left: TreeSide(operand: operand, digits: type == .decimal ? .all : .ofDecimals),
            comparator: numbers.one(of: Self.orders),
            right: TreeSide(operand: .constant(value, text)))
    }

    private mutating func smallInteger() -> TreeOperand {
        let value = 1 + numbers.below(3)
        return .constant(.number(PlainNumber(value), .int), "\(value)")
    }

    private mutating func integer() -> TreeOperand {
        let value = numbers.below(4)
        return .constant(.number(PlainNumber(value), .int), "\(value)")
    }

    // MARK: - Words

    mutating func quantifier() -> TreeQuantifier? {
        guard !numbers.once(in: 5) else { return nil }
        return numbers.one(of: TreeQuantifier.allCases)
    }

    private static func turned(_ comparator: TreeComparator) -> TreeComparator {
        switch comparator {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: comparator
        }
    }

    private static func comparators(_ type: PlainType) -> [TreeComparator] {
        switch type {
        case .text: orders + [.isIn, .beginsWith, .endsWith, .contains, .like, .search]
        case .bytes: orders + [.isIn, .beginsWith, .endsWith, .contains]
        case .mixed: orders + [.isIn, .beginsWith, .contains]
        case .bool, .object: [.equal, .notEqual, .isIn]
        default: orders + [.isIn, .between]
        }
    }
}

/// What stands behind a predicate.
package enum TreeStep: Sendable {
    case sort(String, isAscending: Bool)
    case distinct(String)
    case limit(Int)

    package var text: String {
        switch self {
        case .sort(let name, let isAscending): "SORT(\(name) \(isAscending ? "ASC" : "DESC"))"
        case .distinct(let name): "DISTINCT(\(name))"
        case .limit(let count): "LIMIT(\(count))"
        }
    }
}
