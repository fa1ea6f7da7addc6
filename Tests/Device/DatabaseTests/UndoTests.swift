import Causeway
import Foundation
import Testing

@Suite("Undo and redo")
struct UndoTests: DraftSuite {
    let realm: Realm
    let queue = DispatchQueue(label: "others")

    init() throws {
        realm = try Realm.recordingDrafts()
    }

    // MARK: - Properties

    @Test("a property gets its old value, and with redo the new one")
    func property() throws {
        let task = try task()
        try realm.write {
            task.title = "new"
            task.note = "a note"
        }
        #expect(realm.undo.canUndo && !realm.undo.canRedo)
        #expect(try realm.undo.undo())
        #expect(task.title == "old" && task.note == nil)
        #expect(!realm.undo.canUndo && realm.undo.canRedo)
        #expect(try realm.undo.redo())
        #expect(task.title == "new" && task.note == "a note")
        #expect(try realm.undo.undo())
        #expect(task.title == "old" && task.note == nil)
    }

    @Test("a property that somebody else has changed since stays as it is, and the others of the write are undone")
    func changedByOthers() throws {
        let task = try task()
        try realm.write {
            task.title = "new"
            task.priority = 9
        }
        try others { _, task in task?.title = "theirs" }
        #expect(try realm.undo.undo())
        #expect(task.title == "theirs" && task.priority == 1)
        #expect(try realm.undo.redo())
        #expect(task.title == "theirs" && task.priority == 9)
    }

    @Test("undo of what others have changed completely changes nothing, and the step is gone")
    func nothingLeft() throws {
        let task = try task()
        try realm.write { task.title = "new" }
        try others { _, task in task?.title = "theirs" }
        #expect(try !realm.undo.undo())
        #expect(task.title == "theirs" && !realm.undo.canUndo && !realm.undo.canRedo)
        #expect(try !realm.undo.undo())
    }

    @Test("a counter loses what the write added, and keeps what others added")
    func counter() throws {
        let task = try task { $0.votes += 5 }
        try realm.write { task.votes += 3 }
        try others { _, task in task?.votes += 10 }
        try realm.undo.undo()
        #expect(task.votes.value == 15)
        try realm.undo.redo()
        #expect(task.votes.value == 18)
    }

    @Test("links, embedded objects and collections in mixed values come back")
    func links() throws {
        let task = try task {
            $0.owner = DraftPerson(value: ["name": "Ada", "age": 36])
            $0.place = DraftPlace(value: ["city": "Bern", "rooms": ["a", "b"]])
            $0.anything = AnyRealmValue.fromArray([.int(1), AnyRealmValue.fromDictionary(["k": .string("v")])])
        }
        try realm.write {
            task.owner = nil
            task.place = DraftPlace(value: ["city": "Basel"])
            task.anything = .string("text")
        }
        try realm.undo.undo()
        #expect(task.owner?.name == "Ada" && task.owner?.age == 36)
        #expect(task.place?.city == "Bern" && task.place.map { Array($0.rooms) } == ["a", "b"])
        guard case .list(let list) = task.anything, case .dictionary(let map) = list[1] else {
            Issue.record("\(task.anything)")
            return
        }
        #expect(list[0] == .int(1) && map["k"] == .string("v"))
        try realm.undo.redo()
        #expect(task.owner == nil && task.place?.city == "Basel" && task.anything == .string("text"))
        try realm.undo.undo()
        #expect(task.place?.city == "Bern")
        try realm.write { task.place?.city = "Biel" }
        try realm.undo.undo()
        #expect(task.place?.city == "Bern")
    }

    // MARK: - Lists and texts

    @Test("an element that was inserted is removed wherever it is now")
    func inserted() throws {
        let task = try task { $0.steps.append(objectsIn: ["a", "b", "c"]) }
        try realm.write { task.steps.insert("mine", at: 1) }
        try others { _, task in
            task?.steps.insert("first", at: 0)
            task?.steps.append("last")
            task?.steps.move(from: 2, to: 4)
        }
        #expect(Array(task.steps) == ["first", "a", "b", "c", "mine", "last"])
        try realm.undo.undo()
        #expect(!task.steps.contains("mine") && task.steps.count == 5)
    }

    @Test("of equal elements, the one that the write inserted is removed")
    func equalElements() throws {
        let task = try task { $0.steps.append(objectsIn: ["x", "a", "x", "b"]) }
        try realm.write { task.steps.insert("x", at: 3) }
        try others { _, task in task?.steps.insert("new", at: 0) }
        try realm.undo.undo()
        #expect(Array(task.steps) == ["new", "x", "a", "x", "b"])
    }

    @Test("an element that was removed comes back beside its old neighbours")
    func removed() throws {
        let task = try task { $0.steps.append(objectsIn: ["a", "b", "c", "d"]) }
        try realm.write { task.steps.remove(at: 2) }
        try others { _, task in
            task?.steps.insert(contentsOf: ["1", "2", "3"], at: 0)
            task?.steps.append("4")
        }
        try realm.undo.undo()
        #expect(Array(task.steps) == ["1", "2", "3", "a", "b", "c", "d", "4"])
        try realm.undo.redo()
        #expect(Array(task.steps) == ["1", "2", "3", "a", "b", "d", "4"])
    }

    @Test("an element that somebody else has removed or replaced stays so")
    func elementOfOthers() throws {
        let task = try task { $0.steps.append(objectsIn: ["a", "b", "c"]) }
        try realm.write {
            task.steps[0] = "A"
            task.steps[2] = "C"
        }
        try others { _, task in task?.steps[2] = "theirs" }
        try realm.undo.undo()
        #expect(Array(task.steps) == ["a", "b", "theirs"])
        try realm.write { task.steps.move(from: 0, to: 2) }
        try others { _, task in task?.steps.remove(at: 2) }
        try realm.undo.undo()
        #expect(Array(task.steps) == ["b", "theirs"])
    }

    @Test("embedded objects of a list come back with their content")
    func embeddedElements() throws {
        let task = try task {
            for city in ["Bern", "Basel", "Biel"] {
                $0.stops.append(DraftPlace(value: ["city": city, "rooms": [city]]))
            }
        }
        try realm.write { task.stops.remove(at: 1) }
        try realm.undo.undo()
        #expect(task.stops.map(\.city) == ["Bern", "Basel", "Biel"])
        #expect(task.stops.map { Array($0.rooms) } == [["Bern"], ["Basel"], ["Biel"]])
        try realm.write { task.stops[1].rooms.append("more") }
        try realm.undo.undo()
        #expect(Array(task.stops[1].rooms) == ["Basel"])
        try realm.undo.redo()
        #expect(Array(task.stops[1].rooms) == ["Basel", "more"])
    }

    @Test("typing is undone by the place that it has now, and deleted words come back there")
    func text() throws {
        let task = try task { $0.body.append("The quick fox") }
        try realm.write { task.body.insert("brown ", at: 10) }
        try realm.write { task.body.remove(4..<10) }
        #expect(task.body.string == "The brown fox")
        try others { _, task in
            task?.body.insert("Once upon a time. ", at: 0)
            task?.body.append(" jumps")
        }
        try realm.undo.undo()
        #expect(task.body.string == "Once upon a time. The quick brown fox jumps")
        try realm.undo.undo()
        #expect(task.body.string == "Once upon a time. The quick fox jumps")
        try realm.undo.redo()
        try realm.undo.redo()
        #expect(task.body.string == "Once upon a time. The brown fox jumps")
    }

    @Test("typed text that somebody else has edited loses what is left of it")
    func editedText() throws {
        let task = try task { $0.body.append("start end") }
        try realm.write { task.body.insert("one two three ", at: 6) }
        try others { _, task in
            task?.body.remove(10..<13)
            task?.body.insert("TWO", at: 10)
        }
        #expect(task.body.string == "start one TWO three end")
        try realm.undo.undo()
        #expect(task.body.string == "start TWOend")
    }

    // MARK: - Sets and maps

    @Test("sets and maps are undone element by element and key by key")
    func keyed() throws {
        let task = try task {
            $0.labels.insert(objectsIn: ["a", "b"])
            $0.links["x"] = "1"
            $0.links["y"] = "2"
        }
        try realm.write {
            task.labels.insert("c")
            task.labels.remove("a")
            task.links["x"] = "changed"
            task.links["y"] = nil
            task.links["z"] = "3"
        }
        try others { _, task in
            task?.labels.insert("theirs")
            task?.links["x"] = "theirs"
        }
        try realm.undo.undo()
        #expect(Set(task.labels) == ["a", "b", "theirs"])
        #expect(task.links["x"] == "theirs" && task.links["y"] == "2" && task.links["z"] == nil)
        try realm.undo.redo()
        #expect(Set(task.labels) == ["b", "c", "theirs"])
        #expect(task.links["x"] == "theirs" && task.links["y"] == nil && task.links["z"] == "3")
    }

    // MARK: - Objects

    @Test("an object that was created is deleted, and created again with its values")
    func created() throws {
        try realm.write {
            realm.create(DraftTask.self, value: ["id": 1, "title": "mine", "steps": ["a"]] as [String: Any])
        }
        try realm.undo.undo()
        #expect(realm.objects(DraftTask.self).isEmpty)
        try realm.undo.redo()
        let task = realm.objects(DraftTask.self)[0]
        #expect(task.title == "mine" && Array(task.steps) == ["a"])
    }

    @Test("an object that others have changed or link to since it was created stays")
    func createdAndChanged() throws {
        try realm.write {
            realm.create(DraftTask.self, value: ["id": 1, "title": "mine"])
            realm.create(DraftPerson.self, value: ["name": "Ada"])
            realm.create(DraftPerson.self, value: ["name": "Bob"])
        }
        try others { realm, task in
            task?.priority = 7
            task?.owner = realm.object(ofType: DraftPerson.self, forPrimaryKey: "Ada")
        }
        try realm.undo.undo()
        let task = try #require(realm.object(ofType: DraftTask.self, forPrimaryKey: 1))
        #expect(task.priority == 7 && task.owner?.name == "Ada")
        #expect(realm.objects(DraftPerson.self).map(\.name) == ["Ada"])
        try realm.undo.redo()
        #expect(Set(realm.objects(DraftPerson.self).map(\.name)) == ["Ada", "Bob"])
    }

    @Test("an object that was deleted comes back with its values, and what linked to it links to it again")
    func deleted() throws {
        let task = try task {
            let ada = DraftPerson(value: ["name": "Ada", "age": 36])
            $0.owner = ada
            $0.helpers.append(objectsIn: [DraftPerson(value: ["name": "Bob"]), ada])
            $0.remarks.append(objectsIn: [
                DraftRemark(value: ["text": "one"]),
                DraftRemark(value: ["text": "two", "author": ada] as [String: Any]),
            ])
        }
        let ada = try #require(realm.object(ofType: DraftPerson.self, forPrimaryKey: "Ada"))
        try realm.write { realm.delete(ada) }
        #expect(task.owner == nil && task.helpers.count == 1 && task.remarks[1].author == nil)
        try realm.undo.undo()
        #expect(task.owner?.age == 36 && task.helpers.map(\.name) == ["Bob", "Ada"])
        #expect(task.remarks[1].author?.name == "Ada")
        let remark = task.remarks[0]
        try realm.write { realm.delete(remark) }
        #expect(task.remarks.map(\.text) == ["two"])
        try realm.undo.undo()
        #expect(task.remarks.map(\.text) == ["one", "two"])
        try realm.undo.redo()
        #expect(task.remarks.map(\.text) == ["two"])
        #expect(realm.objects(DraftRemark.self).count == 1)
    }

    @Test("an object that somebody else has created again is not created over theirs")
    func createdByOthers() throws {
        let task = try task()
        try realm.write { realm.delete(task) }
        try others { realm, _ in realm.create(DraftTask.self, value: ["id": 1, "title": "theirs"]) }
        try realm.undo.undo()
        #expect(realm.objects(DraftTask.self).map(\.title) == ["theirs"])
    }

    @Test("changes of an object that somebody else has deleted are not undone")
    func deletedByOthers() throws {
        let task = try task()
        try realm.write { task.title = "new" }
        try others { realm, task in if let task { realm.delete(task) } }
        #expect(try !realm.undo.undo())
        #expect(realm.objects(DraftTask.self).isEmpty)
    }

    // MARK: - Steps

    @Test("nothing is recorded while it is off, and never what others write")
    func recording() throws {
        let task = try task()
        #expect(!realm.undo.canUndo)
        try others { _, task in task?.title = "theirs" }
        #expect(!realm.undo.canUndo)
        try realm.write {}
        #expect(!realm.undo.canUndo)
        try realm.write { task.title = "new" }
        realm.undo.isRecording = false
        try realm.write { task.priority = 5 }
        #expect(realm.undo.undoCount == 1)
        try realm.undo.undo()
        #expect(task.title == "theirs" && task.priority == 5)
        #expect(realm.undo.redoCount == 1)
    }

    @Test("a write in which recording begins is undone whole")
    func begunInWrite() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [DraftTask.self, DraftPerson.self, DraftPlace.self, DraftRemark.self]))
        let task = try realm.write {
            let task = realm.create(
                DraftTask.self, value: ["id": 1, "title": "old", "steps": ["a", "b"]] as [String: Any])
            task.labels.insert("home")
            task.links["a"] = "b"
            task.body.append("text")
            return task
        }
        try realm.write {
            task.steps.remove(at: 0)
            task.steps.append("c")
            task.labels.insert("garden")
            task.links["a"] = "c"
            task.body.append(" more")
            realm.undo.isRecording = true
            task.title = "new"
            task.steps.append("d")
        }
        #expect(realm.undo.undoCount == 1)
        try realm.undo.undo()
        #expect(Array(task.steps) == ["a", "b"] && Array(task.labels) == ["home"] && task.links["a"] == "b")
        #expect(task.body.string == "text" && task.title == "old")
        try realm.undo.redo()
        #expect(Array(task.steps) == ["b", "c", "d"] && task.labels.count == 2 && task.links["a"] == "c")
        #expect(task.body.string == "text more" && task.title == "new")
    }

    @Test("a group is one step, steps have names, and only the newest are kept")
    func groups() throws {
        let task = try task()
        try realm.undo.group(named: "Count") {
            for number in 2...5 { try realm.write { task.priority = number } }
            try realm.undo.group(named: "inner") { try realm.write { task.title = "new" } }
        }
        #expect(realm.undo.undoCount == 1 && realm.undo.undoActionName == "Count")
        try realm.undo.undo()
        #expect(task.priority == 1 && task.title == "old" && realm.undo.redoActionName == "Count")
        try realm.undo.redo()
        #expect(task.priority == 5 && task.title == "new" && realm.undo.undoActionName == "Count")
        try realm.write {
            task.priority = 6
            realm.undo.actionName = "Raise"
        }
        #expect(realm.undo.undoActionName == "Raise")
        realm.undo.limit = 2
        for number in 7...9 { try realm.write { task.priority = number } }
        #expect(realm.undo.undoCount == 2 && realm.undo.undoActionName == nil)
        while try realm.undo.undo() {}
        #expect(task.priority == 7)
    }

    @Test("a new write forgets what could be redone, and a write that is rolled back is no step")
    func forgetting() throws {
        let task = try task()
        try realm.write { task.title = "new" }
        try realm.undo.undo()
        #expect(realm.undo.canRedo)
        realm.beginWrite()
        task.title = "no"
        realm.cancelWrite()
        #expect(realm.undo.canRedo && !realm.undo.canUndo)
        try realm.write { task.priority = 3 }
        #expect(!realm.undo.canRedo && realm.undo.undoCount == 1)
        realm.undo.removeAll()
        #expect(!realm.undo.canUndo)
    }
}
