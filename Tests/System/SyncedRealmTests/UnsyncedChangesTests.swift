import Causeway
import CausewayModel
import CausewayOperations
import CausewayStoreEmbedded
import Foundation
import Synchronization
import Testing

@Suite("What the server refuses", .serialized)
@MainActor
struct UnsyncedChangesTests {
    private nonisolated static let all: @Sendable (SyncSubscriptionSet) -> Void = {
        $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
    }

    /// On its way to the server every such title becomes a number, which a title cannot be.
    private nonisolated static let spoil: @Sendable (CausewayOperations.Operation) -> CausewayOperations.Operation = {
        switch $0 {
        case .set(let target, let field) where field.value == .string("spoilt"):
            .set(target, FieldValue(field.property, .int(0)))
        case .create(let target, let life, let fields) where fields.contains { $0.value == .string("spoilt") }:
            .create(
                target, life: life,
                fields: fields.map { $0.value == .string("spoilt") ? FieldValue($0.property, .int(0)) : $0 })
        default: $0
        }
    }

    @Test("costs only itself: the rest arrives, the app sees the server's value, and the write waits in the quarantine")
    func quarantine() async throws {
        let bench = try Bench()
        let errors = Mutex<[SyncError]>([])
        bench.app("a").syncManager.errorHandler = { error, _ in
            if let error = error as? SyncError { errors.withLock { $0.append(error) } }
        }
        let configuration = try await bench.configuration("a", initial: Self.all)
        var a = try Realm(configuration: configuration)
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        try a.write { _ = a.create(Chore.self, value: ["id": 1, "title": "sweep", "priority": 1]) }
        try await settle(a)
        bench.network("a").change = Self.spoil
        try a.write {
            let chore = try #require(a.object(ofType: Chore.self, forPrimaryKey: 1))
            chore.title = "spoilt"
            chore.priority = 7
            chore.labels.insert("home")
        }
        try a.write { _ = a.create(Chore.self, value: ["id": 2, "title": "later"]) }
        try await settle(a)
        try await settle(b)
        for realm in [a, b] {
            let chore = try #require(realm.object(ofType: Chore.self, forPrimaryKey: 1))
            #expect(chore.title == "sweep" && chore.priority == 7 && chore.labels.contains("home"))
            #expect(realm.object(ofType: Chore.self, forPrimaryKey: 2)?.title == "later")
        }
        // What the app sees of it survives closing the file.
        a.invalidate()
        a = try Realm(configuration: configuration)
        let change = try #require(a.unsyncedChanges.first)
        #expect(a.unsyncedChanges.count == 1 && change.code == 307)
        #expect(change.reason.contains("Chore.title"))
        #expect(change.operations.map(\.description) == ["set Chore 1.title to \"spoilt\""])
        #expect(change.objects.map(\.primaryKey) == [.int64(1)])
        #expect(abs(change.date.timeIntervalSinceNow) < 3_600)
        let error = try #require(errors.withLock { $0.first })
        #expect(error.code == .writeRejected && error.serverCode == 307)
        let info = try #require(error.compensatingWriteInfo?.first)
        #expect(info.objectType == "Chore" && info.primaryKey == .int64(1) && info.reason == change.reason)
        #expect(b.unsyncedChanges.isEmpty)

        // Once more for nothing, and then with success.
        a.syncSession?.suspend()
        try change.submitAgain()
        a.refresh()
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 1)?.title == "spoilt")
        a.syncSession?.resume()
        try await settle(a)
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 1)?.title == "sweep")
        let again = try #require(a.unsyncedChanges.first)
        #expect(a.unsyncedChanges.count == 1 && again.id > change.id)
        bench.network("a").change = nil
        try again.submitAgain()
        try await settle(a)
        try await settle(b)
        #expect(a.unsyncedChanges.isEmpty)
        for realm in [a, b] { #expect(realm.object(ofType: Chore.self, forPrimaryKey: 1)?.title == "spoilt") }
        await bench.end()
    }

    @Test("takes along what depends on it: a refused object comes back whole, or is dropped")
    func creations() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        try await settle(a)
        bench.network("a").change = Self.spoil
        // All three are written before the server refuses any.
        a.syncSession?.suspend()
        for id in [1, 2] {
            try a.write {
                let ann = a.create(Person.self, value: ["name": "ann\(id)"])
                let chore = a.create(Chore.self, value: ["id": id, "title": "spoilt", "owner": ann])
                chore.helpers.append(ann)
                chore.labels.insert("home")
                chore.hours["monday"] = 3
                chore.story.append("once")
                chore.details = .int(5)
            }
        }
        // A change of what was refused is refused as well.
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 2)?.priority = 4 }
        a.syncSession?.resume()
        try await settle(a)
        try await settle(b)
        for realm in [a, b] {
            #expect(realm.objects(Chore.self).isEmpty && realm.objects(Person.self).count == 2)
        }
        let changes = Array(a.unsyncedChanges)
        try #require(changes.count == 3)
        bench.network("a").change = nil
        try changes[0].drop()
        #expect(Array(a.unsyncedChanges.map(\.id)) == changes.dropFirst().map(\.id))
        try changes[1].submitAgain()
        try changes[2].submitAgain()
        try await settle(a)
        try await settle(b)
        #expect(a.unsyncedChanges.isEmpty)
        for realm in [a, b] {
            #expect(realm.objects(Chore.self).map(\.id) == [2])
            let chore = try #require(realm.object(ofType: Chore.self, forPrimaryKey: 2))
            #expect(chore.owner?.name == "ann2" && chore.helpers.map(\.name) == ["ann2"])
            #expect(chore.labels.contains("home") && chore.hours["monday"] == 3)
            #expect(chore.story.string == "once" && chore.priority == 4)
            #expect(chore.details == .int(5))
        }
        await bench.end()
    }

    @Test("a change of an object outside of every subscription leaves nothing on the device but the quarantine's entry")
    func outsideTheView() async throws {
        let bench = try Bench()
        let a = try Realm(
            configuration: try await bench.configuration("a") {
                $0.append(QuerySubscription<Chore> { $0.priority > 5 })
            })
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        try a.write { _ = a.create(Chore.self, value: ["id": 1, "title": "sweep", "priority": 9]) }
        try await settle(a)
        bench.cutOff("a")
        bench.network("a").change = Self.spoil
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 1)?.title = "spoilt" }
        try await settle(b)
        try b.write { b.object(ofType: Chore.self, forPrimaryKey: 1)?.priority = 0 }
        try await settle(b)
        try await bench.rejoin(["a": a])
        try await settle(a)
        #expect(a.objects(Chore.self).isEmpty && a.unsyncedChanges.count == 1)
        #expect(b.object(ofType: Chore.self, forPrimaryKey: 1)?.title == "sweep")
        await bench.end()
    }

    @Test("is known to the device write by write, however many there are and however few the server keeps at once")
    func many() async throws {
        let bench = try Bench(options: StoreEmbedded.Options(refusalBytesMax: 2_000))
        let errors = Mutex<[SyncError]>([])
        bench.app("a").syncManager.errorHandler = { error, _ in
            if let error = error as? SyncError { errors.withLock { $0.append(error) } }
        }
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        try await settle(a)
        bench.network("a").change = Self.spoil
        for id in 0..<80 {
            try a.write { _ = a.create(Chore.self, value: ["id": id, "title": id % 2 == 0 ? "spoilt" : "fine"]) }
        }
        try await settle(a)
        try await settle(b)
        for realm in [a, b] {
            #expect(realm.objects(Chore.self).map(\.id).sorted() == Array(stride(from: 1, to: 80, by: 2)))
        }
        let refused = a.unsyncedChanges.flatMap { change in change.objects.map(\.primaryKey) }
        #expect(refused == stride(from: 0, to: 80, by: 2).map { AnyBSON.int64(Int64($0)) })
        // The app hears of what was refused, and nothing of the sessions that it took.
        #expect(errors.withLock { !$0.isEmpty && $0.allSatisfy { $0.serverCode == 307 } })
        await bench.end()
    }

    @Test("is a transaction of more operations than the server takes at once, and holds up nothing before or behind it")
    func tooLarge() async throws {
        let bench = try Bench(operations: 50)
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        try await settle(a)
        bench.cutOff("a")
        var first = 0
        // Those that fit alone do not fit together.
        for count in [40, 30, 60, 20, 25] {
            try a.write {
                for id in first..<first + count { _ = a.create(Chore.self, value: ["id": id, "title": "\(count)"]) }
            }
            first += count
        }
        try await bench.rejoin(["a": a])
        try await settle(a)
        try await settle(b)
        for realm in [a, b] {
            let counts = Dictionary(grouping: realm.objects(Chore.self).map(\.title)) { $0 }.mapValues(\.count)
            #expect(counts == ["40": 40, "30": 30, "20": 20, "25": 25])
        }
        #expect(a.unsyncedChanges.reduce(0) { $0 + $1.objects.count } == 60)
        #expect(a.unsyncedChanges.allSatisfy { $0.reason.contains("50 operations") })
        await bench.end()
    }
}
