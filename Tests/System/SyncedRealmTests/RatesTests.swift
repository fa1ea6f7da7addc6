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
