import CausewayModel
import CausewayObjectStoreReference
import CausewaySeeds
import CausewayQuery
import Testing

@testable import CausewayObjectStore

@Suite("Entrances of queries")
struct EntranceTests {
    private static let seeds = SeedList.drawn(for: "entrances", count: 6)

    @Test("what indexes, primary keys and backlinks answer is what the reference finds", arguments: seeds)
    func entrances(seed: UInt64) throws {
        let store = try openInMemory("entrances \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        var history = RandomHistory(seed: seed)
        try history.change(transaction, times: 300)
        var predicates = RandomPredicates(numbers: SeededNumbers(seed: seed &+ 2000))
        for number in 0..<150 { try expectSame(transaction, &history, &predicates, "while writing, \(number)") }
        try transaction.commit()
        for number in 0..<250 { try expectSame(transaction, &history, &predicates, "committed, \(number)") }
        try transaction.beginWriting()
        try history.change(transaction, times: 60)
        for number in 0..<100 { try expectSame(transaction, &history, &predicates, "changed, \(number)") }
    }

    @Test("an AND of thousands of bounds is planned by the two that make a range", .timeLimit(.minutes(1)))
    func manyBounds() throws {
        let store = try openInMemory("many bounds")
        let transaction = try store.write()
        try transaction.extendSchema(
            Schema([
                ClassSchema(
                    name: "Thing",
                    properties: [
                        Property(name: "_id", type: .int, isPrimaryKey: true),
                        Property(name: "size", type: .int, isIndexed: true),
                    ])
            ]))
        let table = try transaction.existing("Thing")
        for number in 0..<20_000 as Range<Int64> {
            _ = try table.create(.int(number), row: [.int(number), .int(number)])
        }
        try transaction.commit()
        func bound(_ comparator: CausewayQuery.Comparator, _ value: Int64) -> BoundPredicate {
            let step = BoundPath.Step(
                className: "Thing", property: 1, type: .int, collection: .none, target: nil)
            return .comparison(
                BoundComparison(
                    quantifier: .implied, path: BoundPath(steps: [step]), comparator: comparator, options: [],
                    operand: .value(.int(value))))
        }
        let parts = [bound(.greater, 10_000)] + (0..<20_000).map { bound(.greater, -$0) } + [bound(.less, 10_010)]
        let plan = QueryPlan(try transaction.existing("Thing"), .and(parts))
        #expect(plan.entrance?.rowCount == 9)
        #expect(plan.keys().count == 9)
    }

    /// Random predicates as they are, with the ones an index may serve among them more often, and no scan allowed where
    /// there is any entrance.
    private func expectSame(
        _ transaction: Transaction, _ history: inout RandomHistory, _ predicates: inout RandomPredicates, _ when: String
    ) throws {
        var predicate = served(&predicates.numbers, history.reference)
        if predicates.numbers.once(in: 3) {
            let other =
                predicates.numbers.once(in: 2)
                ? predicates.predicate(history.reference)
                : served(
                    &predicates.numbers, history.reference)
            predicate = predicates.numbers.once(in: 2) ? .and([predicate, other]) : .or([predicate, other])
        }
        let expected = history.reference.keys("Everything").filter { key in
            predicate.matches(ReferenceRow(store: history.reference, className: "Everything", key: key))
        }
        let few = ObjectKey(5)...ObjectKey(Int64(5 + predicates.numbers.below(3_000)))
        #expect(
            try transaction.keys("Everything", matching: predicate, in: few) == expected.filter(few.contains),
            "seed \(history.seed), \(when), \(predicate)")
        let plan = QueryPlan(try transaction.existing("Everything"), predicate, scanCost: .infinity)
        let how = "seed \(history.seed), \(when), \(predicate), \(plan.explanation)"
        #expect(plan.keys() == expected, "\(how)")
        #expect(plan.count() == expected.count, "\(how)")
        #expect(try transaction.count("Everything", matching: predicate) == expected.count, "\(how)")
    }

    private func served(_ numbers: inout SeededNumbers, _ reference: ReferenceStore) -> BoundPredicate {
        let column = numbers.one(of: [0, 0, 1, 3, 3, 7, 7, 10, 12, 15, 16])
        let property = Models.everything.properties[column]
        var path = BoundPath(steps: [
            .init(
                className: "Everything", property: column, type: property.type, collection: .none,
                target: property.target)
        ])
        var type = property.type
        if let target = property.target {
            let other = numbers.one(
                of:
                    target == "Tag" ? [(0, PropertyType.string)] : [(0, .int), (3, .int), (7, .string), (7, .string)])
            path.steps.append(
                .init(className: target, property: other.0, type: other.1, collection: .none, target: nil))
            type = other.1
        }
        func value() -> Value {
            type == .string && property.target == "Tag"
                ? .string("tag \(numbers.below(12))") : RandomValues.value(of: type, &numbers)
        }
        var comparator = numbers.one(of: [Comparator.equal, .in, .less, .lessOrEqual, .greater, .greaterOrEqual])
        if type == .string, numbers.once(in: 3) { comparator = .beginsWith }
        if type == .bool { comparator = .equal }
        var operand = Operand.value(value())
        if comparator == .in { operand = .values([value(), value(), value()]) }
        if comparator == .equal, property.isOptional, property.target == nil, numbers.once(in: 6) {
            operand = .value(.null)
        }
        return .comparison(
            BoundComparison(quantifier: .implied, path: path, comparator: comparator, options: [], operand: operand))
    }

    @Test("the plan names its way in")
    func explanations() throws {
        let store = try openInMemory("explanations")
        let transaction = try store.write()
        try transaction.extendSchema(
            Schema([
                ClassSchema(
                    name: "Dog",
                    properties: [
                        Property(name: "id", type: .int, isPrimaryKey: true),
                        Property(name: "breed", type: .string, isIndexed: true),
                        Property(name: "age", type: .int),
                        Property(name: "owner", type: .object, isOptional: true, target: "Person"),
                    ]),
                ClassSchema(name: "Person", properties: [Property(name: "name", type: .string, isPrimaryKey: true)]),
            ]))
        let dogs = try transaction.existing("Dog")
        let persons = try transaction.existing("Person")
        for number in 0..<200 { _ = try persons.create(.string("person \(number)")) }
        for number in 0..<10_000 {
            let row: [Value] = [
                .null, .string("breed \(number % 50)"), .int(Int64(number % 20)),
                .object(ObjectKey(Int64(number % 200))),
            ]
            _ = try dogs.create(.int(Int64(number)), row: row)
        }
        try transaction.commit()
        let plans = [
            ("breed == 'breed 7'", "index on Dog.breed", 200),
            ("breed == 'breed 7' AND age > 10", "index on Dog.breed, then scan Dog.age", 100),
            ("breed IN {'breed 7', 'breed 8'}", "index on Dog.breed", 400),
            ("breed == 'breed 7' OR breed BEGINSWITH 'breed 8'", "index on Dog.breed or index on Dog.breed", 400),
            ("breed >= 'breed 9' AND breed < 'breed 91'", "index on Dog.breed", 200),
            ("id == 77", "primary key of Dog", 1), ("id BETWEEN {100, 199}", "primary key of Dog", 100),
            ("owner.name == 'person 5'", "through Dog.owner backwards", 50), ("age == 3", "scan Dog.age", 500),
        ]
        for (text, explanation, count) in plans {
            let predicate = try Predicate.parse(text).bound(to: "Dog", in: transaction.schema)
            #expect(transaction.explain("Dog", matching: predicate) == explanation, "\(text)")
            #expect(try transaction.count("Dog", matching: predicate) == count, "\(text)")
            #expect(try transaction.keys("Dog", matching: predicate).count == count, "\(text)")
        }
    }
}
