import CausewayModel
import CausewayObjectStoreReference
import CausewayQuery
import CausewaySeeds

/// Predicates over `Everything` of every form: operators, types, links, embedded objects, lists, aggregates.
struct RandomPredicates {
    var numbers: SeededNumbers

    mutating func predicate(_ reference: ReferenceStore, depth: Int = 0) -> BoundPredicate {
        if depth < 3, numbers.once(in: 3) {
            let parts = (0..<2 + numbers.below(2)).map { _ in predicate(reference, depth: depth + 1) }
            return switch numbers.below(3) {
            case 0: .and(parts)
            case 1: .or(parts)
            default: .not(parts[0])
            }
        }
        if numbers.once(in: 40) { return .constant(numbers.once(in: 2)) }
        return .comparison(comparison(reference))
    }

    private mutating func comparison(_ reference: ReferenceStore) -> BoundComparison {
        var path = BoundPath(steps: [])
        var className = "Everything"
        var quantifier = Quantifier.implied
        while true {
            let properties = Models.schema[className]?.properties ?? []
            let index = numbers.below(properties.count)
            let property = properties[index]
            if property.collection == .list, quantifier != .implied { continue }
            path.steps.append(step(className, index, property))
            if property.collection == .list { quantifier = numbers.one(of: [.any, .all, .none]) }
            if let target = property.target, path.steps.count < 3, !numbers.once(in: 4) {
                className = target
                continue
            }
            break
        }
        let last = path.steps[path.steps.count - 1]
        if quantifier != .implied, numbers.once(in: 3) { return aggregate(path, last) }
        if quantifier == .implied, numbers.once(in: 12), last.type != .object {
            // One property against another of its type.
            let others = Models.everything.properties.enumerated().filter {
                $0.element.type == last.type && $0.element.collection == .none
            }
            let other = numbers.one(of: Array(others))
            return BoundComparison(
                quantifier: .implied, path: path, comparator: numbers.one(of: Self.comparators(last.type)), options: [],
                operand: .path(BoundPath(steps: [step("Everything", other.offset, other.element)])))
        }
        let comparator = numbers.one(of: Self.comparators(last.type) + [.in])
        var options: TextOptions = []
        if last.type == .string, numbers.once(in: 3) {
            options = numbers.one(of: [
                .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
            ])
        }
        let operand: Operand =
            switch comparator {
            case .in: .values((0..<numbers.below(4)).map { _ in constant(last, reference) })
            case .between: .values([nonNull(last), nonNull(last)])
            case .equal, .notEqual: .value(constant(last, reference))
            default: .value(nonNull(last))
            }
        if [.less, .lessOrEqual, .greater, .greaterOrEqual, .between].contains(comparator) { options = [] }
        return BoundComparison(
            quantifier: quantifier, path: path, comparator: comparator, options: options, operand: operand)
    }

    private mutating func aggregate(_ path: BoundPath, _ last: BoundPath.Step) -> BoundComparison {
        var path = path
        let isNumber = last.type == .int || last.type == .double
        path.aggregate = isNumber ? numbers.one(of: [.count, .sum, .average, .minimum, .maximum]) : .count
        let constant: Value =
            path.aggregate == .count || last.type == .int && path.aggregate != .average
            ? .int(Int64(numbers.below(6))) : .double(Double(numbers.below(10)) / 2)
        return BoundComparison(
            quantifier: .implied, path: path,
            comparator: numbers.one(of: Self.comparators(.int).filter { $0 != .between }),
            options: [], operand: .value(constant))
    }

    private func step(_ className: String, _ index: Int, _ property: Property) -> BoundPath.Step {
        BoundPath.Step(
            className: className, property: index, type: property.type, collection: property.collection,
            target: property.target)
    }

    private static func comparators(_ type: PropertyType) -> [CausewayQuery.Comparator] {
        switch type {
        case .bool, .objectId, .uuid, .object: [.equal, .notEqual]
        case .int, .float, .double, .date, .decimal128, .mixed:
            [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between]
        case .string, .data:
            [
                .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith, .contains,
                .like,
            ]
        }
    }

    private mutating func nonNull(_ step: BoundPath.Step) -> Value {
        if step.type == .string, numbers.once(in: 3) {
            return .string(numbers.one(of: ["d?g", "*b*", "?", "*", "a*", ""]))
        }
        return RandomValues.value(of: step.type, &numbers)
    }

    private mutating func constant(_ step: BoundPath.Step, _ reference: ReferenceStore) -> Value {
        if numbers.once(in: 5) { return .null }
        guard step.type == .object, let target = step.target else { return nonNull(step) }
        if target == "Tag", numbers.once(in: 2) { return .link(.string("tag \(numbers.below(15))")) }
        return reference.keys(target).randomElement(using: &numbers).map { .object($0) } ?? .null
    }

    mutating func sortPath() -> BoundPath {
        let index = 1 + numbers.below(17)
        let property = Models.everything.properties[index]
        guard let target = property.target else { return BoundPath(steps: [step("Everything", index, property)]) }
        let properties = (Models.schema[target]?.properties ?? []).enumerated().filter {
            $0.element.collection == .none && $0.element.target == nil
        }
        let inner = numbers.one(of: Array(properties))
        return BoundPath(steps: [step("Everything", index, property), step(target, inner.offset, inner.element)])
    }
}
