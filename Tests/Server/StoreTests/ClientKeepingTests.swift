import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// What the record keeps of clients that have not been heard of for long.
@Suite("Clients that do not come back")
struct ClientKeepingTests {
    private static let day: UInt64 = 86_400_000
    private static let start: UInt64 = 20_000 * day

    private func record(_ name: String = #function) throws -> Record {
        let record = try Record(name, options: StoreEmbedded.Options(clientDaysMax: 30))
        record.time = Self.start
        return record
    }

    /// Half days, because a clock that leaps by more than one is not believed at once.
    private func pass(days: Int, _ record: Record) throws {
        for _ in 0..<2 * days {
            record.time += Self.day / 2
            while try record.store.maintain(at: record.time) {}
        }
    }

    private func isKnown(_ client: ClientID, _ record: Record) throws -> Bool {
        let outcome = try record.backend.commit(
            [UploadBatch(client: client, user: "user", changesets: [])], receivedAt: record.time)[0]
        return outcome.failure == nil
    }

    @Test("one that never wrote is forgotten once its days are over, and may come again")
    func silent() throws {
        let record = try record()
        try record.write(Record.ann, create(dog(1)))
        try pass(days: 30, record)
        #expect(try isKnown(Record.bob, record))
        try pass(days: 3, record)
        #expect(try !isKnown(Record.bob, record))
        #expect(try record.backend.register(Record.bob, user: "another").committed == 0)
        #expect(try record.write(Record.ann, create(dog(2))).failure == nil)
    }

    @Test("a record that has forgotten the client that a copy of a file was before is sound")
    func predecessor() throws {
        let record = try record()
        let copy = ClientID(77)
        _ = try record.backend.register(copy, user: "user", standing: DeviceStanding(predecessor: Record.bob))
        try record.commit(
            copy,
            Changeset(
                client: copy, sequence: 1, stamp: Stamp(time: record.time << 16, client: copy), base: .zero,
                operations: [create(dog(5))]))
        try pass(days: 34, record)
        #expect(try !isKnown(Record.bob, record) && isKnown(copy, record))
        #expect(try record.problems() == [])
    }

    @Test("a leap of the clock that is believed forgets nobody")
    func leap() throws {
        let record = try record()
        try pass(days: 1, record)
        record.time += 400 * Self.day
        for _ in 0..<60 {
            record.time += 60_000
            while try record.store.maintain(at: record.time) {}
        }
        #expect(try isKnown(Record.bob, record))
        try pass(days: 33, record)
        #expect(try !isKnown(Record.bob, record))
    }

    @Test("a hello counts as being heard of")
    func hello() throws {
        let record = try record()
        try pass(days: 1, record)
        for _ in 0..<5 {
            try pass(days: 20, record)
            _ = try record.backend.register(Record.bob, user: "user")
        }
        #expect(try isKnown(Record.bob, record))
        try pass(days: 33, record)
        #expect(try !isKnown(Record.bob, record))
    }

    @Test("of one that wrote, what it sends again is known, its name stays its user's, and what it was not told stays")
    func writer() throws {
        let record = try record()
        let first = record.changeset(Record.bob, [create(dog(1)), set(dog(1), "toys", .string("a"))])
        let second = record.changeset(Record.bob, [create(dog(2)), set(dog(2), "toys", .string("b"))])
        try record.commit(Record.bob, first, second)
        _ = try record.backend.register(Record.bob, user: "user", standing: DeviceStanding(acknowledged: 1))
        #expect(try record.refusals(Record.bob).map(\.sequence) == [1, 2])
        try pass(days: 34, record)
        #expect(try record.refusals(Record.bob).map(\.sequence) == [2])
        let version = record.store.version
        let again = try record.commit(Record.bob, first, second)
        #expect(again.failure == nil && again.committed == 2 && record.store.version == version)
        #expect(throws: StoreFailure.self) { try record.backend.register(Record.bob, user: "another") }
    }

    @Test("thousands of them go in parts, which others' commits come between")
    func many() throws {
        let record = try record()
        for number in 100..<3_100 as Range<UInt64> { _ = try record.backend.register(ClientID(number), user: "user") }
        try pass(days: 30, record)
        record.time += 2 * Self.day / 2
        var parts = 1
        while try record.store.maintain(at: record.time) { parts += 1 }
        try pass(days: 2, record)
        #expect(parts >= 3)
        for number in [100, 1_500, 3_099] as [UInt64] { #expect(try !isKnown(ClientID(number), record)) }
    }
}
