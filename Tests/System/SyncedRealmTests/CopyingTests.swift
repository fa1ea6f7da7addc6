import Causeway
import CausewayStoreEmbedded
import Foundation
import Testing

@Suite("Copies of and into synced Realms", .serialized)
@MainActor
struct CopyingTests {
    private static let all: @Sendable (SyncSubscriptionSet) -> Void = {
        $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
    }

    private func local(_ bench: Bench, _ name: String = "local") -> Realm.Configuration {
        Realm.Configuration(
            fileURL: bench.folder.appendingPathComponent(name + ".realm"), objectTypes: [Chore.self, Person.self])
    }

    private func fill(_ realm: Realm) throws {
        try realm.write {
            let ann = realm.create(Person.self, value: ["name": "ann", "age": 30])
            let bob = realm.create(Person.self, value: ["name": "bob", "age": 40])
            realm.create(
                Chore.self,
                value: [
                    "id": 1, "title": "cook", "owner": ann, "helpers": [bob, ann, bob], "labels": ["a", "b"],
                    "crew": [ann], "hours": ["mo": 1, "tu": 2], "roles": ["chef": bob], "story": "Buy milk.",
                    "details": AnyRealmValue.object(bob), "notes": [AnyRealmValue.int(1), .object(ann)],
                ])
            realm.create(Chore.self, value: ["id": 2, "title": "wash"])
        }
    }

    private func checkCook(_ realm: Realm) throws {
        let cook = try #require(realm.object(ofType: Chore.self, forPrimaryKey: 1))
        #expect(cook.title == "cook" && cook.owner?.name == "ann" && cook.helpers.map(\.name) == ["bob", "ann", "bob"])
        #expect(Set(cook.labels) == ["a", "b"] && cook.crew.map(\.name) == ["ann"])
        #expect(cook.hours["mo"] == 1 && cook.hours["tu"] == 2 && cook.roles["chef"]??.age == 40)
        #expect(cook.story.string == "Buy milk." && cook.details.object(Person.self)?.name == "bob")
        #expect(cook.notes.count == 2 && cook.notes[1].object(Person.self)?.name == "ann")
        #expect(realm.objects(Person.self).count == 2)
    }

    @Test("a local Realm's objects become writes of a synced one, which other devices get")
    func localToSynced() async throws {
        let bench = try Bench()
        let configuration = try await bench.configuration("a", initial: Self.all)
        do {
            let realm = try Realm(configuration: local(bench))
            try fill(realm)
            try realm.writeCopy(configuration: configuration)
        }
        let a = try Realm(configuration: configuration)
        try checkCook(a)
        try await a.syncSession?.wait(for: .upload)
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        try checkCook(b)
        #expect(b.objects(Chore.self).map(\.id).sorted() == [1, 2])
        await bench.end()
    }

    @Test("a synced Realm that exists is updated by primary key, and keeps what the other Realm does not have")
    func localToExisting() async throws {
        let bench = try Bench()
        let configuration = try await bench.configuration("a", initial: Self.all)
        let a = try Realm(configuration: configuration)
        try a.write {
            a.create(Chore.self, value: ["id": 1, "title": "sleep", "labels": ["z"]])
            a.create(Chore.self, value: ["id": 3, "title": "read"])
        }
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        try await a.syncSession?.wait(for: .upload)
        let realm = try Realm(configuration: local(bench))
        try fill(realm)
        try realm.writeCopy(configuration: configuration)
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        for realm in [a, b] {
            realm.refresh()
            try checkCook(realm)
            #expect(realm.objects(Chore.self).sorted(byKeyPath: "id").map(\.title) == ["cook", "wash", "read"])
        }
        // Itself is no place to copy to.
        #expect(throws: Realm.Error.self) { try a.writeCopy(configuration: configuration) }
        // A class that the other Realm does not have is not left out without a word.
        var narrow = try await bench.configuration("c")
        narrow.objectTypes = [Person.self]
        #expect(throws: Realm.Error.self) { try realm.writeCopy(configuration: narrow) }
        await bench.end()
    }

    @Test("a local copy of a synced Realm holds its objects, sent or not, and nothing of the server")
    func syncedToLocal() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        try fill(a)
        try await a.syncSession?.wait(for: .download)
        bench.network("a").isCut = true
        try a.write {
            a.delete(try #require(a.object(ofType: Chore.self, forPrimaryKey: 2)))
            a.create(Chore.self, value: ["id": 4, "title": "unsent"])
        }
        var copy = local(bench, "copy")
        copy.encryptionKey = Data(repeating: 7, count: 64)
        try a.writeCopy(configuration: copy)
        do {
            let realm = try Realm(configuration: copy)
            try checkCook(realm)
            #expect(realm.objects(Chore.self).map(\.id).sorted() == [1, 4])
            // A key that had ended in the synced file is free, and nobody records this.
            try realm.write { _ = realm.create(Chore.self, value: ["id": 2, "title": "again"]) }
            #expect(realm.syncSession == nil && realm.objects(Chore.self).count == 3)
        }
        #expect(throws: Realm.Error.self) { try a.writeCopy(configuration: copy) }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).allSatisfy {
                !$0.contains("copying")
            })
        // To a synced configuration it is what any local file is.
        var other = try await bench.configuration("b")
        other.fileURL = copy.fileURL
        other.encryptionKey = copy.encryptionKey
        #expect {
            _ = try Realm(configuration: other)
        } throws: { ($0 as? Realm.Error)?.code == .incompatibleHistories }
        await bench.end()
    }

    @Test("a synced copy serves many devices as a seed: each goes on from there as itself, and nothing is sent twice")
    func syncedToSynced() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        try fill(a)
        let seed = bench.folder.appendingPathComponent("seed.realm")
        var configuration = try await bench.configuration("a")
        configuration.fileURL = seed
        bench.network("a").isCut = true
        try a.write { _ = a.create(Chore.self, value: ["id": 3, "title": "unsent"]) }
        #expect {
            try a.writeCopy(configuration: configuration)
        } throws: {
            ($0 as? Realm.Error)?.code == .fail
                && "\($0.localizedDescription)".contains(
                    "All client changes must be integrated in server before writing copy")
        }
        bench.network("a").isCut = false
        a.syncSession?.reconnect()
        try await a.syncSession?.wait(for: .upload)
        try a.writeCopy(configuration: configuration)
        // What comes after the copy, the devices that begin with it are told.
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 2)?.title = "wash up" }
        try await a.syncSession?.wait(for: .upload)

        var devices: [Realm] = []
        for (number, device) in ["b", "c"].enumerated() {
            bench.network(device).isCut = true
            var configuration = try await bench.configuration(device)
            configuration.seedFilePath = seed
            let realm = try Realm(configuration: configuration)
            try checkCook(realm)
            #expect(realm.objects(Chore.self).map(\.id).sorted() == [1, 2, 3] && realm.subscriptions.count == 2)
            try realm.write { _ = realm.create(Chore.self, value: ["id": 10 + number, "title": device]) }
            bench.network(device).isCut = false
            realm.syncSession?.reconnect()
            devices.append(realm)
        }
        for device in devices { try await device.syncSession?.wait(for: .upload) }
        for device in devices + [a] {
            try await device.syncSession?.wait(for: .download)
            device.refresh()
            let chores = device.objects(Chore.self).sorted(byKeyPath: "id")
            #expect(chores.map(\.id) == [1, 2, 3, 10, 11])
            #expect(chores.map(\.title) == ["cook", "wash up", "unsent", "b", "c"])
        }
        #expect(try bench.store.count(of: "Chore") == 5)
        await bench.end()
    }

    @Test("a copy of a synced file by its place alone is such a seed too")
    func byPlace() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        try fill(a)
        try await a.syncSession?.wait(for: .upload)
        let place = bench.folder.appendingPathComponent("place.realm")
        try a.writeCopy(toFile: place)
        var configuration = try await bench.configuration("b")
        configuration.fileURL = place
        let b = try Realm(configuration: configuration)
        try b.write { _ = b.create(Chore.self, value: ["id": 3, "title": "third"]) }
        try await b.syncSession?.wait(for: .upload)
        try await a.syncSession?.wait(for: .download)
        a.refresh()
        #expect(a.objects(Chore.self).map(\.id).sorted() == [1, 2, 3])
        await bench.end()
    }
}
