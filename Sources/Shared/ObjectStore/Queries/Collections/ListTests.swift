import CausewayModel
import CausewayQuery

/// Chooses the test of a part of a predicate that goes through a list. Nil where only the row evaluator can answer:
/// aggregates behind several links, lists of dates, ids, decimals and mixed values, one property against another.
enum ListTests {
    static func test(_ comparison: BoundComparison, _ table: Table) -> (any LeafTest)? {
        guard let operand = comparison.operand.constants else { return nil }
        let isAggregate = comparison.path.aggregate != nil
        guard isAggregate || comparison.quantifier != .implied else { return nil }
        return behindLinks(
            comparison.path, table, holdsForNothing: comparison.holdsForNothing(operand)
        ) { path, table in
            var rest = comparison
            rest.path = path
            return isAggregate ? aggregate(rest, operand, table) : quantified(rest, operand, table)
        }
    }

    static func test(_ subquery: BoundSubquery, _ table: Table) -> (any LeafTest)? {
        guard let operand = subquery.count.operand.constants else { return nil }
        return behindLinks(
            subquery.count.path, table, holdsForNothing: subquery.count.holdsForNothing(operand)
        ) { path, table in
            guard path.steps.count == 1, let list = path.steps.first, let target = target(of: list, table),
                let count = NumberRule<Int64>(subquery.count.comparator, operand)
            else { return nil }
            var rest = subquery
            rest.count.path = path
            let inner = QueryPlan.test(subquery.condition, target)
            return objectsTest(table, list, .subquery(rest), target, inner, count)
        }
    }

    /// Follows the links before the list, as a path through links does.
    private static func behindLinks(
        _ path: BoundPath, _ table: Table, holdsForNothing: Bool,
        _ test: (BoundPath, Table) -> (any LeafTest)?
    ) -> (any LeafTest)? {
        guard let step = path.steps.first, step.collection == .none else { return test(path, table) }
        guard step.isColumn, path.steps.count > 1, let target = target(of: step, table) else { return nil }
        let rest = BoundPath(steps: Array(path.steps.dropFirst()), aggregate: path.aggregate)
        guard let inner = behindLinks(rest, target, holdsForNothing: holdsForNothing, test) else { return nil }
        return LinkTest(table, step.property, to: target, inner, holdsForNothing: holdsForNothing)
    }

    private static func target(of step: BoundPath.Step, _ table: Table) -> Table? {
        step.target.flatMap(table.transaction.table)
    }

    // MARK: - ANY, ALL, NONE

    private static func quantified(
        _ comparison: BoundComparison, _ operand: [Value], _ table: Table
    ) -> (any LeafTest)? {
        guard let list = comparison.path.steps.first else { return nil }
        let quantifier = comparison.quantifier
        let count = NumberRule<Int64>(quantifier == .any ? .greater : .equal, 0)
        guard comparison.path.steps.count > 1 else {
            return ofElements(comparison, list, operand, isNegated: quantifier == .all, count, table)
        }
        guard let target = target(of: list, table) else { return nil }
        var element = comparison
        element.path.steps.removeFirst()
        if element.path.steps.allSatisfy(\.isColumn) {
            element.quantifier = .implied
        } else if quantifier == .none {
            // NONE of all values means: no element with any of them.
            element.quantifier = .any
        }
        let inner = QueryPlan.test(.comparison(element), target)
        return objectsTest(
            table, list, .comparison(comparison), target, quantifier == .all ? NotTest(part: inner) : inner, count)
    }

    /// Tests how many elements are objects that meet a condition.
    private static func objectsTest(
        _ table: Table, _ list: BoundPath.Step, _ predicate: BoundPredicate, _ target: Table, _ condition: any LeafTest,
        _ count: NumberRule<Int64>
    ) -> any LeafTest {
        ListTest(
            table, list.property, predicate,
            .init(
                cost: Double(target.count) * max(condition.cost, 0.1), explanation: " of (\(condition.explanation))",
                scratchBytes: KeyBitmap.bytes(target),
                prepare: { ObjectsQuestion(objects: KeyBitmap(target, meeting: condition), count: count).function }))
    }

    /// Tests how many elements themselves meet the comparison.
    private static func ofElements(
        _ comparison: BoundComparison, _ list: BoundPath.Step, _ operand: [Value], isNegated: Bool,
        _ count: NumberRule<Int64>, _ table: Table
    ) -> (any LeafTest)? {
        @inline(__always)
        func test<Stored: StoredNumber>(
            _: Stored.Type, _ rule: NumberRule<Stored.Number>?
        ) -> (any LeafTest)? {
            guard let rule else { return nil }
            let question = NumbersQuestion<Stored>(element: rule, isNegated: isNegated, count: count)
            return ready(table, list, .comparison(comparison), question)
        }
        let comparator = comparison.comparator
        switch list.type {
        case .int: return test(Int64.self, NumberRule<Int64>(comparator, operand))
        case .float: return test(Float.self, NumberRule<Double>(comparator, operand))
        case .double: return test(Double.self, NumberRule<Double>(comparator, operand))
        case .bool:
            guard [.equal, .notEqual, .in].contains(comparator) else { return nil }
            let rule = NumberRule<Int64>(comparator, operand) {
                if case .bool(let constant) = $0 { constant ? 1 : 0 } else { nil }
            }
            return test(UInt8.self, rule)
        case .object:
            guard [.equal, .notEqual, .in].contains(comparator), let target = target(of: list, table) else {
                return nil
            }
            // A primary key without a row becomes a key that no element has.
            let rule = NumberRule<Int64>(comparator, operand) { value in
                value.isNull ? nil : StoredRow.key(value, target)?.rawValue ?? -1
            }
            return test(Int64.self, rule)
        case .string, .data:
            return TextsQuestion(comparison, operand, isNegated: isNegated, count).map {
                ready(table, list, .comparison(comparison), $0)
            }
        case .date, .objectId, .uuid: return nil
        case .decimal128: return nil
        case .mixed: return nil
        }
    }

    // MARK: - Aggregates

    private static func aggregate(
        _ comparison: BoundComparison, _ operand: [Value], _ table: Table
    ) -> (any LeafTest)? {
        guard let aggregate = comparison.path.aggregate, let list = comparison.path.steps.first else { return nil }
        let steps = comparison.path.steps
        if aggregate == .count {
            guard steps.count == 1, let rule = NumberRule<Int64>(comparison.comparator, operand) else { return nil }
            let column = list.property
            return ListTest(
                table, column, .comparison(comparison),
                .init(
                    prepare: { CountQuestion(count: rule).function },
                    single: { rule.holds(Int64(table.listCount($0, column))) }))
        }
        @inline(__always)
        func test<Source: NumberSource>(
            _ prepare: @escaping () -> Source, cost: Double, explanation: String
        ) -> (any LeafTest)? {
            guard let fold = NumberFold<Source.Number>(aggregate, comparison.comparator, operand) else { return nil }
            return ListTest(
                table, list.property, .comparison(comparison),
                .init(
                    cost: cost, explanation: explanation,
                    prepare: { FoldQuestion(source: prepare(), fold: fold).function }))
        }
        if steps.count == 1 {
            switch list.type {
            case .int: return test({ StoredNumbers<Int64>() }, cost: 0, explanation: "")
            case .float: return test({ StoredNumbers<Float>() }, cost: 0, explanation: "")
            case .double: return test({ StoredNumbers<Double>() }, cost: 0, explanation: "")
            default: return nil
            }
        }
        guard steps.count == 2, let target = target(of: list, table) else { return nil }
        let column = steps[1].property
        // Every leaf of the column is looked at once, but no value is.
        let cost = Double(target.leafNumbers.upperBound) * 200
        let explanation = " of \(target.name).\(target.schema.properties[column].name)"
        @inline(__always)
        func gathered<Leaf: NumberLeaf>(_: Leaf.Type) -> (any LeafTest)? {
            test(
                {
                    LinkedPropertyNumbers(column: target.gathered(of: column) { GatheredColumn<Leaf>(target, column) })
                }, cost: cost, explanation: explanation)
        }
        switch steps[1].type {
        case .int where steps[1].isColumn: return gathered(PackedIntegers.self)
        case .float where steps[1].isColumn: return gathered(PlainNumbers<Float>.self)
        case .double where steps[1].isColumn: return gathered(PlainNumbers<Double>.self)
        default: return nil
        }
    }

    /// A test whose question needs nothing but the list.
    @inline(__always)
    private static func ready<Question: ListQuestion>(
        _ table: Table, _ list: BoundPath.Step, _ predicate: BoundPredicate, _ question: Question
    ) -> any LeafTest {
        ListTest(table, list.property, predicate, .init(prepare: { question.function }))
    }
}

extension BoundComparison {
    /// The result where a link before the list leads nowhere, so that there are no elements.
    fileprivate func holdsForNothing(_ operand: [Value]) -> Bool {
        guard let aggregate = path.aggregate, let type = path.steps.last?.type else { return quantifier != .any }
        let nothing = AggregateFold(aggregate, over: type).result
        func compare(_ comparator: Comparator, _ constant: Value) -> Bool {
            ValueComparison.holds(nothing, comparator, constant, options)
        }
        switch comparator {
        case .in: return operand.contains { compare(.equal, $0) }
        case .between:
            return operand.count == 2 && compare(.greaterOrEqual, operand[0]) && compare(.lessOrEqual, operand[1])
        default: return operand.first.map { compare(comparator, $0) } ?? false
        }
    }
}
