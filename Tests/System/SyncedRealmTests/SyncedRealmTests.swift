import Causeway
import CausewayStoreEmbedded
import Foundation
import Testing

@Suite("Synced Realms and a server's core in one process", .serialized)
@MainActor
struct SyncedRealmTests {
    @Test("what one device writes, another that subscribes to it holds; what it does not subscribe to, it does not")
    func subscription() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a"))
        let b = try Realm(configuration: try await bench.configuration("b"))
        try a.write {
            for id in 0..<100 { a.create(Chore.self, value: ["id": id, "title": "task \(id)", "priority": id % 10]) }
        }
        try await a.syncSession?.wait(for: .upload)
        let subscriptions = b.subscriptions
        #expect(subscriptions.count == 0)
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Chore>(name: "urgent") { $0.priority >= 8 })
        }
        #expect(subscriptions.state == .complete)
        b.refresh()
        #expect(b.objects(Chore.self).count == 20)
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Chore>(name: "idle", where: "priority == %@", 0))
        }
        b.refresh()
        #expect(b.objects(Chore.self).count == 30)
        try await subscriptions.update { subscriptions.remove(named: "urgent") }
        b.refresh()
        #expect(b.objects(Chore.self).count == 10)
        await bench.end()
    }

    @Test("objects created at once reach the other device as others do, with their links and lists")
    func createdAtOnce() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = {
            $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
        }
        let a = try Realm(configuration: try await bench.configuration("a"))
        try a.write {
            try a.create(Person.self, from: ["ann", "bob"]) { $0.set(\.name) { $0 } }
            let persons = Array(a.objects(Person.self))
            try a.create(Chore.self, from: 0..<1500) { chore in
                chore.set(\.id) { $0 }
                chore.set(\.title) { "task \($0)" }
                chore.set(\.owner) { $0 % 3 == 0 ? nil : persons[$0 % 2] }
                chore.set(\.helpers) { number in
                    let helpers = List<Person>()
                    if number == 7 { helpers.append(objectsIn: persons) }
                    return helpers
                }
            }
        }
        try await a.syncSession?.wait(for: .upload)
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        let chores = b.objects(Chore.self).sorted(byKeyPath: "id")
        #expect(chores.count == 1500)
        for (id, chore) in chores.enumerated() {
            #expect(chore.id == id && chore.title == "task \(id)" && chore.priority == 0)
            #expect(chore.owner?.name == (id % 3 == 0 ? nil : ["ann", "bob"][id % 2]))
            #expect(chore.helpers.map(\.name) == (id == 7 ? ["ann", "bob"] : []))
        }
        await bench.end()
    }

    @Test("an object reaches another device whole, whatever the order of its lists', sets', maps' and texts' names")
    func everyCollection() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = {
            $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
        }
        let a = try Realm(configuration: try await bench.configuration("a"))
        try a.write {
            let ann = a.create(Person.self, value: ["name": "ann"])
            a.create(
                Chore.self,
                value: [
                    "id": 1, "helpers": [ann, ann], "labels": ["x"], "crew": [ann], "hours": ["mo": 1],
                    "roles": ["lead": ann], "story": "Once", "notes": [AnyRealmValue.int(1)],
                ])
        }
        try await a.syncSession?.wait(for: .upload)
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        let chore = try #require(b.object(ofType: Chore.self, forPrimaryKey: 1))
        #expect(chore.helpers.count == 2 && Array(chore.labels) == ["x"] && chore.crew.map(\.name) == ["ann"])
        #expect(chore.hours["mo"] == 1 && chore.roles["lead"]??.name == "ann" && chore.story.string == "Once")
        #expect(chore.notes.count == 1)
        await bench.end()
    }

    @Test("a live change reaches the other device without anybody asking")
    func live() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = { $0.append(QuerySubscription<Chore>()) }
        let a = try Realm(configuration: try await bench.configuration("a", initial: all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try a.write { _ = a.create(Chore.self, value: ["id": 1, "title": "before"]) }
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        #expect(b.object(ofType: Chore.self, forPrimaryKey: 1)?.title == "before")
        let (titles, title) = AsyncStream.makeStream(of: String.self)
        let token = b.objects(Chore.self).observe { change in
            switch change {
            case .initial(let tasks), .update(let tasks, _, _, _): title.yield(tasks.first?.title ?? "")
            case .error(let error): title.yield("\(error)")
            }
        }
        // What is written before the observer was told the first time would be part of that.
        var iterator = titles.makeAsyncIterator()
        #expect(await iterator.next() == "before")
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 1)?.title = "after" }
        #expect(await iterator.next() == "after")
        token.invalidate()
        await bench.end()
    }

    @Test("S139 one-way objects are on the server once and not on the device")
    func oneWay() async throws {
        let bench = try Bench()
        let realm = try Realm(configuration: try await bench.configuration("a"))
        bench.network("a").isCut = true
        for batch in 0..<10 {
            try realm.write {
                for id in 0..<10 { realm.create(Reading.self, value: ["id": batch * 10 + id, "degrees": 21.5]) }
            }
        }
        bench.network("a").isCut = false
        realm.syncSession?.reconnect()
        try await realm.syncSession?.wait(for: .upload)
        #expect(try bench.store.count(of: "Reading") == 100)
        await bench.end()
    }

    @Test("S139 what one-way objects hold arrives with them, and replaces what was there")
    func oneWayCollections() async throws {
        let bench = try Bench()
        let realm = try Realm(configuration: try await bench.configuration("a"))
        func survey(_ id: Int, tags: [String], samples: [Int]) {
            let chore = realm.create(Chore.self, value: ["id": 7, "title": "dig"], update: .modified)
            realm.create(
                Survey.self,
                value: [
                    "id": id, "tags": tags, "rooms": [3, 1, 3], "levels": ["low": 0.5, "high": 9],
                    "probe": ["depth": 4, "samples": samples],
                    "probes": [["depth": 1], ["depth": 2, "parts": [["depth": 3, "samples": samples]]]],
                    "chore": chore, "chores": [chore, chore],
                ] as [String: Any])
        }
        try realm.write {
            survey(1, tags: ["b", "a", "b"], samples: [5, 6])
            survey(2, tags: [], samples: [])
        }
        try await realm.syncSession?.wait(for: .upload)
        func count(_ text: String) throws -> Int { try bench.store.count("Survey", matching: text) }
        #expect(try count("TRUEPREDICATE") == 2)
        #expect(try count("id == 1 AND tags[0] == 'b' AND tags[1] == 'a' AND tags[2] == 'b' AND tags.@count == 3") == 1)
        #expect(try count("id == 2 AND tags.@count == 0") == 1)
        #expect(try count("rooms.@count == 2 AND ANY rooms == 1 AND ANY rooms == 3") == 2)
        #expect(try count("levels['low'] == 0.5 AND levels['high'] == 9 AND levels.@count == 2") == 2)
        #expect(try count("id == 1 AND probe.depth == 4 AND probe.samples[1] == 6") == 1)
        #expect(try count("probes.@count == 2 AND probes[0].depth == 1 AND ANY probes.parts.depth == 3") == 2)
        #expect(try count("id == 1 AND ANY probes.parts.samples == 5") == 1)
        #expect(try count("chore.title == 'dig' AND ALL chores.title == 'dig' AND chores.@count == 2") == 2)

        // The same primary key is the same object: nothing of its collections is left.
        try realm.write { survey(1, tags: ["c"], samples: [8]) }
        try await realm.syncSession?.wait(for: .upload)
        #expect(try count("id == 1 AND tags[0] == 'c' AND tags.@count == 1 AND rooms.@count == 2") == 1)
        #expect(try count("id == 1 AND probes.@count == 2 AND probe.samples[0] == 8") == 1)
        await bench.end()
    }
}
