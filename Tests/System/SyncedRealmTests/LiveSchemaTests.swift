import Causeway
import CausewayIdentity
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import Foundation
import Synchronization
import Testing

/// The class in a version of the app that leaves a property out.
private enum Without {
    final class Chore: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var title = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite("A schema from which the operator drops something while devices are connected", .serialized)
@MainActor
struct LiveSchemaTests {
    private func drop(_ className: String, _ property: String?, on bench: Bench) async throws {
        let store = bench.store
        try await bench.conversations.alone(because: "The schema is being changed.") {
            () throws(StoreFailure) in try store.drop(className, property: property)
        }
    }

    @Test("devices that declare a dropped property add it again, empty; what one of them has not sent yet is kept")
    func extended() async throws {
        let bench = try Bench()
        let (a, b) = try await bench.twoDevices()
        bench.cutOff("a")
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 2)?.priority = 21 }
        try await drop("Chore", "priority", on: bench)
        try await settle(b)
        #expect(priorities(b) == [0, 0])
        try await bench.rejoin(["a": a])
        try await settle(b)
        #expect(priorities(a) == [0, 21] && priorities(b) == [0, 21])
        #expect(a.unsyncedChanges.isEmpty)
        #expect(b.objects(Chore.self).sorted(byKeyPath: "id").map(\.title) == ["t1", "t2"])
        // And both go on.
        try b.write { b.object(ofType: Chore.self, forPrimaryKey: 1)?.priority = 11 }
        try await settle(b)
        try await settle(a)
        #expect(priorities(a) == [11, 21])
        await bench.end()
    }

    @Test(
        "where nobody may extend the schema, apps that declare what was dropped are told so, and keep what they wrote")
    func closed() async throws {
        let bench = try Bench()
        let (a, _) = try await bench.twoDevices()
        let errors = Mutex<[SyncError]>([])
        bench.app("a").syncManager.errorHandler = { error, _ in
            if let error = error as? SyncError { errors.withLock { $0.append(error) } }
        }
        bench.cutOff("a")
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 2)?.priority = 21 }
        bench.office.replace(by: PermissionRules(extendSchema: .never))
        try await drop("Chore", "priority", on: bench)
        bench.network("a").isCut = false
        a.syncSession?.reconnect()
        let error = await #expect(throws: SyncError.self) { try await a.syncSession?.wait(for: .upload) }
        #expect(error?.serverCode == 305 && error?.message.contains("priority") == true, "\(error?.message ?? "")")
        #expect(errors.withLock { $0.contains { $0.serverCode == 305 } })
        #expect(priorities(a) == [10, 21])
        // Once the operator permits it, the write arrives.
        bench.rule(nil)
        a.syncSession?.reconnect()
        try await settle(a)
        #expect(priorities(a) == [0, 21] && a.unsyncedChanges.isEmpty)
        await bench.end()
    }

    @Test(
        "a file declares what it has: a version that leaves out what was dropped is refused with it, and not with a new file"
    )
    func leftOut() async throws {
        let bench = try Bench()
        var devices: (Realm, Realm)? = try await bench.twoDevices()
        var file = try #require(devices?.0.configuration)
        devices = nil
        bench.office.replace(by: PermissionRules(extendSchema: .never))
        try await drop("Chore", "priority", on: bench)
        file.objectTypes = [Without.Chore.self]
        let old = try Realm(configuration: file)
        try old.write { old.object(ofType: Without.Chore.self, forPrimaryKey: 1)?.title = "unsent" }
        let error = await #expect(throws: SyncError.self) { try await old.syncSession?.wait(for: .upload) }
        #expect(
            error?.serverCode == 305 && error?.message.contains("“Chore.priority”") == true, "\(error?.message ?? "")")
        var beginning = try await bench.configuration("a") { $0.append(QuerySubscription<Without.Chore>()) }
        beginning.fileURL = file.fileURL?.deletingLastPathComponent().appending(path: "second.realm")
        beginning.objectTypes = [Without.Chore.self]
        let new = try Realm(configuration: beginning)
        try await settle(new)
        #expect(new.objects(Without.Chore.self).sorted(byKeyPath: "id").map(\.title) == ["t1", "t2"])
        await bench.end()
    }

    @Test("many drops under devices that write: all converge, and nothing of other properties is lost")
    func often() async throws {
        let bench = try Bench()
        let (a, b) = try await bench.twoDevices()
        for round in 1...4 {
            try a.write { a.object(ofType: Chore.self, forPrimaryKey: 1)?.title = "a\(round)" }
            try b.write { b.create(Chore.self, value: ["id": 100 + round, "title": "b\(round)"]) }
            try await drop("Chore", round % 2 == 0 ? "priority" : "story", on: bench)
            try a.write { a.object(ofType: Chore.self, forPrimaryKey: 2)?.title = "a\(round)" }
            // What was written after the drop comes with a new session, whose hello adds the property again.
            try await a.syncSession?.wait(for: .upload)
        }
        for _ in 0..<2 { for realm in [a, b] { try await settle(realm) } }
        for realm in [a, b] {
            let chores = Array(realm.objects(Chore.self).sorted(byKeyPath: "id").map { "\($0.id) \($0.title)" })
            #expect(chores == ["1 a4", "2 a4"] + (1...4).map { "\(100 + $0) b\($0)" })
        }
        await bench.end()
    }
}
