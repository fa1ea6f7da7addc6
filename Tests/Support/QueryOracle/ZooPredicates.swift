import CausewayModel
import CausewayObjectStoreReference
import CausewayQuery
import CausewaySeeds

/// Predicates of every form over the zoo: operators, types, links, embedded objects, lists, aggregates.
extension ZooHistory {
    mutating func predicate(on className: String, depth: Int = 0) -> BoundPredicate {
        if depth < 3, numbers.once(in: 3) {
            let parts = (0..<2 + numbers.below(2)).map { _ in predicate(on: className, depth: depth + 1) }
            return switch numbers.below(3) {
            case 0: .and(parts)
            case 1: .or(parts)
            default: .not(parts[0])
            }
        }
        if numbers.once(in: 60) { return .constant(numbers.once(in: 2)) }
        if numbers.once(in: 10) { return .computed(computation(on: className)) }
        if depth < 3, numbers.once(in: 10) { return subquery(on: className, depth: depth) }
        if numbers.once(in: 12), let test = typeTest(on: className) { return .type(test) }
        return .comparison(comparison(on: className))
    }

    /// How many of an object's elements meet a condition.
    private mutating func subquery(on className: String, depth: Int) -> BoundPredicate {
        let properties = Zoo.schema[className]?.properties ?? []
        let list = properties.firstIndex { $0.collection == .list && $0.target != nil }
        let inverse = numbers.once(in: 3) || list == nil ? inverse(to: className) : nil
        guard let step = inverse ?? list.map({ Self.step(className, $0, properties[$0]) }), let target = step.target
        else { return .constant(true) }
        let count = BoundComparison(
            quantifier: .implied, path: BoundPath(steps: [step], aggregate: .count),
            comparator: numbers.one(of: [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]),
            options: [], operand: .value(.int(Int64(numbers.below(4)))))
        return .subquery(BoundSubquery(count: count, condition: predicate(on: target, depth: depth + 1)))
    }

    private mutating func comparison(on className: String) -> BoundComparison {
        let (path, passesList) = path(from: className)
        guard let last = path.steps.last else { preconditionFailure("a path has a step") }
        var quantifier = Quantifier.implied
        let type = Self.type(of: last)
        if passesList {
            if last.nested.isEmpty, numbers.once(in: 3) { return aggregate(path, last) }
            quantifier = numbers.one(of: [.any, .all, .none])
        } else if numbers.once(in: 10), last.type != .object, let other = twin(of: type, on: className) {
            return BoundComparison(
                quantifier: .implied, path: path,
                comparator: numbers.one(of: Self.comparators(type).filter { $0 != .text }),
                options: [], operand: .path(BoundPath(steps: [other])))
        }
        let comparator = numbers.one(of: Self.comparators(type) + [.in])
        var options: TextOptions = []
        let folds =
            type == .mixed
            ? Self.ofMixedTexts.contains(comparator)
            : type == .string && ![.less, .lessOrEqual, .greater, .greaterOrEqual, .text].contains(comparator)
        if folds {
            options = numbers.one(of: [
                [], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
            ])
        }
        let operand: Operand =
            switch comparator {
            case .in: .values((0..<numbers.one(of: [0, 1, 2, 3, 12])).map { _ in constant(last) })
            case .between: .values([present(last, comparator), present(last, comparator)])
            case .equal, .notEqual: .value(constant(last))
            default: .value(present(last, comparator))
            }
        return BoundComparison(
            quantifier: quantifier, path: path, comparator: comparator, options: options, operand: operand)
    }

    /// Up to three steps; at most one of them is a list.
    private mutating func path(from className: String) -> (path: BoundPath, passesList: Bool) {
        var path = BoundPath(steps: [])
        var className = className
        var passesList = false
        while true {
            if !passesList, numbers.once(in: 8), let inverse = inverse(to: className) {
                path.steps.append(inverse)
                passesList = true
                guard let target = inverse.target, path.steps.count < 3, !numbers.once(in: 5) else { break }
                className = target
                continue
            }
            let properties = Zoo.schema[className]?.properties ?? []
            let index = numbers.below(properties.count)
            let property = properties[index]
            if property.collection != .none, passesList { continue }
            var step = Self.step(className, index, property)
            if property.collection == .map {
                if numbers.once(in: 3) { step = Self.keys(of: step) }
                if numbers.once(in: 3) {
                    step.property = index
                    step.type = property.type
                    step.collection = .none
                    step.mapKey = ExactString(numbers.one(of: names.keys + ["missing"]))
                    path.steps.append(step)
                    break
                }
            }
            if property.collection == .list, numbers.once(in: 4) {
                step.place = numbers.one(of: [.first, .last, .at(0), .at(1), .at(5)])
                step.collection = .none
            }
            if property.type == .mixed, step.place == nil, step.property >= 0, numbers.once(in: 2) {
                let isToMany = addSubscripts(to: &step)
                path.steps.append(step)
                return (path, passesList || isToMany)
            }
            path.steps.append(step)
            passesList = passesList || step.collection != .none
            guard step.property >= 0, let target = property.target, path.steps.count < 3, !numbers.once(in: 5) else {
                break
            }
            className = target
        }
        return (path, passesList)
    }

    /// A step against one of the links that lead to a class.
    private mutating func inverse(to className: String) -> BoundPath.Step? {
        var steps: [BoundPath.Step] = []
        for origin in Zoo.schema.classes {
            for (index, property) in origin.properties.enumerated() where property.target == className {
                var step = BoundPath.Step(
                    className: className, property: index, type: .object, collection: .list, target: origin.name)
                step.direction = .backward
                steps.append(step)
            }
        }
        return steps.isEmpty ? nil : numbers.one(of: steps)
    }

    private static func keys(of step: BoundPath.Step) -> BoundPath.Step {
        var keys = step
        keys.property = ~step.property
        keys.type = .string
        keys.target = nil
        return keys
    }

    private mutating func aggregate(_ path: BoundPath, _ last: BoundPath.Step) -> BoundComparison {
        var path = path
        let isDecimal = last.type == .decimal128 || last.type == .mixed
        let isNumber = last.type == .int || last.type == .double || isDecimal
        let aggregate = isNumber ? numbers.one(of: [.count, .sum, .average, .minimum, .maximum]) : Aggregate.count
        path.aggregate = aggregate
        let isInteger = aggregate == .count || last.type == .int && aggregate != .average
        var constant: Value = isInteger ? .int(Int64(numbers.below(6))) : .double(Double(numbers.below(10)) / 2)
        if isDecimal, !isInteger { constant = .decimal(DecimalNumber(Int64(numbers.below(10))) / DecimalNumber(2)) }
        return BoundComparison(
            quantifier: .implied, path: path,
            comparator: numbers.one(of: Self.comparators(.int).filter { $0 != .between }), options: [],
            operand: .value(constant))
    }

    /// Another property of the class with the same type, or another number.
    private mutating func twin(of type: PropertyType, on className: String) -> BoundPath.Step? {
        let properties = Zoo.schema[className]?.properties ?? []
        let numeric: [PropertyType] = [.int, .float, .double]
        let indices = properties.indices.filter {
            (properties[$0].type == type || numeric.contains(properties[$0].type) && numeric.contains(type))
                && properties[$0].collection == .none
        }
        guard !indices.isEmpty else { return nil }
        let index = numbers.one(of: indices)
        var step = Self.step(className, index, properties[index])
        if type == .mixed, numbers.once(in: 2) { step.nested = singleSubscripts() }
        return step
    }

    static func step(_ className: String, _ index: Int, _ property: Property) -> BoundPath.Step {
        BoundPath.Step(
            className: className, property: index, type: property.type, collection: property.collection,
            target: property.target)
    }

    /// Operators that a mixed property is tried with on texts alone.
    private static let ofMixedTexts: [CausewayQuery.Comparator] = [.beginsWith, .endsWith, .contains, .like]

    private static func comparators(_ type: PropertyType) -> [CausewayQuery.Comparator] {
        let order: [CausewayQuery.Comparator] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
        return switch type {
        case .bool, .objectId, .uuid, .object: [.equal, .notEqual]
        case .int, .float, .double, .date: order + [.between]
        case .decimal128: order + [.between]
        case .mixed: order + [.between, .text] + ofMixedTexts
        case .string: order + [.beginsWith, .endsWith, .contains, .like, .text, .text]
        case .data: order + [.beginsWith, .endsWith, .contains, .like]
        }
    }

    // MARK: - Constants

    private mutating func present(_ step: BoundPath.Step, _ comparator: CausewayQuery.Comparator) -> Value {
        let property =
            step.property < 0
            ? Property(name: "keys", type: .string)
            : Zoo.schema[step.className]?.properties[step.property] ?? Zoo.cage.properties[0]
        if step.nested.last == .count { return .int(Int64(numbers.below(5))) }
        if step.nested.last == .keys, comparator != .text { return .string(numbers.one(of: names.keys)) }
        if comparator == .text { return .string(search()) }
        let isText = step.type == .string || step.type == .mixed && Self.ofMixedTexts.contains(comparator)
        guard isText else { return scalar(property) }
        if comparator == .like || step.type == .mixed || numbers.once(in: 4) {
            return .string(
                numbers.one(of: ["d?g", "*b*", "?", "*", "a*", "", "*1", "w?rd *", "*ord 1*", "word", "d 1"]))
        }
        return scalar(property)
    }

    private mutating func search() -> String {
        let terms = [
            "dog", "wor*", "word 1", "-dog", "a", "-ABC", "lang*", "long", "e", "日本*", "-word*", "zoe",
            "word-\(numbers.below(5))",
            "\(numbers.below(40))*", "-\(numbers.below(4))", "*", "d*g",
        ]
        return (0..<numbers.one(of: [0, 1, 1, 2, 3])).map { _ in numbers.one(of: terms) }.joined(separator: " ")
    }

    private mutating func constant(_ step: BoundPath.Step) -> Value {
        if numbers.once(in: 6) { return .null }
        guard let target = step.target else { return present(step, .equal) }
        if target == "Keeper", numbers.once(in: 2) { return .link(.string(names.keeper(numbers.below(70)))) }
        return anyKey(target).map { .object($0) } ?? .null
    }

    // MARK: - Orders

    /// A path of to-one steps that ends in a value.
    mutating func orderPath(on className: String) -> BoundPath {
        var path = BoundPath(steps: [])
        var className = className
        while true {
            let properties = Zoo.schema[className]?.properties ?? []
            let index = numbers.below(properties.count)
            let property = properties[index]
            if property.collection != .none || property.target != nil && path.steps.count == 2 { continue }
            path.steps.append(Self.step(className, index, property))
            guard let target = property.target else { return path }
            className = target
        }
    }
}
