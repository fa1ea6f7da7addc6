import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewayQuery
import CausewaySeeds
import Testing

@Suite("Queries against a naive reference")
struct QueryTests {
    private static let seeds = SeedList.drawn(for: "store-queries", count: 6)

    @Test("every operator over every type finds what the reference finds", arguments: seeds)
    func everyOperator(seed: UInt64) throws {
        let store = try openInMemory("queries \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        var history = RandomHistory(seed: seed)
        try history.change(transaction, times: 400)
        var predicates = RandomPredicates(numbers: SeededNumbers(seed: seed &+ 1000))
        for number in 0..<80 { try expectSame(transaction, &history, &predicates, "while writing, \(number)") }
        try transaction.commit()
        for number in 0..<200 { try expectSame(transaction, &history, &predicates, "committed, \(number)") }
        try transaction.beginWriting()
        try history.change(transaction, times: 60)
        for number in 0..<80 { try expectSame(transaction, &history, &predicates, "changed, \(number)") }
    }

    private func expectSame(
        _ transaction: Transaction, _ history: inout RandomHistory, _ predicates: inout RandomPredicates, _ when: String
    ) throws {
        let predicate = predicates.predicate(history.reference)
        let expected = history.reference.keys("Everything").filter { key in
            predicate.matches(ReferenceRow(store: history.reference, className: "Everything", key: key))
        }
        let found = try transaction.keys("Everything", matching: predicate)
        let how =
            "seed \(history.seed), \(when), \(predicate), \(transaction.explain("Everything", matching: predicate))"
        #expect(found == expected, "\(how)")
        #expect(try transaction.count("Everything", matching: predicate) == expected.count, "\(how)")
        if let key = found.first { #expect(transaction.matches(key, "Everything", predicate)) }
    }

    @Test("packed leaves of every width agree with plain comparison", arguments: seeds)
    func widths(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let store = try openInMemory("widths \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        let table = try transaction.existing("Everything")
        let bits = [0, 3, 8, 13, 16, 30, 32, 50, 63, 64]
        var values: [Int64?] = []
        for width in bits {
            // One leaf for each width, the last one short.
            for _ in 0..<(width == 64 ? 777 : 1000) {
                let offset = Int64(width) * 1_000_003
                let value: Int64 =
                    width == 64
                    ? Int64(bitPattern: numbers.next())
                    : offset &+ Int64(bitPattern: numbers.next() & ((1 << UInt64(width)) - 1))
                values.append(seed % 2 == 0 && numbers.once(in: 5) ? nil : value)
            }
        }
        for (index, value) in values.enumerated() {
            var row = Models.everything.properties.map { _ in Value.null }
            row[3] = value.map { .int($0) } ?? .null
            _ = try table.create(.int(Int64(index)), row: row)
        }
        try transaction.commit()
        let path = BoundPath(steps: [
            .init(className: "Everything", property: 3, type: .int, collection: .none, target: nil)
        ])
        for _ in 0..<100 {
            let constant = (numbers.one(of: values) ?? 0) &+ Int64(numbers.below(3)) - 1
            let comparator = numbers.one(of: [
                CausewayQuery.Comparator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
            ])
            let predicate = BoundPredicate.comparison(
                .init(
                    quantifier: .implied, path: path, comparator: comparator, options: [],
                    operand: .value(.int(constant))))
            let expected = values.count { value in
                guard let value else { return comparator == .notEqual }
                return switch comparator {
                case .equal: value == constant
                case .notEqual: value != constant
                case .less: value < constant
                case .lessOrEqual: value <= constant
                case .greater: value > constant
                default: value >= constant
                }
            }
            #expect(
                try transaction.count("Everything", matching: predicate) == expected,
                "seed \(seed), \(comparator) \(constant)")
        }
    }

    @Test("sorting by any path is stable and puts null first, or last when descending", arguments: seeds)
    func sorting(seed: UInt64) throws {
        let store = try openInMemory("sorting \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        var history = RandomHistory(seed: seed)
        try history.change(transaction, times: 250)
        let reference = history.reference
        let keys = reference.keys("Everything")
        var predicates = RandomPredicates(numbers: SeededNumbers(seed: seed))
        for _ in 0..<25 {
            let sortKeys = (0..<1 + history.numbers.below(3)).map { _ in
                BoundSortKey(path: predicates.sortPath(), ascending: history.numbers.once(in: 2))
            }
            let found = transaction.sorted(keys, "Everything", by: sortKeys)
            #expect(Set(found) == Set(keys) && found.count == keys.count)
            for (left, right) in zip(found, found.dropFirst()) {
                var order = 0
                for sortKey in sortKeys where order == 0 {
                    order = Self.order(
                        Self.value(left, sortKey.path, reference),
                        Self.value(right, sortKey.path, reference))
                    if !sortKey.ascending { order = -order }
                }
                #expect(order < 0 || (order == 0 && left < right), "seed \(seed), \(sortKeys), \(left), \(right)")
            }
        }
    }

    private static func value(_ key: ObjectKey, _ path: BoundPath, _ reference: ReferenceStore) -> Value {
        var row: ReferenceRow? = ReferenceRow(store: reference, className: "Everything", key: key)
        for (index, step) in path.steps.enumerated() {
            let value = row?.value(of: step.property, in: step.className) ?? .null
            if index == path.steps.count - 1 { return value }
            row = row?.object(at: value, in: step.target ?? "")
        }
        return .null
    }

    private static func order(_ left: Value, _ right: Value) -> Int {
        func rank(_ value: Value) -> Int {
            switch value {
            case .null: 0
            case .double(let value) where value.isNaN: 1
            case .float(let value) where value.isNaN: 1
            default: 2
            }
        }
        if rank(left) != rank(right) || rank(left) < 2 { return rank(left) - rank(right) }
        if case (.bool(let left), .bool(let right)) = (left, right) { return (left ? 1 : 0) - (right ? 1 : 0) }
        if ValueComparison.holds(left, .less, right, []) { return -1 }
        return ValueComparison.holds(right, .less, left, []) ? 1 : 0
    }
}
