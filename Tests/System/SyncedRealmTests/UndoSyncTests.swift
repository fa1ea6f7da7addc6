import Causeway
import CausewaySeeds
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

    @Test("an element of a list of mixed values comes back where it was, after the server has changed the list")
    func mixedList() async throws {
        let bench = try Bench()
        let (a, b) = (try await open("a", on: bench), try await open("b", on: bench))
        try a.write {
            let chore = a.create(Chore.self, value: ["id": 1])
            chore.notes.append(objectsIn: [.int(1), .fromArray([.int(2)]), .int(3), .fromArray([.int(4)])])
        }
        try await bench.rejoin(["a": a, "b": b])
        a.undo.isRecording = true
        try a.write { try chore(a).notes.remove(at: 1) }
        try await bench.rejoin(["a": a, "b": b])
        try b.write {
            try chore(b).notes.append(.fromDictionary(["k": .int(5)]))
            try chore(b).notes[2].listValue?.append(.int(6))
        }
        try await bench.rejoin(["a": a, "b": b])
        try a.undo.undo()
        try await bench.rejoin(["a": a, "b": b])
        for realm in [a, b] {
            let notes = try chore(realm).notes
            #expect(notes.count == 5 && notes[0] == .int(1) && notes[2] == .int(3))
            #expect(notes[1].listValue.map { Array($0) } == [.int(2)])
            #expect(notes[3].listValue.map { Array($0) } == [.int(4), .int(6)])
            #expect(notes[4].dictionaryValue?["k"] == .int(5))
        }
        await bench.end()
    }

    @Test("a property that was merged with an edit elsewhere is undone, and one that the other device has set is not")
    func replayed() async throws {
        let bench = try Bench()
        let (a, b) = (try await open("a", on: bench), try await open("b", on: bench))
        try a.write { a.create(Chore.self, value: ["id": 1, "title": "old", "priority": 1]) }
        try await bench.rejoin(["a": a, "b": b])
        a.undo.isRecording = true
        bench.cutOff("a", "b")
        try b.write { try chore(b).title = "theirs" }
        try a.write {
            let chore = try chore(a)
            (chore.title, chore.priority) = ("mine", 2)
        }
        try await bench.rejoin(["a": a, "b": b])
        let merged = try chore(a).title
        try a.undo.undo()
        try await bench.rejoin(["a": a, "b": b])
        for realm in [a, b] {
            #expect(try chore(realm).priority == 1)
            #expect(try chore(realm).title == (merged == "mine" ? "old" : "theirs"))
        }
        await bench.end()
    }

    nonisolated private static let seeds = SeedList.drawn(for: "undo-sync", count: 4)

    /// Every value is unique, so that what the other device wrote is known again.
    @Test("two devices that edit stay equal while one undoes, which loses nothing of the other one", arguments: seeds)
    func anyEdits(seed: UInt64) async throws {
        var random = SeededNumbers(seed: seed)
        let bench = try Bench()
        let (a, b) = (try await open("a", on: bench), try await open("b", on: bench))
        try a.write {
            let chore = a.create(Chore.self, value: ["id": 1])
            chore.notes.append(objectsIn: (0..<4).map { .int($0) })
            chore.story.append("abcd")
        }
        try await bench.rejoin(["a": a, "b": b])
        a.undo.isRecording = true
        var theirs = Set<Int>()
        var next = 100
        func edit(_ realm: Realm, isB: Bool) throws {
            let chore = try chore(realm)
            next += 1
            let (number, key) = (next, "\(next)")
            switch random.below(7) {
            case 0, 1:
                chore.notes.insert(.int(number), at: random.number(0...chore.notes.count))
                if isB { theirs.insert(number) }
            case 2:
                // Only what it did not write itself.
                let places = chore.notes.indices.filter { place in
                    if case .int(let number) = chore.notes[place] { !theirs.contains(number) } else { false }
                }
                if !places.isEmpty { chore.notes.remove(at: places[random.below(places.count)]) }
            case 3:
                chore.hours[key] = number
                if isB { theirs.insert(number) }
            case 4:
                chore.labels.insert(key)
                if isB { theirs.insert(number) }
            case 5: chore.story.insert(isB ? "B" : "A", at: random.number(0...chore.story.count))
            default: chore.priority = number
            }
        }
        func isThere(_ number: Int, _ chore: Chore) -> Bool {
            chore.notes.contains(.int(number)) || chore.hours["\(number)"] == number
                || chore.labels.contains("\(number)")
        }
        var typed = 0
        for _ in 0..<8 {
            if random.below(2) == 0 { bench.cutOff("a", "b") }
            for _ in 0..<random.number(1...3) {
                let before = try chore(b).story.string.count { $0 == "B" }
                try b.write { for _ in 0..<random.number(1...3) { try edit(b, isB: true) } }
                typed += try chore(b).story.string.count { $0 == "B" } - before
                try a.write { for _ in 0..<random.number(1...3) { try edit(a, isB: false) } }
                if random.below(3) == 0 { try a.undo.undo() }
                if random.below(5) == 0 { try a.undo.redo() }
            }
            try await bench.rejoin(["a": a, "b": b])
        }
        while a.undo.canUndo {
            do { try a.undo.undo() } catch is Realm.Error {}
        }
        try await bench.rejoin(["a": a, "b": b])
        let (first, second) = (try chore(a), try chore(b))
        #expect(Array(first.notes) == Array(second.notes) && first.story.string == second.story.string, "seed \(seed)")
        #expect(Set(first.labels) == Set(second.labels) && first.priority == second.priority, "seed \(seed)")
        for number in theirs {
            #expect(isThere(number, first) && isThere(number, second), "\(number) is lost, seed \(seed)")
        }
        let others = first.story.string.filter { $0 != "B" }
        #expect(first.story.count - others.count == typed && others == "abcd", "seed \(seed)")
        await bench.end()
    }
}
