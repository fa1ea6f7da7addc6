import Causeway
import Dispatch
import Foundation
import Testing

/// What undo must never do: lose what others wrote, or what the app did not write in that step.
@Suite("What undo keeps")
struct UndoSafetyTests: DraftSuite {
    let realm: Realm
    let queue = DispatchQueue(label: "others")

    init() throws {
        realm = try Realm.recordingDrafts()
    }

    // MARK: - Embedded objects

    @Test("an embedded object that was moved in its list goes back, and stays the same object")
    func movedEmbedded() throws {
        let task = try task {
            for city in ["Bern", "Basel", "Biel"] { $0.stops.append(DraftPlace(value: ["city": city])) }
        }
        let bern = task.stops[0]
        try realm.write { task.stops.move(from: 0, to: 2) }
        try others { _, task in task?.stops[2].city = "Berne" }
        try realm.undo.undo()
        #expect(task.stops.map(\.city) == ["Berne", "Basel", "Biel"])
        #expect(!bern.isInvalidated && task.stops[0].isSameObject(as: bern))
        try realm.undo.redo()
        #expect(task.stops.map(\.city) == ["Basel", "Biel", "Berne"] && !bern.isInvalidated)
    }

    @Test("of 3,000 embedded objects, exactly the two that were removed come back, and the others stay untouched")
    func twoOfMany() throws {
        let task = try task { task in
            for number in 0..<3000 { task.stops.append(DraftPlace(value: ["city": "\(number)"])) }
        }
        let second = task.stops[1]
        let middle = task.stops[1500]
        try realm.write {
            task.stops.remove(at: 2999)
            task.stops.remove(at: 0)
        }
        try realm.undo.undo()
        #expect(task.stops.map(\.city) == (0..<3000).map { "\($0)" })
        #expect(!second.isInvalidated && !middle.isInvalidated && task.stops[1500].isSameObject(as: middle))
    }

    @Test("an embedded object that others have edited since a write put it there stays")
    func editedEmbedded() throws {
        let task = try task { $0.place = DraftPlace(value: ["city": "Bern"]) }
        try realm.write {
            task.place = DraftPlace(value: ["city": "Basel"])
            task.stops.append(DraftPlace(value: ["city": "a"]))
            task.stops.append(DraftPlace(value: ["city": "b"]))
            task.places["x"] = DraftPlace(value: ["city": "c"])
            task.places["y"] = DraftPlace(value: ["city": "d"])
        }
        try others { _, task in
            task?.place?.rooms.append("theirs")
            task?.stops[1].city = "B"
            task?.places["y"]??.rooms.append("theirs")
        }
        try realm.undo.undo()
        #expect(task.place?.city == "Basel" && task.place.map { Array($0.rooms) } == ["theirs"])
        #expect(task.stops.map(\.city) == ["B"])
        #expect(task.places["x"] == nil && task.places["y"]??.city == "d")
    }

    @Test("embedded objects that changed places change them back, and stay the same objects")
    func swapped() throws {
        let task = try task {
            for city in ["a", "b", "c"] { $0.stops.append(DraftPlace(value: ["city": city])) }
        }
        let second = task.stops[1]
        try realm.write { task.stops.swapAt(0, 2) }
        try realm.undo.undo()
        #expect(task.stops.map(\.city) == ["a", "b", "c"] && !second.isInvalidated)
        try realm.undo.redo()
        #expect(task.stops.map(\.city) == ["c", "b", "a"] && !second.isInvalidated)
    }

    // MARK: - Texts and lists

    @Test("undo of a long paste removes all of it and keeps what somebody typed into its middle")
    func typedIntoPaste() throws {
        let task = try task { $0.body.append("[]") }
        let words = String(repeating: "abcde", count: 1000)
        try realm.write { task.body.insert(words, at: 1) }
        try others { _, task in task?.body.insert("x", at: 2500) }
        try others { _, task in task?.body.insert("y", at: 4000) }
        try realm.undo.undo()
        #expect(task.body.string == "[xy]")
        try realm.undo.redo()
        #expect(task.body.count == 5004)
    }

    @Test("equal words that somebody else wrote are not taken for the step's own")
    func equalWords() throws {
        let task = try task {
            $0.body.append("start. ")
            $0.steps.append(objectsIn: ["a", "b"])
        }
        try realm.write {
            task.body.append("hello")
            task.steps.append("hello")
        }
        try others { _, task in
            guard let task else { return }
            task.body.remove(7..<12)
            task.body.insert("hello", at: 0)
            task.steps.removeLast()
            task.steps.insert("hello", at: 0)
            task.steps.append("hello")
        }
        #expect(try !realm.undo.undo())
        #expect(task.body.string == "hellostart. " && Array(task.steps) == ["hello", "a", "b", "hello"])
    }

    @Test("elements keep their places when several Realms write between, in one commit and in many")
    func manyOthers() throws {
        let task = try task { $0.steps.append(objectsIn: (0..<20).map { "\($0)" }) }
        try realm.write {
            task.steps.remove(at: 15)
            task.steps.remove(at: 5)
            task.steps.insert("mine", at: 10)
        }
        for number in 0..<30 {
            try others { _, task in
                task?.steps.insert("first \(number)", at: 0)
                task?.steps.append("last \(number)")
                task?.steps.remove(at: 1)
            }
        }
        let before = Array(task.steps)
        try realm.undo.undo()
        let after = Array(task.steps)
        #expect(!after.contains("mine") && after.count == before.count + 1)
        #expect(after.filter { $0 != "5" && $0 != "15" } == before.filter { $0 != "mine" })
        // The first elements may be gone; those beside "15" are there.
        let place = try #require(after.firstIndex(of: "15"))
        #expect(after[place - 1] == "14" && after[place + 1] == "16")
    }

    @Test("a text that others have replaced as a whole stays theirs")
    func replacedText() throws {
        let task = try task { $0.body.append("one") }
        try realm.write { task.body.append(" two") }
        // A text is assigned by its differences: these have no letter in common.
        try others { _, task in task?.setValue("xyz", forKey: "body") }
        #expect(try !realm.undo.undo())
        #expect(task.body.string == "xyz")
    }

    @Test("a text that was assigned as a whole comes back, with the steps before")
    func assignedText() throws {
        let task = try task { $0.body.append("one") }
        try realm.write { task.body.append(" two") }
        try realm.write { task.setValue("three", forKey: "body") }
        try others { _, task in task?.body.append("!") }
        try realm.undo.undo()
        #expect(Set(task.body.string) == Set("one two!"))
        try realm.undo.undo()
        #expect(task.body.string.filter { $0 != "!" } == "one" && task.body.string.contains("!"))
    }

    // MARK: - Objects

    @Test("an object that others deleted and created again under its key stays, and keeps its values")
    func otherLife() throws {
        try realm.write { realm.create(DraftTask.self, value: ["id": 1, "title": "mine"]) }
        let task = realm.objects(DraftTask.self)[0]
        try realm.write { task.priority = 5 }
        try others { realm, task in
            if let task { realm.delete(task) }
            realm.create(DraftTask.self, value: ["id": 1, "title": "theirs", "priority": 5] as [String: Any])
        }
        #expect(try !realm.undo.undo())
        #expect(try !realm.undo.undo())
        #expect(realm.objects(DraftTask.self).map(\.title) == ["theirs"])
        #expect(realm.objects(DraftTask.self).map(\.priority) == [5])
    }

    @Test("a group that deletes an object and creates it again twice is undone and redone")
    func twoLives() throws {
        let task = try task { $0.steps.append(objectsIn: ["a", "b"]) }
        try realm.write { task.steps.append("c") }
        try realm.undo.group {
            for title in ["second", "third"] {
                try realm.write { realm.delete(realm.objects(DraftTask.self)) }
                try realm.write {
                    realm.create(DraftTask.self, value: ["id": 1, "title": title, "steps": [title]] as [String: Any])
                }
            }
        }
        try realm.undo.undo()
        #expect(realm.objects(DraftTask.self).map(\.title) == ["old"])
        #expect(realm.objects(DraftTask.self).map { Array($0.steps) } == [["a", "b", "c"]])
        try realm.undo.undo()
        #expect(realm.objects(DraftTask.self).map { Array($0.steps) } == [["a", "b"]])
        try realm.undo.redo()
        try realm.undo.redo()
        #expect(realm.objects(DraftTask.self).map(\.title) == ["third"])
        #expect(realm.objects(DraftTask.self).map { Array($0.steps) } == [["third"]])
        try realm.undo.undo()
        try realm.undo.undo()
        #expect(realm.objects(DraftTask.self).map { Array($0.steps) } == [["a", "b"]])
    }

    @Test("a write that deletes an object and creates it again is undone and redone")
    func replacedObject() throws {
        let task = try task()
        try realm.write {
            realm.delete(task)
            realm.create(DraftTask.self, value: ["id": 1, "title": "new"])
        }
        for _ in 0..<2 {
            try realm.undo.undo()
            #expect(realm.objects(DraftTask.self).map(\.title) == ["old"])
            try realm.undo.redo()
            #expect(realm.objects(DraftTask.self).map(\.title) == ["new"])
        }
    }

    @Test("earlier steps of an object can be undone after its deletion was undone")
    func beforeDeletion() throws {
        let task = try task {
            $0.steps.append(objectsIn: ["a", "b"])
            $0.stops.append(DraftPlace(value: ["city": "x", "rooms": ["1"]] as [String: Any]))
        }
        try realm.write {
            task.title = "new"
            task.steps.insert("mine", at: 1)
            task.body.append("words")
            task.stops[0].rooms.append("2")
        }
        try realm.write { realm.delete(task) }
        try realm.undo.undo()
        try realm.undo.undo()
        let back = try #require(realm.object(ofType: DraftTask.self, forPrimaryKey: 1))
        #expect(back.title == "old" && Array(back.steps) == ["a", "b"] && back.body.isEmpty)
        #expect(back.stops.map { Array($0.rooms) } == [["1"]])
        try realm.undo.redo()
        #expect(back.title == "new" && Array(back.steps) == ["a", "mine", "b"] && back.body.string == "words")
        #expect(back.stops.map { Array($0.rooms) } == [["1", "2"]])
        try realm.undo.redo()
        #expect(realm.objects(DraftTask.self).isEmpty)
    }

    // MARK: - Calls at any time

    @Test("observers may call undo, redo and removeAll while an undo commits, and before it begins")
    func observers() throws {
        let task = try task()
        try realm.write { task.title = "one" }
        try realm.write { task.title = "two" }
        var calls = 0
        let token = realm.observe { _, realm in
            calls += 1
            if calls == 1 {
                #expect(!realm.isInWriteTransaction && realm.undo.canRedo)
                #expect(throws: Never.self) { try realm.undo.undo() }
                realm.undo.removeAll()
            }
        }
        #expect(try realm.undo.undo())
        #expect(task.title == "old" && !realm.undo.canUndo && !realm.undo.canRedo)
        token.invalidate()

        try realm.write { task.title = "three" }
        let configuration = realm.configuration
        try queue.sync {
            let other = try Realm(configuration: configuration, queue: queue)
            try other.write { other.create(DraftPerson.self, value: ["name": "Ada"]) }
        }
        var errors = 0
        let second = realm.observe { _, realm in
            guard realm.isInWriteTransaction else { return }
            do { try realm.undo.undo() } catch { errors += 1 }
            realm.undo.removeAll()
        }
        realm.autorefresh = false
        #expect(try !realm.undo.undo())
        #expect(errors == 1 && task.title == "three" && !realm.isInWriteTransaction)
        second.invalidate()
    }

    @Test("undo inside of a write or a group is an error, and keeps the step")
    func inside() throws {
        let task = try task()
        try realm.write { task.title = "new" }
        try realm.write {
            #expect(throws: Realm.Error.self) { try realm.undo.undo() }
        }
        realm.undo.group {
            _ = #expect(throws: Realm.Error.self) { try realm.undo.undo() }
        }
        #expect(try realm.undo.undo())
        #expect(task.title == "old")
    }

    @Test("the name of a write that was rolled back does not name the next one")
    func names() throws {
        let task = try task()
        struct Stop: Error {}
        try? realm.write {
            realm.undo.actionName = "Lost"
            throw Stop()
        }
        realm.beginWrite()
        realm.undo.actionName = "Lost, too"
        realm.cancelWrite()
        try realm.write { task.title = "new" }
        #expect(realm.undo.undoActionName == nil)
        realm.undo.isRecording = false
        try realm.write { realm.undo.actionName = "Not recorded" }
        realm.undo.isRecording = true
        try realm.write { task.title = "newer" }
        #expect(realm.undo.undoActionName == nil && realm.undo.undoCount == 2)
    }

    // MARK: - Limits

    @Test("a write of too many objects is a step that cannot be undone, says why, and lets the step before be undone")
    func tooManyObjects() throws {
        let task = try task { $0.steps.append("a") }
        try realm.write { task.steps.append("b") }
        try realm.write {
            task.title = "new"
            for _ in 0...UndoHistory.rowsMax { realm.create(DraftRemark.self) }
        }
        let error = #expect(throws: Realm.Error.self) { try realm.undo.undo() }
        #expect(error.map { "\($0)".contains("100000") || "\($0)".contains("100,000") } == true)
        #expect(task.title == "new" && realm.objects(DraftRemark.self).count == UndoHistory.rowsMax + 1)
        #expect(realm.undo.undoCount == 1)
        #expect(try realm.undo.undo())
        #expect(Array(task.steps) == ["a"])
    }

    @Test("a list that was edited in too many places is refused by name, and nothing is changed")
    func tooManyPlaces() throws {
        let task = try task { $0.steps.append(objectsIn: (0..<60_000).map { "\($0)" }) }
        try realm.write {
            task.title = "new"
            for place in stride(from: 59_998, to: 0, by: -2) { task.steps.remove(at: place) }
        }
        let error = #expect(throws: Realm.Error.self) { try realm.undo.undo() }
        #expect(error.map { "\($0)".contains("DraftTask.steps") } == true)
        #expect(task.title == "new" && task.steps.count == 30_001 && !realm.undo.canUndo)
    }

    @Test("more than a thousand commits of others that nobody looked at end the history")
    func tooManyCommits() throws {
        let task = try task()
        try realm.write { task.title = "new" }
        realm.autorefresh = false
        let configuration = realm.configuration
        try queue.sync {
            let other = try Realm(configuration: configuration, queue: queue)
            for number in 0..<1_100 {
                try other.write { other.create(DraftPerson.self, value: ["name": "\(number)"]) }
            }
        }
        #expect(throws: Realm.Error.self) { try realm.undo.undo() }
        #expect(!realm.undo.canUndo)
        realm.refresh()
        #expect(task.title == "new")
    }

    @Test("a step that edits many places of a long list is undone in its time")
    func cost() throws {
        let task = try task { $0.steps.append(objectsIn: (0..<200_000).map { "\($0)" }) }
        try realm.write {
            for place in stride(from: 100_000, to: 98_000, by: -2) { task.steps.remove(at: place) }
            task.steps.append(objectsIn: (0..<100_000).map { "new \($0)" })
        }
        try others { _, task in
            for _ in 0..<1000 { task?.steps.insert("theirs", at: 50_000) }
        }
        let start = ContinuousClock.now
        try realm.undo.undo()
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(task.steps.count == 201_000 && task.steps.last == "199999")
        #expect(task.steps.lazy.filter { $0 == "theirs" }.count == 1000)
    }
}
