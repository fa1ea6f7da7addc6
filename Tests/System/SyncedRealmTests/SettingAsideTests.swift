import Causeway
import CausewayOperations
import CausewayWire
import Synchronization
import Testing

@Suite("A changeset that the server takes in no form", .serialized)
@MainActor
struct SettingAsideTests {
    private nonisolated static let all: @Sendable (SyncSubscriptionSet) -> Void = {
        $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
    }

    /// A limit of the server that only what says "long" is beyond.
    private nonisolated static let refusal: @Sendable (Changeset) -> SyncFailure? = { changeset in
        let isLong = changeset.operations.contains { "\($0)".contains("long") }
        return isLong ? SyncFailure(.frameTooLarge, "A message of 65 MiB; 64 are allowed.") : nil
    }

    @Test("goes to the quarantine with code and reason, and what was written before and after it arrives")
    func goesOn() async throws {
        let bench = try Bench()
        let errors = Mutex<[SyncError]>([])
        bench.app("a").syncManager.errorHandler = { error, _ in
            if let error = error as? SyncError, error.code == .writeRejected { errors.withLock { $0.append(error) } }
        }
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        try a.write {
            let ann = a.create(Person.self, value: ["name": "ann", "age": 30])
            let chore = a.create(Chore.self, value: ["id": 1, "title": "sweep", "owner": ann])
            chore.helpers.append(ann)
            chore.details = .fromArray([.int(1)])
        }
        try await settle(a, b)
        bench.network("a").refusal = Self.refusal
        bench.cutOff("a")
        try a.write { _ = a.create(Chore.self, value: ["id": 2, "title": "before"]) }
        try a.write {
            let chore = try #require(a.object(ofType: Chore.self, forPrimaryKey: 1))
            chore.title = "long"
            chore.helpers.removeAll()
            chore.details = .none
            _ = a.create(Chore.self, value: ["id": 3, "title": "made beside it"])
            a.delete(try #require(a.object(ofType: Person.self, forPrimaryKey: "ann")))
        }
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 1)?.priority = 5 }
        try a.write { _ = a.create(Chore.self, value: ["id": 4, "title": "after"]) }
        try await bench.rejoin(["a": a])
        try await settle(a, b)
        for realm in [a, b] {
            #expect(realm.objects(Chore.self).map(\.id).sorted() == [1, 2, 4])
            let chore = try #require(realm.object(ofType: Chore.self, forPrimaryKey: 1))
            #expect(chore.title == "sweep" && chore.priority == 5)
            #expect(chore.owner?.name == "ann" && chore.helpers.map(\.name) == ["ann"])
            #expect(chore.details.listValue.map(Array.init) == [.int(1)])
        }
        let change = try #require(a.unsyncedChanges.first)
        #expect(a.unsyncedChanges.count == 1 && change.code == 302 && change.reason.contains("65 MiB"))
        let written = Set(change.operations.map(\.description))
        #expect(written.isSuperset(of: ["set Chore 1.title to \"long\"", "create Chore 3", "delete Person \"ann\""]))
        let error = try #require(errors.withLock { $0.first })
        #expect(errors.withLock { $0.count } == 1 && error.serverCode == 302)
        #expect(error.compensatingWriteInfo?.map(\.primaryKey).contains(.int64(3)) == true)

        // The operator has raised the limit.
        bench.network("a").refusal = nil
        try change.submitAgain()
        try await settle(a, b)
        #expect(a.unsyncedChanges.isEmpty)
        for realm in [a, b] {
            #expect(realm.objects(Chore.self).map(\.id).sorted() == [1, 2, 3, 4])
            #expect(realm.object(ofType: Chore.self, forPrimaryKey: 1)?.title == "long")
            #expect(realm.objects(Person.self).isEmpty)
        }
        await bench.end()
    }

    @Test("takes along what stands on it: a later change of an object that it made is refused by itself")
    func dependent() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        try await settle(a)
        bench.network("a").refusal = Self.refusal
        // Without a network, or the refusal of the first could come before the second is written.
        bench.cutOff("a")
        try a.write { _ = a.create(Chore.self, value: ["id": 1, "title": "long"]) }
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 1)?.priority = 2 }
        try await bench.rejoin(["a": a])
        #expect(a.objects(Chore.self).isEmpty)
        #expect(a.unsyncedChanges.map(\.code) == [302, 308])
        await bench.end()
    }
}
