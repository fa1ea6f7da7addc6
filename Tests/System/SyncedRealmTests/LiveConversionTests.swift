import Causeway
import CausewayConversion
import CausewayModel
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import Foundation
import Testing

/// The class in a version of the app that came with the new type.
private enum Converted {
    final class Chore: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var title = ""
        @Persisted var priority = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// The class in a version from before the property was added.
private enum Without {
    final class Chore: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var title = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite("A property that the operator converts while devices are connected", .serialized)
@MainActor
struct LiveConversionTests {
    private func convert(_ wanted: PropertyConversion, on bench: Bench) async throws {
        let store = bench.store
        let report = try await bench.conversations.alone(because: "The schema is being changed.") {
            () throws(StoreFailure) in try store.convert(wanted)
        }
        #expect(report.isConverted)
    }

    /// Two devices of the old app with chores 1 and 2. The first one is cut off and has not sent two edits of chore 2.
    private func devices(_ bench: Bench) async throws -> (Realm, Realm) {
        let (a, b) = try await bench.twoDevices()
        bench.cutOff("a")
        try a.write {
            let chore = try #require(a.object(ofType: Chore.self, forPrimaryKey: 2))
            chore.priority = 21
            chore.title = "unsent"
        }
        return (a, b)
    }

    /// Expects that a device of the old app is refused, and is told what to do.
    private func expectRefusal(of realm: Realm) async {
        let error = await #expect(throws: SyncError.self) { try await realm.syncSession?.wait(for: .upload) }
        let message = error?.message ?? ""
        #expect(error?.serverCode == 305 && error?.code == .clientSession, "\(message)")
        #expect(message.contains("“Chore.priority” is int on the device and string here"), "\(message)")
        #expect(message.contains("schema convert") && message.contains("has to be updated"), "\(message)")
    }

    @Test("the old app is refused and keeps what it wrote; when the operator converts back, it goes on and sends it")
    func back() async throws {
        let bench = try Bench()
        let (a, b) = try await devices(bench)
        try await convert(PropertyConversion("Chore", "priority", to: .string), on: bench)
        bench.network("a").isCut = false
        a.syncSession?.reconnect()
        try b.write { b.object(ofType: Chore.self, forPrimaryKey: 1)?.priority = 11 }
        for realm in [a, b] { await expectRefusal(of: realm) }
        #expect(priorities(a) == [10, 21] && priorities(b) == [11, 20])
        try await convert(PropertyConversion("Chore", "priority", to: .int), on: bench)
        try await bench.rejoin(["a": a, "b": b])
        for _ in 0..<2 { for realm in [a, b] { try await settle(realm) } }
        for realm in [a, b] {
            #expect(priorities(realm) == [11, 21])
            #expect(realm.object(ofType: Chore.self, forPrimaryKey: 2)?.title == "unsent")
            #expect(realm.unsyncedChanges.isEmpty)
        }
        await bench.end()
    }

    @Test("the new app begins a new file, and reads the old one with the old class; apps without the property go on")
    func newVersion() async throws {
        let bench = try Bench()
        var oldest = try await bench.configuration("d") { $0.append(QuerySubscription<Without.Chore>()) }
        oldest.objectTypes = [Without.Chore.self]
        let without = try Realm(configuration: oldest)
        var devices: (Realm, Realm)? = try await devices(bench)
        try await convert(PropertyConversion("Chore", "priority", to: .string), on: bench)
        let file = try #require(devices?.0.configuration)
        devices = nil
        bench.network("a").isCut = false

        // The file of the old app cannot be opened with the new class, and stays as it is.
        var changed = file
        changed.objectTypes = [Converted.Chore.self]
        let refused = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: changed) }
        #expect(refused?.code == .schemaMismatch)
        let old = try Realm(configuration: file)
        await expectRefusal(of: old)
        #expect(priorities(old) == [10, 21])
        let unsent = try #require(old.object(ofType: Chore.self, forPrimaryKey: 2))
        #expect(unsent.title == "unsent")

        var beginning = try await bench.configuration("a") { $0.append(QuerySubscription<Converted.Chore>()) }
        beginning.fileURL = file.fileURL?.deletingLastPathComponent().appending(path: "second.realm")
        beginning.objectTypes = [Converted.Chore.self]
        let new = try Realm(configuration: beginning)
        try await settle(new)
        #expect(new.objects(Converted.Chore.self).sorted(byKeyPath: "id").map(\.priority) == ["10", "20"])
        // What such a version does with the old file.
        try new.write {
            let chore = try #require(new.object(ofType: Converted.Chore.self, forPrimaryKey: 2))
            (chore.title, chore.priority) = (unsent.title, String(unsent.priority))
        }
        try await settle(new)
        try await settle(without)
        #expect(without.objects(Without.Chore.self).sorted(byKeyPath: "id").map(\.title) == ["t1", "unsent"])
        await bench.end()
    }
}
