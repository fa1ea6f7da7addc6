import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Dispatch
import Testing

@Suite("Committing uploads", .everyBackend)
struct CommitTests {
    @Test("an upload is applied once, and sent again it is answered the same")
    func once() throws {
        let record = try Record()
        let changeset = record.changeset(Record.ann, [create(dog(1), ("name", .string("Rex")))])
        let first = try record.commit(Record.ann, changeset)
        #expect(first.committed == 1 && first.version == ServerVersion(1) && first.failure == nil)
        try record.write(Record.bob, set(dog(1), "name", .string("Max")))
        let again = try record.commit(Record.ann, changeset)
        #expect(again.committed == 1 && again.failure == nil)
        #expect(record.store.version == ServerVersion(2))
        #expect(try record.dog(1)?["name"] == .string("Max"))
    }

    @Test("a batch that begins with what is known applies the rest")
    func overlap() throws {
        let record = try Record()
        let one = record.changeset(Record.ann, [create(dog(1))])
        let two = record.changeset(Record.ann, [create(dog(2))])
        try record.commit(Record.ann, one)
        let outcome = try record.commit(Record.ann, one, two)
        #expect(outcome.committed == 2 && outcome.version == ServerVersion(2) && outcome.failure == nil)
    }

    @Test("a gap in the sequence is refused, and what came before it stays")
    func gap() throws {
        let record = try Record()
        let one = record.changeset(Record.ann, [create(dog(1))])
        _ = record.changeset(Record.ann, [create(dog(2))])
        let three = record.changeset(Record.ann, [create(dog(3))])
        let outcome = try record.commit(Record.ann, one, three)
        #expect(outcome.committed == 1)
        #expect(outcome.failure?.code == .sequenceGap)
        #expect(outcome.failure?.message.contains("from 2 on") == true)
        #expect(try record.dog(3) == nil)
    }

    @Test("batches of several clients commit together, each as a version of its own")
    func group() throws {
        let record = try Record()
        let batches = [Record.ann, Record.bob, Record.ann].map { client in
            UploadBatch(
                client: client, user: "user",
                changesets: [record.changeset(client, [create(dog(Int64(client.rawValue)))])])
        }
        let outcomes = try record.backend.commit(batches, receivedAt: 5)
        #expect(outcomes.map(\.committed) == [1, 1, 2])
        #expect(outcomes.map(\.version.rawValue) == [1, 2, 3])
    }

    @Test("the newest version never goes back, whoever commits beside whom: else who was woken sleeps again")
    func newestNeverGoesBack() throws {
        let record = try Record()
        let (store, backend) = (record.store, record.backend)
        // What a large commit clears away behind it takes as long as a small one.
        let uploads = [(Record.ann, 20, 1_000), (Record.bob, 1_000, 1)].map { client, commits, creates in
            (0..<commits).map { number in
                let ids = (0..<creates).map { Int64((number * creates + $0) * 2) + Int64(client.rawValue) }
                let changeset = record.changeset(client, ids.map { create(dog($0)) })
                return UploadBatch(client: client, user: "user", changesets: [changeset])
            }
        }
        // Each on a thread of its own: tasks would share two of them, and one would wait for another's end.
        for batches in uploads {
            DispatchQueue(label: "writer").async {
                for batch in batches { _ = try? backend.commit([batch], receivedAt: 5) }
            }
        }
        let end = ContinuousClock.now + .seconds(60)
        var (newest, stepsBack) = (store.version, 0)
        while newest < ServerVersion(1_020), ContinuousClock.now < end {
            let now = store.version
            if now < newest { stepsBack += 1 }
            newest = max(newest, now)
        }
        #expect(stepsBack == 0)
        #expect(newest == ServerVersion(1_020))
    }

    @Test("a batch that is refused costs the others nothing")
    func groupWithFailure() throws {
        let record = try Record()
        let bad = UploadBatch(
            client: Record.ann, user: "user",
            changesets: [
                Changeset(
                    client: Record.ann, sequence: 2, stamp: .zero, base: .zero, operations: [create(dog(1))])
            ])
        let good = UploadBatch(
            client: Record.bob, user: "user", changesets: [record.changeset(Record.bob, [create(dog(2))])])
        let outcomes = try record.backend.commit([bad, good], receivedAt: 5)
        #expect(outcomes[0].failure?.code == .sequenceGap)
        #expect(outcomes[1].committed == 1 && outcomes[1].version == ServerVersion(1) && outcomes[1].failure == nil)
    }

    @Test("a client belongs to one user")
    func users() throws {
        let record = try Record()
        #expect(throws: StoreFailure.self) { try record.backend.register(Record.ann, user: "eve") }
        let outcome = try record.backend.commit(
            [
                UploadBatch(
                    client: Record.ann, user: "eve", changesets: [record.changeset(Record.ann, [create(dog(1))])])
            ], receivedAt: 5)[0]
        #expect(outcome.failure?.code == .permissionDenied)
        #expect(try record.dog(1) == nil)
    }

    @Test("a client that never said hello is told to")
    func unknownClient() throws {
        let record = try Record()
        let stranger = ClientID(77)
        let outcome = try record.backend.commit(
            [
                UploadBatch(
                    client: stranger, user: "user", changesets: [record.changeset(stranger, [create(dog(1))])])
            ], receivedAt: 5)[0]
        #expect(outcome.failure?.code == .sequenceGap)
    }

    @Test("opened again, the record knows its epoch, its version and its clients")
    func reopened() throws {
        let record = try Record()
        let changeset = record.changeset(Record.ann, [create(dog(1), ("name", .string("Rex")))])
        try record.commit(Record.ann, changeset)
        let again = try record.reopened()
        #expect(again.epoch == 7)
        #expect(again.version == ServerVersion(1))
        #expect(try again.register(Record.ann, user: "user") == ClientRecord(committed: 1, ingested: 0))
        let outcome = try again.commit(
            [UploadBatch(client: Record.ann, user: "user", changesets: [changeset])], receivedAt: 9)[0]
        #expect(outcome.committed == 1 && outcome.version == ServerVersion(1) && outcome.failure == nil)
    }
}
