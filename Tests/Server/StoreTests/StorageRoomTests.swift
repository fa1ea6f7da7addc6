import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("A record that is as large as it may be")
struct StorageRoomTests {
    private func dog(_ id: Int64) -> ObjectReference { ObjectReference("Dog", .int(id)) }

    private func create(_ id: Int64, _ name: String = "Rex") -> Operation {
        .create(dog(id), life: 1, fields: [FieldValue("name", .string(name))])
    }

    /// A record that is full from the first moment on.
    private func full(_ name: String = #function) throws -> Record {
        try Record(name, options: StoreEmbedded.Options(storageBytesMax: 1))
    }

    @Test("what grows is not taken, and is not refused for good: the same changeset is taken when there is room")
    func waits() throws {
        let record = try full()
        let changeset = record.changeset(Record.ann, [create(1)])
        let outcome = try record.commit(Record.ann, changeset)
        #expect(outcome.committed == 0)
        #expect(outcome.failure?.code == .outOfSpace)
        #expect((outcome.failure?.retryAfterMilliseconds ?? 0) > 0)
        #expect(outcome.failure?.message.contains("limits.storageMegabytes") == true)
        #expect(try record.store.count(of: "Dog") == 0)
        let roomy = try Record("roomy", options: StoreEmbedded.Options(storageBytesMax: 1 << 30))
        #expect(try roomy.commit(Record.ann, changeset).committed == 1)
    }

    @Test("what only removes is taken; what comes after something that grows waits behind it")
    func removes() throws {
        let record = try full()
        let delete = record.changeset(Record.ann, [.delete(dog(1), life: 2)])
        let grows = record.changeset(Record.ann, [create(2)])
        let behind = record.changeset(Record.ann, [.set(dog(1), FieldValue("age", .null))])
        let outcome = try record.commit(Record.ann, delete, grows, behind)
        #expect(outcome.committed == 1)
        #expect(outcome.failure?.code == .outOfSpace)
        // Another client's removal is not held up.
        let other = try record.commit(Record.bob, record.changeset(Record.bob, [.delete(dog(3), life: 2)]))
        #expect(other.committed == 1 && other.failure == nil)
    }

    @Test("one-way objects wait too")
    func oneWay() throws {
        let record = try full()
        let batch = OneWayBatch(
            client: Record.ann, user: "user", first: 1,
            entries: [[.create(ObjectReference("Reading", .int(1)), life: 1, fields: [])]])
        let failure = #expect(throws: StoreFailure.self) { try record.backend.ingest(batch, receivedAt: 1_000_000) }
        #expect(failure?.code == .outOfSpace)
    }

    @Test("a record without a limit takes everything, and one with room too")
    func room() throws {
        for bytesMax in [nil, UInt64(1) << 30] {
            let record = try Record("room-\(bytesMax ?? 0)", options: StoreEmbedded.Options(storageBytesMax: bytesMax))
            for id in 1...20 { #expect(try record.objection(Record.ann, create(Int64(id))) == nil) }
        }
    }

    @Test("the size is measured anew after a second, and not before")
    func measured() throws {
        let record = try Record(options: StoreEmbedded.Options(storageBytesMax: 1 << 20))
        let text = String(repeating: "long ", count: 60_000)
        #expect(try record.objection(Record.ann, create(1, text)) == nil)
        for id in 2...5 { #expect(try record.objection(Record.ann, create(Int64(id), text)) == nil) }
        record.time += 1_000
        #expect(try record.objection(Record.ann, create(6, text))?.code == .outOfSpace)
    }
}
