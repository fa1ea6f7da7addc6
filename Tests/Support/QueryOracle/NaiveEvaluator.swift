import CausewayModel
import CausewayObjectStoreReference
import CausewayQuery

/// What a predicate says of an object, value by value and written to be read: it shares no code with the evaluators of
/// the product.
struct NaiveEvaluator {
    let store: ReferenceStore
    /// The ways back that were asked for, of a store that does not change meanwhile.
    private let inverses = Inverses()

    private final class Inverses {
        var found: [BoundPath.Step: [ObjectKey: [Value]]] = [:]
    }

    func holds(_ predicate: BoundPredicate, _ key: ObjectKey, _ className: String) -> Bool {
        switch predicate {
        case .constant(let value): return value
        case .and(let parts):
            for part in parts where !holds(part, key, className) { return false }
            return true
        case .or(let parts):
            for part in parts where holds(part, key, className) { return true }
            return false
        case .not(let part): return !holds(part, key, className)
        case .comparison(let comparison): return holds(comparison, key, className)
        case .subquery(let subquery): return holds(subquery, key, className)
        case .geoWithin(let within): return holds(within, key, className)
        case .computed(let computation): return holds(computation, key, className)
        case .type(let test): return holds(test, key, className)
        // The generated texts ask for pairs, against an evaluator of their own.
        case .pairs: return false
        }
    }

    /// Which places a region has is geometry, and has tests of its own.
    private func holds(_ within: BoundGeoWithin, _ key: ObjectKey, _ className: String) -> Bool {
        var answers: [Bool] = []
        for value in values(of: within.path, key, className) {
            guard case .object(let point) = value, store.rows[within.target]?[point] != nil else {
                answers.append(false)
                continue
            }
            func values(_ property: Int) -> [Value] {
                let step = BoundPath.Step(
                    className: within.target, property: property, type: .double,
                    collection: property == within.coordinatesProperty ? .list : .none, target: nil)
                return self.values(of: BoundPath(steps: [step]), point, within.target)
            }
            answers.append(
                within.holds(
                    type: values(within.typeProperty).first ?? .null, coordinates: values(within.coordinatesProperty)))
        }
        switch within.quantifier {
        case .implied: return answers == [true]
        case .any: return answers.contains(true)
        case .all: return !answers.contains(false)
        case .none: return !answers.contains(true)
        }
    }

    private func holds(_ subquery: BoundSubquery, _ key: ObjectKey, _ className: String) -> Bool {
        guard let target = subquery.count.path.steps.last?.target else { return false }
        var count = 0
        for case .object(let element) in values(of: subquery.count.path, key, className)
        where store.rows[target]?[element] != nil && holds(subquery.condition, element, target) { count += 1 }
        return holds(.int(Int64(count)), subquery.count, key, className)
    }

    private func holds(_ comparison: BoundComparison, _ key: ObjectKey, _ className: String) -> Bool {
        var answers: [Bool] = []
        for left in leftValues(comparison, key, className) {
            answers.append(holds(left, comparison, key, className))
        }
        switch comparison.quantifier {
        case .implied: return answers == [true]
        case .any: return answers.contains(true)
        case .all: return !answers.contains(false)
        case .none: return !answers.contains(true)
        }
    }

    private func leftValues(_ comparison: BoundComparison, _ key: ObjectKey, _ className: String) -> [Value] {
        let found = values(of: comparison.path, key, className)
        if let aggregate = comparison.path.aggregate { return [fold(aggregate, found, comparison.path)] }
        return found
    }

    private func holds(_ left: Value, _ comparison: BoundComparison, _ key: ObjectKey, _ className: String) -> Bool {
        let rule = NaiveComparison(comparison, of: self)
        switch comparison.operand {
        case .value(let right): return rule.holds(left, comparison.comparator, right)
        case .values(let values) where comparison.comparator == .between:
            return rule.holds(left, .greaterOrEqual, values[0]) && rule.holds(left, .lessOrEqual, values[1])
        case .values(let values): return values.contains { rule.holds(left, .equal, $0) }
        case .path(let path):
            let right = values(of: path, key, className)
            return rule.holds(left, comparison.comparator, right.first ?? .null)
        }
    }

    // MARK: - Paths

    /// All values at the end of a path. An absent link makes one null, unless several values would have followed it.
    func values(of path: BoundPath, _ key: ObjectKey, _ className: String) -> [Value] {
        var places: [(className: String, key: ObjectKey)?] = [(className, key)]
        for (index, step) in path.steps.enumerated() {
            var reached: [Value?] = []
            for place in places {
                guard let place, let row = store.rows[place.className]?[place.key] else {
                    let isSingle = step.nested.isEmpty ? step.collection == .none : !goesToMany(step.nested)
                    reached.append(isSingle ? .some(.null) : nil)
                    continue
                }
                if !step.nested.isEmpty {
                    reached += nested(step, of: row).map(Optional.some)
                } else if let place = step.place {
                    reached.append(naiveElement(row.lists[step.property] ?? [], place))
                } else if step.direction != .forward {
                    reached += origins(of: place.key, step)
                } else if let name = step.mapKey {
                    let values = zip(row.lists[~step.property] ?? [], row.lists[step.property] ?? [])
                    reached.append(values.first { $0.0 == .string(name.string) }?.1 ?? .null)
                } else if step.collection == .none {
                    reached.append(row.values[step.property])
                } else {
                    reached += row.lists[step.property] ?? []
                }
            }
            let found = reached.compactMap { $0 }
            if index == path.steps.count - 1 { return found }
            places = []
            for value in found {
                if case .object(let next) = value, let target = step.target, store.rows[target]?[next] != nil {
                    places.append((target, next))
                } else if step.collection == .none {
                    // Elements of lists that are not here are passed over; a link that leads nowhere is null.
                    places.append(nil)
                }
            }
        }
        return []
    }

    /// Everything that links to an object. The first time a way back is asked for, every object there is is looked at.
    private func origins(of key: ObjectKey, _ step: BoundPath.Step) -> [Value] {
        if let known = inverses.found[step] { return known[key] ?? [] }
        var found: [ObjectKey: [Value]] = [:]
        for origin in store.schema.classes where step.target == nil || origin.name == step.target {
            for (column, property) in origin.properties.enumerated()
            where property.target == step.className && (step.target == nil || column == step.property) {
                for from in store.keys(origin.name) {
                    guard let row = store.rows[origin.name]?[from] else { continue }
                    for case .object(let to) in property.collection == .none
                        ? [row.values[column]] : row.lists[column] ?? []
                    {
                        found[to, default: []].append(.object(from))
                    }
                }
            }
        }
        inverses.found[step] = found
        return found[key] ?? []
    }

    // MARK: - Aggregates

    func fold(_ aggregate: Aggregate, _ values: [Value], _ path: BoundPath) -> Value {
        if aggregate == .count { return .int(Int64(values.count)) }
        let present = values.filter { !$0.isNull && NaiveNumber.decimal($0)?.isNaN != true }
        let isInteger = path.steps.last?.type == .int
        let isMixed = path.steps.last?.type == .mixed
        let isDecimal = isMixed || path.steps.last?.type == .decimal128
        switch aggregate {
        case .count: return .null
        case .sum where isInteger: return .int(Int64(clamping: integers(present).reduce(0, +)))
        case .sum where isDecimal: return .decimal(decimals(present).reduce(.zero, +))
        case .sum: return .double(doubles(present).reduce(0, +))
        case .average where present.isEmpty: return .null
        case .average where isDecimal:
            let found = decimals(present)
            return found.isEmpty
                ? .null : .decimal(found.reduce(.zero, +) / DecimalNumber(Int64(found.count)))
        case .average where isInteger:
            return .double(Double(integers(present).reduce(0, +)) / Double(present.count))
        case .average: return .double(doubles(present).reduce(0, +) / Double(present.count))
        case .minimum, .maximum:
            // The first that no later one beats.
            var best = Value.null
            for value in present {
                let beats =
                    isMixed
                    ? aggregate == .minimum ? NaiveOrder.precedes(value, best) : NaiveOrder.precedes(best, value)
                    : beats(value, best, aggregate)
                if best.isNull || beats { best = value }
            }
            return best
        }
    }

    private func beats(_ value: Value, _ best: Value, _ aggregate: Aggregate) -> Bool {
        if case .decimal(let value) = value, case .decimal(let best) = best {
            if value.isNaN || best.isNaN { return false }
            return aggregate == .minimum ? value.naiveDifference(best) < 0 : value.naiveDifference(best) > 0
        }
        return switch (NaiveNumber(value), NaiveNumber(best)) {
        case (let value?, let best?): aggregate == .minimum ? value.amount < best.amount : value.amount > best.amount
        default: false
        }
    }

    private func integers(_ values: [Value]) -> [Int128] {
        values.compactMap { if case .int(let value) = $0 { Int128(value) } else { nil } }
    }

    private func decimals(_ values: [Value]) -> [DecimalNumber] {
        values.compactMap(NaiveNumber.decimal)
    }

    private func doubles(_ values: [Value]) -> [Double] {
        values.compactMap { NaiveNumber($0).map { Double($0.amount) } }
    }
}

/// Any number, exactly: 64 bits of a Float80 hold every Int64 and every Double.
struct NaiveNumber {
    let amount: Float80

    init?(_ value: Value) {
        switch value {
        case .int(let value): amount = Float80(value)
        case .float(let value): amount = Float80(value)
        case .double(let value): amount = Float80(value)
        default: return nil
        }
    }

    /// What any number reads like; nil for other values.
    static func decimal(_ value: Value) -> DecimalNumber? {
        switch value {
        case .int(let value): DecimalNumber("\(value)")
        case .float(let value): decimal("\(value)")
        case .double(let value): decimal("\(value)")
        case .decimal(let value): value
        default: nil
        }
    }

    private static func decimal(_ text: String) -> DecimalNumber? {
        switch text {
        case "inf": .infinity
        case "-inf": -DecimalNumber.infinity
        case let text where text.contains("nan"): .notANumber
        default: DecimalNumber(text)
        }
    }
}
