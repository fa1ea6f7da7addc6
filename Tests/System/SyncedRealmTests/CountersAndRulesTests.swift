import Causeway
import Foundation
import Testing

final class Album: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var plays: Counter
    @Persisted(deleteRule: .cascade) var tracks: List<Track>
}

final class Track: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var title = ""
}

@Suite("Counters and delete rules of synced Realms", .serialized)
@MainActor
struct CountersAndRulesTests {
    private static let all: @Sendable (SyncSubscriptionSet) -> Void = {
        $0.append(QuerySubscription<Album>(name: "albums"), QuerySubscription<Track>(name: "tracks"))
    }

    private func open(_ device: String, on bench: Bench) async throws -> Realm {
        let realm = try Realm(configuration: try await bench.configuration(device, initial: Self.all))
        try await realm.syncSession?.wait(for: .download)
        return realm
    }

    private func plays(_ realm: Realm, _ id: Int = 1) -> Int? {
        realm.object(ofType: Album.self, forPrimaryKey: id)?.plays.value
    }

    @Test("increments of two devices that were cut off add up, each of them once")
    func sum() async throws {
        let bench = try Bench()
        let (a, b) = (try await open("a", on: bench), try await open("b", on: bench))
        try a.write { _ = a.create(Album.self, value: ["id": 1, "plays": 100]) }
        try await bench.rejoin(["a": a, "b": b])
        bench.cutOff("a", "b")
        for _ in 0..<50 { try a.write { a.object(ofType: Album.self, forPrimaryKey: 1)?.plays.increment() } }
        try b.write {
            for _ in 0..<1000 { b.object(ofType: Album.self, forPrimaryKey: 1)?.plays.increment(by: 2) }
            b.object(ofType: Album.self, forPrimaryKey: 1)?.plays.decrement(by: 7)
        }
        #expect(plays(a) == 150 && plays(b) == 2093)
        try await bench.rejoin(["a": a, "b": b])
        #expect(plays(a) == 2143 && plays(b) == 2143)
        // And once more, each knowing of the other.
        try a.write { a.object(ofType: Album.self, forPrimaryKey: 1)?.plays.increment() }
        try await bench.rejoin(["a": a, "b": b])
        #expect(plays(a) == 2144 && plays(b) == 2144)
        await bench.end()
    }

    @Test("a counter that two devices create with one key counts what both counted")
    func createdTwice() async throws {
        let bench = try Bench()
        let (a, b) = (try await open("a", on: bench), try await open("b", on: bench))
        bench.cutOff("a", "b")
        for (realm, count) in [(a, 3), (b, 4)] {
            try realm.write {
                let album = realm.create(Album.self, value: ["id": 1])
                album.plays.increment(by: count * 10)
                // What it begins with is no sum of both.
                realm.create(Album.self, value: ["id": 2, "plays": 5]).plays.increment(by: count)
            }
            for _ in 0..<count {
                try realm.write { realm.object(ofType: Album.self, forPrimaryKey: 1)?.plays.increment() }
            }
        }
        try await bench.rejoin(["a": a, "b": b])
        #expect(plays(a) == 77 && plays(b) == 77)
        #expect(plays(a, 2) == 12 && plays(b, 2) == 12)
        await bench.end()
    }

    @Test("an assignment ends what was counted before it and what was counted without having seen it")
    func assignment() async throws {
        let bench = try Bench()
        let (a, b) = (try await open("a", on: bench), try await open("b", on: bench))
        try a.write { _ = a.create(Album.self, value: ["id": 1, "plays": 10]) }
        try await bench.rejoin(["a": a, "b": b])
        bench.cutOff("a", "b")
        try a.write { a.object(ofType: Album.self, forPrimaryKey: 1)?.plays.increment(by: 5) }
        try b.write { b.object(ofType: Album.self, forPrimaryKey: 1)?.plays = 0 }
        try b.write { b.object(ofType: Album.self, forPrimaryKey: 1)?.plays.increment() }
        try await bench.rejoin(["a": a, "b": b])
        #expect(plays(a) == 1 && plays(b) == 1)
        // Now a has seen it, and counts on.
        try a.write { a.object(ofType: Album.self, forPrimaryKey: 1)?.plays.increment(by: 5) }
        try await bench.rejoin(["a": a, "b": b])
        #expect(plays(a) == 6 && plays(b) == 6)
        await bench.end()
    }

    @Test("the device that deletes sends a delete for everything that goes along")
    func cascade() async throws {
        let bench = try Bench()
        let (a, b) = (try await open("a", on: bench), try await open("b", on: bench))
        try a.write {
            for album in 0..<2 {
                let album = a.create(Album.self, value: ["id": album])
                for track in 0..<20 {
                    album.tracks.append(a.create(Track.self, value: ["id": album.id * 100 + track]))
                }
            }
        }
        try await bench.rejoin(["a": a, "b": b])
        #expect(b.objects(Track.self).count == 40)
        bench.cutOff("a", "b")
        try a.write { a.delete(try #require(a.object(ofType: Album.self, forPrimaryKey: 0))) }
        #expect(a.objects(Track.self).count == 20)
        try b.write {
            // One that goes along elsewhere is linked to again; another is added to what goes.
            let (gone, kept) = (
                try #require(b.object(ofType: Album.self, forPrimaryKey: 0)),
                try #require(b.object(ofType: Album.self, forPrimaryKey: 1))
            )
            kept.tracks.append(gone.tracks[3])
            gone.tracks.append(b.create(Track.self, value: ["id": 999]))
        }
        try await bench.rejoin(["a": a, "b": b])
        for realm in [a, b] {
            #expect(Set(realm.objects(Track.self).map(\.id)) == Set(100..<120).union([999]))
            #expect(realm.objects(Album.self).map(\.id) == [1])
            #expect(realm.objects(Album.self)[0].tracks.count == 20)
        }
        await bench.end()
    }

    @Test("an object that leaves a subscription takes nothing along")
    func eviction() async throws {
        let bench = try Bench()
        let (a, b) = (try await open("a", on: bench), try await open("b", on: bench))
        try a.write {
            let album = a.create(Album.self, value: ["id": 1])
            album.tracks.append(a.create(Track.self, value: ["id": 1]))
        }
        try await bench.rejoin(["a": a, "b": b])
        let subscriptions = b.subscriptions
        try await subscriptions.update { subscriptions.remove(named: "albums") }
        try await bench.rejoin(["a": a, "b": b])
        #expect(b.objects(Album.self).isEmpty && b.objects(Track.self).count == 1)
        #expect(a.objects(Album.self).count == 1 && a.objects(Track.self).count == 1)
        await bench.end()
    }
}
