import CausewayFolders
import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayModel
import CausewayOperations
import CausewayPrograms
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Foundation
import Testing

/// Nodes of one process on a real PostgreSQL. `StoreReplicatedTests` are those on a journal in memory.
@Suite("Nodes on PostgreSQL", .serialized)
struct NodeTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Dog",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "name", type: .string),
            ])
    ])

    private struct Node {
        let replica: StoreEmbedded
        let record: StoreReplicated

        func write(_ client: UInt64, _ id: Int64) throws -> CommitOutcome {
            let client = ClientID(client)
            let known = try record.register(client, user: "user")
            let changeset = Changeset(
                client: client, sequence: known.committed + 1, stamp: Stamp(time: UInt64(id) << 16, client: client),
                base: record.version,
                operations: [
                    .create(
                        ObjectReference("Dog", .int(id)), life: 1, fields: [FieldValue("name", .string("\(id)"))])
                ])
            return try record.commit(
                [UploadBatch(client: client, user: "user", changesets: [changeset])], receivedAt: UInt64(id))[0]
        }
    }

    private func node(_ bench: JournalBench, _ folder: String) throws -> Node {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let journal = try bench.journal("fleet")
        let replica = try StoreEmbedded.openReplica(folder: folder, of: journal.database)
        let record = try StoreReplicated(
            replica, following: journal, options: StoreReplicated.Options(digestEvery: 8))
        try record.begin(with: StoreEmbedded.Options().settings)
        try record.extendSchema(Self.schema)
        return Node(replica: replica, record: record)
    }

    @Test("two nodes write in turn while PostgreSQL is killed and comes back; both have the same state")
    func killed() throws {
        let (bench, folder) = (try JournalBench(), try TemporaryFolder())
        let nodes = [try node(bench, folder.file("a")), try node(bench, folder.file("b"))]
        var acknowledged: [Int64] = []
        var (id, refused) = (Int64(0), 0)
        for round in 0..<4 {
            for _ in 0..<10 {
                id += 1
                let outcome = try nodes[Int(id) % 2].write(UInt64(1 + id % 2), id)
                #expect(outcome.failure == nil)
                acknowledged.append(id)
            }
            guard round < 3 else { break }
            bench.server.kill()
            do {
                id += 1
                _ = try nodes[Int(id) % 2].write(UInt64(1 + id % 2), id)
            } catch let failure as StoreFailure {
                #expect(failure.code == .busy && failure.message.contains("journal"), "\(failure)")
                refused += 1
            }
            // What it has it still shows.
            #expect(try nodes[0].record.snapshot().schema["Dog"] != nil)
            try bench.server.start()
        }
        #expect(refused == 3)
        for node in nodes { try node.record.catchUp() }
        #expect(Set(try nodes.map { try $0.replica.digest() }).count == 1)
        for node in nodes {
            let snapshot = try node.record.snapshot()
            let dogs = try #require(snapshot.classNumber("Dog"))
            for id in acknowledged { #expect(snapshot.row(ObjectName(dogs, .int(id))) != nil, "object \(id)") }
        }
    }

    @Test("a PostgreSQL that goes back in time ends the replicas that are ahead; an older one goes on")
    func lostTail() throws {
        let (bench, folder) = (try JournalBench(), try TemporaryFolder())
        let (ahead, behind) = (try node(bench, folder.file("a")), try node(bench, folder.file("b")))
        _ = try ahead.write(1, 1)
        try behind.record.catchUp()
        let saved = try bench.server.query(
            "SELECT position || '|' || encode(chain, 'hex') FROM causeway.head")[0].split(separator: "|")
        _ = try ahead.write(1, 2)
        _ = try bench.server.query("DELETE FROM causeway.journal WHERE position > \(saved[0])")
        _ = try bench.server.query(
            "UPDATE causeway.head SET position = \(saved[0]), chain = decode('\(saved[1])', 'hex')")
        bench.server.kill()
        try bench.server.start()
        #expect(throws: StoreFailure.self) { try ahead.record.catchUp() }
        #expect(ahead.record.end?.remedy == .beginAgain)
        #expect(try behind.write(2, 3).failure == nil)
        #expect(behind.record.end == nil)
    }
}
