import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayModel
import CausewayPostgreSQL
import CausewayPrograms
import CausewaySeeds
import Synchronization
import Testing

@Suite("Records that nodes share", .serialized)
struct RecordsTests {
    private struct Mistake: Error {}

    private typealias Content = [ExactString: [[UInt8]: [UInt8]]]

    /// Two of them are equal as texts.
    private static let trees: [ExactString] = ["a", "b", "e\u{301}", "\u{e9}"]

    private func content(_ rows: RecordRows) throws -> Content {
        var content: Content = [:]
        for tree in Self.trees {
            for key in try rows.keys(in: tree.string, from: [], upTo: nil, countMax: .max) {
                content[tree, default: [:]][key] = try rows.get(key, in: tree.string)
            }
        }
        return content
    }

    @Test("random transactions of two nodes, some taken back, are what a dictionary says")
    func random() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededNumbers(seed: seed)
        let bench = try JournalBench()
        let nodes = [PostgreSQLRecords(of: "fleet", bench.settings), PostgreSQLRecords(of: "fleet", bench.settings)]
        let neighbour = PostgreSQLRecords(of: "flee", bench.settings)
        try neighbour.write { try $0.put([1], [2], in: "a") }
        func key() -> [UInt8] { (0..<random.below(4)).map { _ in random.one(of: [0, 1, 92, 255]) } }
        var expected: Content = [:]
        for _ in 0..<150 {
            var changed = expected
            let isTakenBack = random.once(in: 4)
            do {
                try random.one(of: nodes).write { rows in
                    for _ in 0..<random.below(6) {
                        let (tree, key) = (random.one(of: Self.trees), key())
                        switch random.below(3) {
                        case 0:
                            try rows.remove(key, in: tree.string)
                            changed[tree, default: [:]][key] = nil
                        case 1:
                            let value = (0..<random.below(3_000)).map { _ in UInt8(random.below(256)) }
                            try rows.put(value, key, in: tree.string)
                            changed[tree, default: [:]][key] = value
                        default:
                            #expect(try rows.get(key, in: tree.string) == changed[tree]?[key])
                            let several = [key, [9, 9], key]
                            #expect(
                                try rows.values(of: several, in: tree.string)
                                    == [changed[tree]?[key], nil, changed[tree]?[key]])
                            let (end, count) = (random.once(in: 2) ? self.key(after: key) : nil, 1 + random.below(5))
                            let keys = try rows.keys(in: tree.string, from: key, upTo: end, countMax: count)
                            let all = (changed[tree] ?? [:]).keys.sorted { $0.lexicographicallyPrecedes($1) }
                            let found = all.filter { other in
                                !other.lexicographicallyPrecedes(key)
                                    && end.map(other.lexicographicallyPrecedes) ?? true
                            }
                            #expect(keys == Array(found.prefix(count)), "seed \(seed)")
                        }
                    }
                    if isTakenBack { throw Mistake() }
                }
                expected = changed
            } catch is Mistake {}
        }
        for node in nodes {
            let found = try node.read { try content($0) }
            #expect(found.filter { !$0.value.isEmpty } == expected.filter { !$0.value.isEmpty }, "seed \(seed)")
        }
        #expect(try neighbour.read { try content($0) } == ["a": [[2]: [1]]])
    }

    private func key(after key: [UInt8]) -> [UInt8] { key + [1] }

    @Test("who writes is alone: no addition of many is lost, whatever the operator's default isolation is")
    func alone() async throws {
        let bench = try JournalBench()
        _ = try bench.server.query("ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'")
        let settings = bench.settings
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let node = PostgreSQLRecords(of: "fleet", settings)
                    for _ in 0..<25 {
                        try node.write { rows in
                            let number = try rows.get([1], in: "a")?.first ?? 0
                            try rows.put([number + 1], [1], in: "a")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try PostgreSQLRecords(of: "fleet", settings).read { try $0.get([1], in: "a") } == [100])
        withExtendedLifetime(bench) {}
    }

    @Test("one of several nodes holds a lease; another takes it when it is released, or when it was not renewed")
    func lease() throws {
        let bench = try JournalBench()
        let (first, second, other) = (
            NodeLease(of: "fleet", for: "carry", holder: "a", bench.settings),
            NodeLease(of: "fleet", for: "carry", holder: "b", bench.settings),
            NodeLease(of: "flee", for: "carry", holder: "b", bench.settings)
        )
        #expect(!first.isHeld)
        #expect(try first.renew() && first.renew() && first.isHeld)
        #expect(try !second.renew() && !second.isHeld)
        #expect(try other.renew())
        // Of another's, nothing is released.
        try second.release()
        #expect(try !second.renew())
        try first.release()
        #expect(try !first.isHeld && second.renew() && !first.renew())
        _ = try bench.server.query("UPDATE causeway.lease SET ends = now() - interval '1 second' WHERE name = 'fleet'")
        #expect(try first.renew() && !second.renew())
        bench.server.kill()
        #expect(throws: JournalFailure.self) { try first.renew() }
        // It goes on until its own clock says that the lease ends.
        #expect(first.isHeld)
    }

    @Test("while PostgreSQL is away a call says so, and the next one connects again")
    func away() throws {
        let bench = try JournalBench()
        let records = PostgreSQLRecords(of: "fleet", bench.settings)
        try records.write { try $0.put([1], [2], in: "a") }
        bench.server.kill()
        #expect { try records.read { try $0.get([2], in: "a") } } throws: { ($0 as? JournalFailure)?.code == .away }
        try bench.server.start()
        #expect(try records.read { try $0.get([2], in: "a") } == [1])
        #expect(throws: JournalFailure.self) {
            try records.write { rows in
                try rows.put([9], [2], in: "a")
                bench.server.kill()
            }
        }
        try bench.server.start()
        #expect(try records.read { try $0.get([2], in: "a") } == [1])
    }

    @Test("tables of version 1 are brought up to date, once; later ones are left alone")
    func update() throws {
        let bench = try JournalBench()
        _ = try bench.journal("fleet").append([1])
        _ = try bench.server.query("DROP TABLE causeway.account, causeway.lease, causeway.node")
        _ = try bench.server.query("ALTER TABLE causeway.version DROP COLUMN oldest")
        _ = try bench.server.query("UPDATE causeway.version SET number = 1")
        #expect(throws: JournalFailure.self) { try bench.journal("fleet").head() }
        #expect(try JournalTables.make(PostgreSQLConnection(bench.server.connection)) == .updated(from: 1))
        #expect(try JournalTables.make(PostgreSQLConnection(bench.server.connection)) == .unchanged)
        #expect(try bench.journal("fleet").head().position == 1)
        try PostgreSQLRecords(of: "fleet", bench.settings).write { try $0.put([1], [2], in: "a") }
        // Later ones that this program can use: nodes are updated one after the other, after the tables.
        _ = try bench.server.query("UPDATE causeway.version SET number = 99")
        #expect(try bench.journal("fleet").head().position == 1)
        _ = try bench.server.query("UPDATE causeway.version SET oldest = 98")
        #expect(throws: JournalFailure.self) { try bench.journal("fleet").head() }
        #expect { try JournalTables.make(PostgreSQLConnection(bench.server.connection)) } throws: {
            ($0 as? PostgreSQLFailure)?.message.contains("99") ?? false
        }
    }
}
