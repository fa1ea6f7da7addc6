import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayStore
import Testing

@testable import CausewayObjectStore
@testable import CausewayStoreEmbedded

/// What is kept of the objects of users is compared with what the stamps of each row say.
@Suite("The numbers of objects of users")
struct CreatorCountTests {
    private static let seeds = SeedList.drawn(for: "creators", count: 15)

    /// Clients 1 and 2 are of one user, as `Record` registers them.
    private static let users: [ClientID: String] = [
        Record.ann: "user", Record.bob: "user", ClientID(3): "cid", ClientID(4): "dan", ClientID(5): "dan",
    ]
    private static let clients = users.keys.sorted { $0.rawValue < $1.rawValue }

    /// Row by row, and not by runs as the record counts.
    private func expected(_ transaction: Transaction) throws -> [String: Int] {
        let numbers = RecordCatalog.numbers(in: transaction)
        var counts: [String: Int] = [:]
        for table in transaction.tables where table.schema.kind == .object {
            let number = try #require(numbers[table.schema.name])
            var keys: [ObjectKey] = []
            table.forEachKey { key in
                keys.append(key)
                return true
            }
            for key in keys {
                let creator = try ObjectStamps.load(number, key, in: transaction).born.client
                counts[try #require(Self.users[creator]), default: 0] += 1
            }
        }
        return counts
    }

    private func kept(_ transaction: Transaction) -> [String: Int] {
        var counts: [String: Int] = [:]
        CreatorTree(in: transaction).forEach { counts[$0] = $1 }
        return counts
    }

    private func check(_ record: Record, _ seed: UInt64, _ step: Int) throws {
        var (kept, expected): ([String: Int], Result<[String: Int], any Error>) = ([:], .success([:]))
        try record.change { transaction in
            kept = self.kept(transaction)
            expected = Result { try self.expected(transaction) }
        }
        #expect(try kept == expected.get(), "seed \(seed), step \(step)")
    }

    private func operations(_ drawing: inout Drawing) -> [Operation] {
        var operations: [Operation] = []
        for _ in 0..<drawing.below(3) {
            let (first, life) = (Int64(drawing.below(40)), drawing.pick([1, 1, 1, 1, 3, 5] as [UInt32]))
            for id in first..<first + Int64(drawing.below(12)) {
                operations.append(create(dog(id), life: life, ("name", .string("dog \(id % 3)"))))
            }
        }
        for _ in 0..<drawing.below(5) {
            let target = drawing.below(4) == 0 ? ObjectReference("Box", .int(1)) : dog(Int64(drawing.below(40)))
            operations.append(
                drawing.below(3) == 0 ? create(target) : .delete(target, life: drawing.pick([2, 2, 2, 4, 6])))
        }
        for _ in 0..<drawing.below(6) {
            let operation = drawing.operation()
            switch operation {
            case .create(_, let life, _), .delete(_, let life):
                if life <= Operation.lifeMax { operations.append(operation) }
            default: operations.append(operation)
            }
        }
        return operations
    }

    /// Stale bases and stamps, so that a create is joined that is older than the one which made the object.
    private func batch(_ record: Record, _ drawing: inout Drawing, of client: ClientID) throws -> UploadBatch {
        let changesets = try (0..<1 + drawing.below(3)).map { _ in
            let base = drawing.below(3) == 0 ? UInt64(drawing.below(Int(record.store.version.rawValue) + 1)) : nil
            let stamp = drawing.below(3) == 0 ? UInt64(drawing.below(Int(record.time) + 10)) : nil
            let changeset = record.changeset(client, base: base, at: stamp, operations(&drawing))
            return try Changeset.decode(Changeset.encode([changeset]))[0]
        }
        return UploadBatch(client: client, user: try #require(Self.users[client]), changesets: changesets)
    }

    @Test("whatever happens, they are those of the rows")
    func random() throws {
        var counted = 0
        for seed in Self.seeds {
            var drawing = Drawing(seed: seed)
            let record = try Record("creators \(seed)", options: StoreEmbedded.Options(historyVersionsMax: 20))
            for client in Self.clients {
                _ = try record.backend.register(client, user: try #require(Self.users[client]))
            }
            for step in 0..<30 as Range<Int> {
                record.time += UInt64(drawing.below(1_000))
                switch drawing.below(16) {
                case 0: _ = try record.store.forget(drawing.pick(Self.clients))
                case 1: _ = try record.store.maintain(at: record.time)
                case 2 where drawing.below(4) == 0:
                    try record.store.drop(drawing.pick(["Dog", "Box"]))
                    try record.backend.extendSchema(Record.schema)
                default:
                    let clients = drawing.below(2) == 0 ? [drawing.pick(Self.clients)] : Self.clients
                    let batches = try clients.map { try batch(record, &drawing, of: $0) }
                    _ = try record.backend.commit(batches, receivedAt: record.time)
                }
                try check(record, seed, step)
            }
            #expect(try record.problems() == [], "seed \(seed)")
            counted += try record.store.objectsOfUsers(after: nil, countMax: 10).users.count
        }
        #expect(counted > Self.seeds.count)
    }

    private func sample(_ name: String = #function) throws -> Record {
        let record = try Record(name)
        _ = try record.backend.register(ClientID(3), user: "cid")
        try record.commit(Record.ann, record.changeset(Record.ann, (1...9).map { create(dog($0)) }))
        record.time += 1
        let changeset = record.changeset(ClientID(3), [create(dog(20)), .delete(dog(5), life: 2)])
        _ = try record.backend.commit(
            [UploadBatch(client: ClientID(3), user: "cid", changesets: [changeset])], receivedAt: record.time)
        // Stamps of its own, within the run of the others.
        try record.write(Record.bob, set(dog(4), "name", .string("rex")))
        return record
    }

    @Test(
        "a record of an earlier build is counted when it is opened, to the same bytes, and verified without the numbers"
    )
    func earlier() throws {
        let record = try sample()
        try record.change { transaction in
            transaction.tree(Layout.creators).removeRange()
            transaction.tree(Layout.meta).remove(Array("counted".utf8))
        }
        #expect(try record.problems() == [])
        let store = try record.reopen()
        #expect(try store.objects(of: "user") == 8)
        #expect(try store.objects(of: "cid") == 1)
        #expect(try record.problems() == [])
        try check(record, 0, 0)
    }

    @Test("what an earlier build writes to a record that was counted is counted at the next opening")
    func backAndForth() throws {
        let record = try sample()
        try record.change { transaction in
            // It knows no numbers: they stay, and are wrong.
            CreatorTree(in: transaction).add([ExactString("user"): 70])
            transaction.tree(Layout.meta).put(Array("counted".utf8), Layout.bytes(UInt64(1)))
        }
        #expect(try record.reopen().objects(of: "user") == 8)
        #expect(try record.problems() == [])
    }

    private static func problem(_ user: String, counted: Int, created: Int) -> String {
        "Of user '\(user)' \(counted) objects are counted, and clients of the user created \(created) that exist."
    }

    @Test("verify finds numbers that are wrong, and of users without objects", arguments: [-1, 1, -8])
    func falsified(change: Int) throws {
        let record = try sample()
        try record.change { CreatorTree(in: $0).add([ExactString("user"): change]) }
        #expect(try record.problems() == [Self.problem("user", counted: 8 + change, created: 8)])
    }

    @Test("verify finds a user that no client is of")
    func unknown() throws {
        let record = try sample()
        try record.change { CreatorTree(in: $0).add([ExactString("nobody"): 3]) }
        #expect(try record.problems() == [Self.problem("nobody", counted: 3, created: 0)])
    }
}
