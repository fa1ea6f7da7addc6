import Causeway
import CausewayLimits
import CausewayStoreEmbedded
import CausewaySync
import CausewayWire
import Foundation
import Testing

/// Devices that meet the limits of a server, with the whole of the device library.
@Suite("A server's rates, as devices meet them")
@MainActor
struct RatesTests {
    private func open(_ bench: Bench, _ device: String) async throws -> Realm {
        try await Realm(
            configuration: bench.configuration(device) { subscriptions in
                subscriptions.append(QuerySubscription<Chore>(name: "chores"))
            })
    }

    @Test("a device that brings far more than its rate is held back, loses nothing, and others go on meanwhile")
    func largeLog() async throws {
        let bench = try Bench(
            rates: Rates(
                amounts: [.operationsPerSecondOfUser: 200, .operationsPerSecondOfClient: 200], burstSeconds: 1))
        bench.caller("abuser").is("eve")
        let abuser = try await open(bench, "abuser")
        let honest = try await open(bench, "honest")
        bench.cutOff("abuser")
        for part in 0..<6 {
            try abuser.write {
                for id in 0..<100 { abuser.create(Chore.self, value: ["id": part * 1_000 + id, "title": "many"]) }
            }
        }
        bench.network("abuser").isCut = false
        abuser.syncSession?.reconnect()
        // The honest device's write is there long before the abuser is done.
        try honest.write { _ = honest.create(Chore.self, value: ["id": 99_999, "title": "one"]) }
        try await honest.syncSession?.wait(for: .upload)
        try await abuser.syncSession?.wait(for: .upload)
        #expect(try bench.store.count(of: "Chore") == 601)
        await bench.end()
    }

    @Test("one-way entries over the rate are held back, and each arrives once")
    func oneWay() async throws {
        let bench = try Bench(rates: Rates(amounts: [.operationsPerSecondOfClient: 100], burstSeconds: 1))
        let realm = try await open(bench, "one")
        for part in 0..<3 {
            try realm.write {
                for id in 0..<100 { realm.create(Reading.self, value: ["id": part * 100 + id]) }
            }
            try await realm.syncSession?.wait(for: .upload)
        }
        #expect(try bench.store.count(of: "Reading") == 300)
        await bench.end()
    }

    @Test(
        "a device over its user's objects waits with what it wrote, others go on, and it goes on after deletes of another"
    )
    func objectsOfUser() async throws {
        let bench = try Bench(options: StoreEmbedded.Options(objectsOfUserMax: 5))
        bench.caller("over").is("eve")
        bench.caller("second").is("eve")
        let realms = [try await open(bench, "over"), try await open(bench, "honest"), try await open(bench, "second")]
        let (over, honest, second) = (realms[0], realms[1], realms[2])
        func add(_ ids: Range<Int>, to realm: Realm) throws {
            try realm.write { for id in ids { realm.create(Chore.self, value: ["id": id, "title": "kept"]) } }
        }
        try add(0..<5, to: over)
        try await over.syncSession?.wait(for: .upload)
        try add(10..<13, to: over)
        try add(100..<105, to: honest)
        try await honest.syncSession?.wait(for: .upload)
        #expect(try bench.store.objects(of: "eve") == 5)
        #expect(try bench.store.count(of: "Chore") == 10)
        // It keeps what it wrote, and hears of what others write.
        try await over.syncSession?.wait(for: .download)
        over.refresh()
        #expect(over.objects(Chore.self).count == 13)
        // Another device of the user is refused the same, and may delete.
        try await second.syncSession?.wait(for: .download)
        second.refresh()
        try second.write {
            for id in 0..<3 { second.object(ofType: Chore.self, forPrimaryKey: id).map { second.delete($0) } }
        }
        try await second.syncSession?.wait(for: .upload)
        over.syncSession?.reconnect()
        try await over.syncSession?.wait(for: .upload)
        #expect(try bench.store.objects(of: "eve") == 5)
        // The operator raises the limit.
        try add(20..<24, to: over)
        bench.store.take(StoreEmbedded.Options(objectsOfUserMax: 9))
        over.syncSession?.reconnect()
        try await over.syncSession?.wait(for: .upload)
        #expect(try bench.store.objects(of: "eve") == 9)
        #expect(try bench.store.count(of: "Chore") == 14)
        await bench.end()
    }

    @Test("a full database takes nothing more, its devices keep what they wrote and go on reading")
    func fullDatabase() async throws {
        let bench = try Bench(options: StoreEmbedded.Options(storageBytesMax: 1))
        let realm = try await open(bench, "one")
        try realm.write { _ = realm.create(Chore.self, value: ["id": 1, "title": "kept"]) }
        let session = try #require(realm.syncSession)
        try await session.wait(for: .download)
        #expect(try bench.store.count(of: "Chore") == 0)
        #expect(realm.objects(Chore.self).count == 1)
        await bench.end()
    }
}
