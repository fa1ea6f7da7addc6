import Causeway
import Foundation
import Testing

@Suite("What devices did while they were cut off, joined by a server's core in one process", .serialized)
@MainActor
struct SyncedConflictTests {
    @Test("what two devices typed into one paragraph while they were cut off stands in both, whole and in one order")
    func text() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = { $0.append(QuerySubscription<Chore>()) }
        let a = try Realm(configuration: try await bench.configuration("a", initial: all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try a.write { _ = a.create(Chore.self, value: ["id": 1, "story": "Buy milk and bread."]) }
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        let (here, there) = (
            try #require(a.object(ofType: Chore.self, forPrimaryKey: 1)),
            try #require(b.object(ofType: Chore.self, forPrimaryKey: 1))
        )
        #expect(there.story.string == "Buy milk and bread.")

        bench.cutOff("a", "b")
        // Letter by letter, in a transaction each, at the same place.
        for (place, letter) in "oat ".enumerated() { try a.write { here.story.insert(String(letter), at: 4 + place) } }
        for (place, letter) in "soy ".enumerated() { try b.write { there.story.insert(String(letter), at: 4 + place) } }
        try a.write { here.story.string = here.story.string.replacing("bread", with: "rye bread") }
        try b.write {
            there.story.remove(0..<3)
            there.story.insert("Get", at: 0)
            there.story.append(" Now 👍🏽")
            b.create(Chore.self, value: ["id": 2, "story": "made by b"])
        }
        try a.write { _ = a.create(Chore.self, value: ["id": 2, "story": "made by a"]) }
        try await bench.rejoin(["a": a, "b": b])
        #expect(here.story.string == there.story.string)
        #expect(
            ["Get oat soy milk and rye bread. Now 👍🏽", "Get soy oat milk and rye bread. Now 👍🏽"]
                .contains(here.story.string), "\(here.story)")
        let second = try #require(a.object(ofType: Chore.self, forPrimaryKey: 2)).story.string
        #expect(["made by amade by b", "made by bmade by a"].contains(second))
        #expect(b.object(ofType: Chore.self, forPrimaryKey: 2)?.story.string == second)

        // A third device that only arrives now reads the same, can edit it, and finds it by what it says.
        let c = try Realm(
            configuration: try await bench.configuration("c") {
                $0.append(QuerySubscription<Chore>(name: "oat", where: "story CONTAINS 'oat'"))
            })
        try await c.syncSession?.wait(for: .download)
        c.refresh()
        #expect(c.objects(Chore.self).map(\.id) == [1] && c.objects(Chore.self)[0].story.string == here.story.string)
        try c.write {
            c.objects(Chore.self)[0].story.remove(0..<4)
            c.objects(Chore.self)[0].story.append("!")
        }
        let expected = String(here.story.string.dropFirst(4)) + "!"
        try await c.syncSession?.wait(for: .upload)
        for realm in [a, b] { try await realm.syncSession?.wait(for: .download) }
        for realm in [a, b] { realm.refresh() }
        #expect(here.story.string == expected && there.story.string == expected)
        try a.write { a.delete(here) }
        try b.write { there.story.append(" too late") }
        for realm in [a, b] { try await realm.syncSession?.wait(for: .upload) }
        for realm in [a, b, c] { try await realm.syncSession?.wait(for: .download) }
        for realm in [a, b, c] { realm.refresh() }
        #expect(there.isInvalidated && c.objects(Chore.self).isEmpty)
        await bench.end()
    }

    @Test("sets and maps that two devices changed while they were cut off are joined by their elements and keys")
    func setsAndMaps() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = {
            $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
        }
        let a = try Realm(configuration: try await bench.configuration("a", initial: all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try a.write {
            let chore = a.create(
                Chore.self, value: ["id": 1, "labels": ["old", "big"], "hours": ["mon": 1, "tue": 2]])
            let ann = a.create(Person.self, value: ["name": "ann"])
            chore.crew.insert(ann)
            chore.roles["lead"] = ann
        }
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        let (here, there) = (
            try #require(a.object(ofType: Chore.self, forPrimaryKey: 1)),
            try #require(b.object(ofType: Chore.self, forPrimaryKey: 1))
        )
        #expect(Set(there.labels) == ["old", "big"])
        #expect((there.roles["lead"] ?? nil)?.name == "ann")

        bench.cutOff("a", "b")
        try a.write {
            here.labels.removeAll()
            here.labels.insert("a")
            here.hours["mon"] = 10
            here.hours["wed"] = 3
            here.crew.insert(a.create(Person.self, value: ["name": "bob"]))
        }
        try b.write {
            there.labels.insert("b")
            there.hours["tue"] = nil
            there.crew.insert(b.create(Person.self, value: ["name": "eve"]))
            there.roles["cook"] = .some(nil)
        }
        try await bench.rejoin(["a": a, "b": b])
        for chore in [here, there] {
            #expect(Set(chore.labels) == ["a", "b"])
            #expect(chore.hours.keys == ["mon", "wed"] && chore.hours.values == [10, 3])
            #expect(Set(chore.crew.map(\.name)) == ["ann", "bob", "eve"])
            #expect(chore.roles.keys == ["cook", "lead"] && chore.roles["cook"] == .some(nil))
        }
        await bench.end()
    }

    @Test("two devices that were cut off and changed the same object hold the same afterwards")
    func conflict() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = {
            $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
        }
        let a = try Realm(configuration: try await bench.configuration("a", initial: all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try a.write {
            let ann = a.create(Person.self, value: ["name": "ann", "age": 30])
            let task = a.create(Chore.self, value: ["id": 1, "title": "paint"])
            task.owner = ann
            task.helpers.append(ann)
        }
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        #expect(b.object(ofType: Chore.self, forPrimaryKey: 1)?.owner?.age == 30)

        bench.cutOff("a", "b")
        try a.write {
            let task = try #require(a.object(ofType: Chore.self, forPrimaryKey: 1))
            task.title = "paint the door"
            task.helpers.append(a.create(Person.self, value: ["name": "bob"]))
        }
        try b.write {
            let task = try #require(b.object(ofType: Chore.self, forPrimaryKey: 1))
            task.title = "paint the wall"
            task.priority = 5
            task.helpers.append(b.create(Person.self, value: ["name": "eve"]))
        }
        try await bench.rejoin(["a": a, "b": b])
        let (here, there) = (
            try #require(a.object(ofType: Chore.self, forPrimaryKey: 1)),
            try #require(b.object(ofType: Chore.self, forPrimaryKey: 1))
        )
        #expect(here.title == there.title)
        #expect(here.priority == 5)
        #expect(there.priority == 5)
        #expect(Array(here.helpers.map(\.name)) == Array(there.helpers.map(\.name)))
        #expect(here.helpers.count == 3)
        await bench.end()
    }
}
