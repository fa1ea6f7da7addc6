import CausewayLimits
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("How many objects a user may have")
struct ObjectQuotaTests {
    private func record(_ objectsMax: Int?, _ name: String = #function) throws -> Record {
        let record = try Record(name, options: StoreEmbedded.Options(objectsOfUserMax: objectsMax))
        _ = try record.backend.register(Self.cid, user: "other")
        return record
    }

    /// A client of another user than ann and bob, who are one.
    private static let cid = ClientID(3)

    private func commitOfOther(_ record: Record, _ operations: Operation...) throws -> CommitOutcome {
        record.time += 1
        let changeset = record.changeset(Self.cid, operations)
        return try record.backend.commit(
            [UploadBatch(client: Self.cid, user: "other", changesets: [changeset])], receivedAt: record.time)[0]
    }

    @Test("who would have more waits, and is told; the same transaction is taken when there is room")
    func waits() throws {
        let record = try record(2)
        try record.write(Record.ann, create(dog(1)), create(dog(2)))
        let third = record.changeset(Record.ann, [create(dog(3))])
        let outcome = try record.commit(Record.ann, third)
        let failure = try #require(outcome.failure)
        #expect(outcome.committed == 1 && failure.code == .outOfSpace)
        #expect(
            failure.reached == LimitReached(.objectsOfUser, value: 2, subject: "user", waitMilliseconds: 300_000))
        #expect(failure.retryAfterMilliseconds == 300_000)
        for word in ["limits.objectsOfUser", "2 of the 2", "creates 1"] { #expect(failure.message.contains(word)) }
        // Another client of the user makes room.
        #expect(try record.write(Record.bob, .delete(dog(1), life: 2)).failure == nil)
        #expect(try record.commit(Record.ann, third).committed == 2)
        #expect(try record.store.objects(of: "user") == 2)
    }

    @Test("others do not notice, nor who creates nothing")
    func others() throws {
        let record = try record(1)
        try record.write(Record.ann, create(dog(1)))
        #expect(try record.write(Record.bob, create(dog(2))).failure?.code == .outOfSpace)
        #expect(try commitOfOther(record, create(dog(3))).failure == nil)
        #expect(try commitOfOther(record, set(dog(1), "name", .string("theirs"))).failure == nil)
        #expect(try record.write(Record.ann, set(dog(1), "home", .link(home(1).key)), create(home(1))).failure == nil)
        #expect(try record.store.objects(of: "user") == 1)
        #expect(try record.store.objects(of: "other") == 1)
    }

    @Test("the limit is never exceeded, also by transactions of one upload and by several uploads of one commit")
    func several() throws {
        let record = try record(5)
        let changesets = (1...3).map { number in
            record.changeset(Record.ann, [create(dog(number * 10)), create(dog(number * 10 + 1))])
        }
        let ofBob = record.changeset(Record.bob, [create(dog(7)), create(dog(8))])
        record.time += 1
        let outcomes = try record.backend.commit(
            [
                UploadBatch(client: Record.ann, user: "user", changesets: changesets),
                UploadBatch(client: Record.bob, user: "user", changesets: [ofBob]),
            ], receivedAt: record.time)
        #expect(outcomes.map(\.committed) == [2, 0])
        #expect(outcomes.allSatisfy { $0.failure?.reached?.limit == .objectsOfUser })
        #expect(try record.store.objects(of: "user") == 4)
        #expect(try record.problems() == [])
    }

    @Test("another limit counts from the next commit on")
    func raised() throws {
        let record = try record(1)
        try record.write(Record.ann, create(dog(1)))
        let second = record.changeset(Record.ann, [create(dog(2))])
        #expect(try record.commit(Record.ann, second).failure != nil)
        record.store.take(StoreEmbedded.Options(objectsOfUserMax: 2))
        #expect(try record.commit(Record.ann, second).failure == nil)
        record.store.take(StoreEmbedded.Options(objectsOfUserMax: 1))
        #expect(try record.write(Record.ann, .delete(dog(1), life: 2)).failure == nil)
        #expect(try record.write(Record.ann, create(dog(3))).failure != nil)
        record.store.take(StoreEmbedded.Options())
        #expect(try record.write(Record.bob, create(dog(4))).failure == nil)
    }

    @Test("objects count for who created them, whoever changes or deletes them")
    func creators() throws {
        let record = try record(nil)
        try record.write(Record.ann, create(dog(1)), create(dog(2)), create(dog(3)))
        #expect(try commitOfOther(record, .delete(dog(1), life: 2), set(dog(2), "name", .string("x"))).failure == nil)
        #expect(try record.store.objects(of: "user") == 2)
        #expect(try record.store.objects(of: "other") == 0)
        // Created again, by somebody else.
        #expect(try commitOfOther(record, create(dog(1), life: 3)).failure == nil)
        #expect(try record.store.objects(of: "user") == 2)
        #expect(try record.store.objects(of: "other") == 1)
        // A client that has written keeps its user.
        _ = try record.store.forget(Record.ann)
        #expect(try commitOfOther(record, .delete(dog(2), life: 2)).failure == nil)
        #expect(try record.store.objects(of: "user") == 1)
        try record.store.drop("Dog")
        #expect(try record.store.objects(of: "user") == 0)
        #expect(try record.store.objects(of: "other") == 0)
        #expect(try record.count("server.creators") == 0)
        #expect(try record.problems() == [])
    }

    @Test("a create that is older than the one which came first makes its author the creator")
    func olderCreate() throws {
        let record = try record(nil)
        try record.write(Record.ann, at: record.time, create(dog(1)))
        let older = record.changeset(Self.cid, base: 0, at: 5, [create(dog(1))])
        record.time += 1
        _ = try record.backend.commit(
            [UploadBatch(client: Self.cid, user: "other", changesets: [older])], receivedAt: record.time)
        #expect(try record.store.count(of: "Dog") == 1)
        #expect(try record.store.objects(of: "user") == 0)
        #expect(try record.store.objects(of: "other") == 1)
        #expect(try record.problems() == [])
    }

    @Test("who has most comes first, page by page")
    func listed() throws {
        let record = try record(nil)
        for (number, user) in ["b", "a", "c", "d"].enumerated() {
            let client = ClientID(UInt64(number + 10))
            _ = try record.backend.register(client, user: user)
            let made = (0..<(user == "d" ? 5 : user == "c" ? 1 : 3)).map { create(dog(Int64(number * 10 + $0))) }
            record.time += 1
            _ = try record.backend.commit(
                [UploadBatch(client: client, user: user, changesets: [record.changeset(client, made)])],
                receivedAt: record.time)
        }
        var (pages, position): ([[ObjectsOfUser]], ObjectsOfUser?) = ([], nil)
        repeat {
            let (users, next) = try record.store.objectsOfUsers(after: position, countMax: 3)
            pages.append(users)
            position = next
        } while position != nil
        #expect(pages.map { $0.map(\.user) } == [["d", "a", "b"], ["c"]])
        #expect(pages.joined().map(\.objects) == [5, 3, 3, 1])
        let same = try record.store.objectsOfUsers(after: nil, countMax: 4)
        #expect(same.next == nil && same.users.count == 4)
    }
}
