import Causeway
import Foundation
import Testing

@Suite("Undo of synced Realms", .serialized)
@MainActor
struct UndoSyncTests {
    private static let all: @Sendable (SyncSubscriptionSet) -> Void = {
        $0.append(QuerySubscription<Chore>(name: "chores"), QuerySubscription<Person>(name: "people"))
    }

    private func open(_ device: String, on bench: Bench) async throws -> Realm {
        let realm = try Realm(configuration: try await bench.configuration(device, initial: Self.all))
        try await realm.syncSession?.wait(for: .download)
        return realm
    }

    private func chore(_ realm: Realm) throws -> Chore {
        try #require(realm.object(ofType: Chore.self, forPrimaryKey: 1))
    }

    @Test("a device undoes its own edits after they have merged, and both devices keep those of the other")
    func merged() async throws {
        let bench = try Bench()
        let (a, b) = (try await open("a", on: bench), try await open("b", on: bench))
        try a.write {
            let chore = a.create(
                Chore.self, value: ["id": 1, "title": "old", "helpers": [["name": "Ada"]]] as [String: Any])
            chore.story.append("The fox")
        }
        try await bench.rejoin(["a": a, "b": b])
        a.undo.isRecording = true
        bench.cutOff("a", "b")
        try a.write {
            let chore = try chore(a)
            (chore.title, chore.priority, chore.hours["x"]) = ("mine", 5, 1)
            chore.story.insert("quick ", at: 4)
            chore.helpers.insert(a.create(Person.self, value: ["name": "Bob"]), at: 0)
        }
        try b.write {
            let chore = try chore(b)
            (chore.title, chore.hours["y"]) = ("theirs", 2)
            chore.story.append(" jumps")
            chore.helpers.append(b.create(Person.self, value: ["name": "Cy"]))
        }
        try await bench.rejoin(["a": a, "b": b])
        #expect(
            try chore(a).story.string == "The quick fox jumps" && chore(a).helpers.map(\.name) == ["Bob", "Ada", "Cy"])
        let title = try chore(a).title
        try a.undo.undo()
        try await bench.rejoin(["a": a, "b": b])
        for realm in [a, b] {
            let chore = try chore(realm)
            #expect(chore.title == (title == "mine" ? "old" : "theirs") && chore.priority == 0)
            #expect(chore.hours["x"] == nil && chore.hours["y"] == 2)
            #expect(chore.story.string == "The fox jumps" && chore.helpers.map(\.name) == ["Ada", "Cy"])
            #expect(realm.object(ofType: Person.self, forPrimaryKey: "Bob") == nil)
        }
        try a.undo.redo()
        try await bench.rejoin(["a": a, "b": b])
        for realm in [a, b] {
            let chore = try chore(realm)
            #expect(chore.priority == 5 && chore.hours["x"] == 1 && chore.story.string == "The quick fox jumps")
            #expect(Set(chore.helpers.map(\.name)) == ["Ada", "Bob", "Cy"])
        }
        await bench.end()
    }

    @Test("an object whose deletion is undone comes back on every device, with the links to it")
    func deleted() async throws {
        let bench = try Bench()
        let (a, b) = (try await open("a", on: bench), try await open("b", on: bench))
        try a.write {
            let ada = a.create(Person.self, value: ["name": "Ada", "age": 36])
            let chore = a.create(Chore.self, value: ["id": 1])
            chore.owner = ada
            chore.helpers.append(ada)
        }
        try await bench.rejoin(["a": a, "b": b])
        a.undo.isRecording = true
        try a.write { if let ada = try chore(a).owner { a.delete(ada) } }
        try await bench.rejoin(["a": a, "b": b])
        #expect(try chore(b).owner == nil && chore(b).helpers.isEmpty)
        try a.undo.undo()
        try await bench.rejoin(["a": a, "b": b])
        for realm in [a, b] {
            #expect(try chore(realm).owner?.age == 36 && chore(realm).helpers.map(\.name) == ["Ada"])
        }
        await bench.end()
    }
}
