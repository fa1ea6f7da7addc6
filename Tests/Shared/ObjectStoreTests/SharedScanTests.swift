import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewayQuery
import CausewaySeeds
import CausewayStorage
import Synchronization
import Testing

@Suite("Scans on two threads")
struct SharedScanTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Row",
            properties: [
                Property(name: "number", type: .int), Property(name: "text", type: .string),
                Property(name: "next", type: .object, isOptional: true, target: "Row"),
            ])
    ])

    private func step(_ column: Int, _ type: PropertyType, _ target: String? = nil) -> BoundPath.Step {
        .init(className: "Row", property: column, type: type, collection: .none, target: target)
    }

    private func comparison(
        _ steps: [BoundPath.Step], _ comparator: CausewayQuery.Comparator, _ value: Value
    ) -> BoundPredicate {
        .comparison(
            BoundComparison(
                quantifier: .implied, path: BoundPath(steps: steps), comparator: comparator, options: [],
                operand: .value(value)))
    }

    private var predicates: [BoundPredicate] {
        [
            comparison([step(0, .int)], .less, .int(3)),
            comparison([step(1, .string)], .contains, .string("a")),
            comparison([step(2, .object, "Row"), step(0, .int)], .equal, .int(1)),
            .or([
                .and([
                    comparison([step(0, .int)], .greater, .int(6)),
                    comparison([step(1, .string)], .like, .string("*1")),
                ]),
                comparison([step(1, .string)], .equal, .string("2a")),
            ]),
            .constant(true),
        ]
    }

    @Test("find what scans on one thread find", arguments: [0, 1, 999, 1000, 1001, 2500, 16_000, 17_001, 40_500])
    func sizes(rows: Int) throws {
        let store = try openInMemory("shared scan \(rows)")
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        let table = try transaction.existing("Row")
        var numbers = SeededNumbers(seed: UInt64(rows))
        let first = rows == 0 ? nil : try table.create(nil, row: [.int(1), .string("1a"), .null])
        for _ in 1..<max(rows, 1) {
            let number = numbers.below(10)
            let next = numbers.once(in: 3) ? first.map { Value.object($0) } ?? .null : .null
            _ = try table.create(
                nil, row: [.int(Int64(number)), .string("\(number)\(numbers.one(of: ["a", "b", "1"]))"), next])
        }
        try transaction.commit()
        for round in 0..<3 {
            for predicate in predicates {
                transaction.leastSharedScanCost = .infinity
                let keys = try transaction.keys("Row", matching: predicate)
                transaction.leastSharedScanCost = 0
                #expect(try transaction.keys("Row", matching: predicate) == keys, "round \(round), \(predicate)")
                #expect(try transaction.count("Row", matching: predicate) == keys.count)
            }
            // The helper comes along to the next version.
            try transaction.beginWriting()
            for key in table.allKeys where numbers.once(in: 5) { table.delete(key, leavingGhost: false) }
            try transaction.commit()
        }
    }

    private final class Writing: Sendable {
        let isOver = Atomic(false)
    }

    @Test("see one version each while another thread commits")
    func whileCommitting() async throws {
        let store = try openInMemory("shared scan, commits")
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        let table = try transaction.existing("Row")
        // Every version has as many rows with 1 as its number says.
        for row in 0..<20_000 { _ = try table.create(nil, row: [.int(row < 100 ? 1 : 2), .string("a"), .null]) }
        try transaction.commit()
        let base = transaction.version
        let isOne = comparison([step(0, .int)], .equal, .int(1))
        let writing = Writing()
        try await withThrowingTaskGroup { group in
            group.addTask {
                let writer = try store.read()
                for round in 0..<200 {
                    try writer.beginWriting()
                    let table = try writer.existing("Row")
                    table.set(table.allKeys[100 + round * 37], 0, .int(1))
                    try writer.commit(.relaxed)
                }
                writing.isOver.store(true, ordering: .releasing)
            }
            group.addTask {
                let reader = try store.read()
                reader.leastSharedScanCost = 0
                while true {
                    let isLast = writing.isOver.load(ordering: .acquiring)
                    try reader.advance()
                    let count = try reader.count("Row", matching: isOne)
                    #expect(count == 100 + Int(reader.version - base), "version \(reader.version)")
                    #expect(try reader.keys("Row", matching: isOne).count == count)
                    if isLast { break }
                }
            }
            try await group.waitForAll()
        }
        // A helper that nobody waited for may hold its snapshot a little longer.
        transaction.end()
        var waits = 0
        while waits < 500, try store.statistics().oldestSnapshot.map({ $0.commitsBehind > 0 }) ?? false {
            try await Task.sleep(for: .milliseconds(10))
            waits += 1
        }
        #expect(waits < 500, "old snapshots are let go")
    }

    @Test("nobody waits for a helper that is slow, and nothing is found twice", arguments: [1, 2, 15, 16, 33, 500])
    func slowHelper(leafCount: Int) {
        for delay in [0, 20, 3000] {
            let outcome = SharedScan.run(
                leafCount: leafCount, startingWith: [Int](),
                on: { leaves, found in
                    for leaf in leaves { found.append(Self.slowly(leaf, delay: 10)) }
                },
                helper: {
                    { leaves, found in
                        for leaf in leaves { found.append(Self.slowly(leaf, delay: delay)) }
                    }
                })
            #expect(outcome.pieces.flatMap { $0 } == Array(0..<leafCount), "delay \(delay)")
            #expect(outcome.failure == nil)
        }
    }

    @Test("what a helper cannot read is known afterwards")
    func failingHelper() throws {
        let failure = StoreError(.damaged, "A page of the test.", path: "test")
        var wasHelped = false
        for _ in 0..<50 where !wasHelped {
            let outcome = SharedScan.run(
                leafCount: 64, startingWith: 0,
                on: { leaves, found in
                    for leaf in leaves { found += Self.slowly(leaf, delay: 50) }
                },
                helper: {
                    { leaves, found throws(StoreError) in
                        for leaf in leaves { found += Self.slowly(leaf, delay: 0) }
                        throw failure
                    }
                })
            wasHelped = outcome.pieces.count > 1 && !outcome.isHelperAtWork
            if wasHelped { #expect(outcome.failure?.code == .damaged) }
        }
        #expect(wasHelped)
    }

    private static func slowly(_ leaf: Int, delay microseconds: Int) -> Int {
        let clock = ContinuousClock()
        let end = clock.now + .microseconds(microseconds)
        while clock.now < end {}
        return leaf
    }
}
