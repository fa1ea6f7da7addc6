import Causeway
import CausewayFolders
import Dispatch
import Foundation
import Testing

class DraftOwner: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(deleteRule: .cascade) var next: DraftOwner?
    @Persisted(deleteRule: .cascade) var children: List<DraftOwner>
    @Persisted(deleteRule: .cascadeWhenLast) var shared: Map<String, DraftOwner?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Every feature that a write can meet, and undo with it.
@Suite("Undo beside other features")
struct UndoReachTests: DraftSuite {
    let realm: Realm
    let queue = DispatchQueue(label: "others")
    private static let types: [ObjectBase.Type] = [
        DraftTask.self, DraftPerson.self, DraftPlace.self, DraftRemark.self, DraftOwner.self,
    ]

    init() throws {
        realm = try Realm.recordingDrafts(Self.types)
    }

    // MARK: - Delete rules

    private func owners() -> [String] {
        realm.objects(DraftOwner.self).sorted(by: \.id).map { owner in
            let named = owner.shared.map { "\($0.key)\($0.value?.id ?? 0)" }.sorted()
            return "\(owner.id)>\(owner.next?.id ?? 0) \(Array(owner.children.map(\.id))) \(named)"
        }
    }

    @Test("what a delete rule deleted comes back with its owner, and goes with it again")
    func cascade() throws {
        try unrecorded {
            let nodes = (1...6).map { realm.create(DraftOwner.self, value: ["id": $0]) }
            nodes[0].next = nodes[1]
            nodes[1].children.append(objectsIn: [nodes[2], nodes[3]])
            nodes[3].shared["a"] = nodes[4]
            nodes[5].shared["b"] = nodes[0]
        }
        let before = owners()
        let first = try #require(realm.object(ofType: DraftOwner.self, forPrimaryKey: 1))
        try realm.write { realm.delete(first) }
        let after = owners()
        #expect(after.count == 1)
        for _ in 0..<3 {
            try realm.undo.undo()
            #expect(owners() == before)
            try realm.undo.redo()
            #expect(owners() == after)
        }
    }

    @Test("undo of a creation does not delete what the new object owns, if that was there before")
    func ownedBefore() throws {
        try unrecorded {
            for id in 1...4 { realm.create(DraftOwner.self, value: ["id": id]) }
        }
        let nodes = realm.objects(DraftOwner.self).sorted(by: \.id)
        try realm.write {
            let owner = realm.create(DraftOwner.self, value: ["id": 9])
            owner.next = nodes[0]
            owner.children.append(nodes[1])
            owner.shared["x"] = nodes[2]
        }
        let after = owners()
        try realm.undo.undo()
        #expect(owners() == ["1>0 [] []", "2>0 [] []", "3>0 [] []", "4>0 [] []"])
        try realm.undo.redo()
        #expect(owners() == after)
    }

    // MARK: - One primary key, two objects

    @Test("an object that was replaced under its primary key comes back, and links lead to it, whoever made them")
    func replacedUnderLinks() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            let ada = realm.create(DraftPerson.self, value: ["name": "Ada", "age": 36])
            task.owner = ada
            task.helpers.append(ada)
            task.friends.insert(ada)
            task.items.append(.object(ada))
            return task
        }
        try realm.write {
            if let ada = task.owner { realm.delete(ada) }
            let ada = realm.create(DraftPerson.self, value: ["name": "Ada", "age": 1])
            task.owner = ada
            task.helpers.append(ada)
        }
        try others { realm, task in
            task?.friends.insert(objectsIn: realm.objects(DraftPerson.self))
        }
        for _ in 0..<3 {
            try realm.undo.undo()
            #expect(realm.objects(DraftPerson.self).map(\.age) == [36])
            #expect(task.owner?.age == 36 && task.helpers.map(\.age) == [36] && task.friends.map(\.age) == [36])
            try realm.undo.redo()
            #expect(realm.objects(DraftPerson.self).map(\.age) == [1])
            #expect(task.owner?.age == 1 && task.helpers.map(\.age) == [1] && task.friends.map(\.age) == [1])
        }
        #expect(try realm.verify().problems.isEmpty)
    }

    @Test("an object that was replaced under its primary key and then edited by others stays as they have it")
    func replacedAndEdited() throws {
        let task = try unrecorded {
            realm.create(DraftTask.self, value: ["id": 1, "title": "old", "steps": ["a"]] as [String: Any])
        }
        try realm.write {
            realm.delete(task)
            realm.create(DraftTask.self, value: ["id": 1, "title": "new", "steps": ["b"]] as [String: Any])
        }
        try others { _, task in task?.note = "theirs" }
        try realm.undo.undo()
        let now = realm.objects(DraftTask.self)
        #expect(now.map(\.title) == ["new"] && now.map(\.note) == ["theirs"] && now.map { Array($0.steps) } == [["b"]])
    }

    @Test("groups that replace an object with embedded objects again and again are undone and redone")
    func replacedOften() throws {
        func make(_ number: Int) {
            let task = realm.create(DraftTask.self, value: ["id": 1, "title": "\(number)"])
            task.steps.append(objectsIn: (0..<number).map { "\($0)" })
            task.stops.append(DraftPlace(value: ["city": "\(number)", "rooms": ["r"]] as [String: Any]))
            task.place = number % 2 == 0 ? nil : DraftPlace(value: ["city": "place"])
            task.anything = AnyRealmValue.fromArray([.int(number)])
            task.body.append("text \(number)")
            task.labels.insert("\(number)")
            task.links["k"] = "\(number)"
            realm.create(DraftRemark.self, value: ["text": "\(number)"])
        }
        func state() -> [String] {
            realm.objects(DraftTask.self).map { task in
                let anything = if case .list(let list) = task.anything { Array(list) } else { [AnyRealmValue]() }
                return "\(task.title) \(Array(task.steps)) \(task.stops.map { "\($0.city)\(Array($0.rooms))" })"
                    + "\(task.place?.city ?? "nil") \(anything) \(task.body.string) \(Set(task.labels)) "
                    + "\(task.links["k"] ?? "") \(realm.objects(DraftRemark.self).count)"
            }
        }
        try unrecorded { make(1) }
        var states = [state()]
        for number in stride(from: 2, to: 14, by: 4) {
            try realm.undo.group {
                try realm.write {
                    realm.delete(realm.objects(DraftTask.self))
                    make(number)
                }
                try realm.write { realm.objects(DraftTask.self)[0].steps.insert("x", at: 1) }
                try realm.write { realm.delete(realm.objects(DraftTask.self)) }
                try realm.write { make(number + 1) }
                try realm.write {
                    realm.delete(realm.objects(DraftTask.self))
                    make(number + 2)
                }
                try realm.write { realm.objects(DraftTask.self)[0].stops[0].rooms.append("more") }
            }
            states.append(state())
        }
        for _ in 0..<3 {
            for place in (0..<states.count - 1).reversed() {
                try realm.undo.undo()
                #expect(state() == states[place])
            }
            for place in 1..<states.count {
                try realm.undo.redo()
                #expect(state() == states[place])
            }
        }
        #expect(try realm.verify().problems.isEmpty)
    }

    // MARK: - Sets and maps

    @Test("a key or element that others have touched stays as they left it, even removed or set to the same value")
    func touchedKeys() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.labels.insert(objectsIn: ["kept", "gone"])
            task.links["kept"] = "old"
            task.links["gone"] = "old"
            return task
        }
        try realm.write {
            // All at once, as many apps do it.
            task.labels.removeAll()
            task.labels.insert(objectsIn: ["kept", "gone", "mine"])
            task.links.removeAll()
            task.links["kept"] = "old"
            task.links["gone"] = "new"
            task.links["mine"] = "new"
        }
        try others { _, task in
            task?.labels.remove("gone")
            task?.links["gone"] = nil
        }
        try others { _, task in
            task?.labels.remove("mine")
            task?.labels.insert("mine")
            task?.links["mine"] = "theirs"
        }
        try others { _, task in task?.links["mine"] = "new" }
        try realm.undo.undo()
        #expect(Set(task.labels) == ["kept"])
        #expect(task.links.count == 2 && task.links["kept"] == "old" && task.links["mine"] == "new")
        try realm.undo.redo()
        #expect(Set(task.labels) == ["kept", "mine"])
        #expect(task.links["gone"] == nil)
    }

    @Test("large sets and maps are undone, also where all was removed at once")
    func largeKeyed() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            for number in 0..<5000 {
                task.labels.insert("\(number)")
                task.links["\(number)"] = "old"
            }
            return task
        }
        try realm.write {
            for number in stride(from: 0, to: 5000, by: 2) { task.labels.remove("\(number)") }
            for number in 5000..<9000 { task.labels.insert("\(number)") }
            task.links.removeAll()
            task.links["5"] = "old"
            task.links["6"] = "new"
        }
        try others { _, task in task?.labels.insert("theirs") }
        try realm.undo.undo()
        #expect(Set(task.labels) == Set((0..<5000).map { "\($0)" } + ["theirs"]))
        #expect(task.links.count == 5000 && task.links.allSatisfy { $0.value == "old" })
        try realm.undo.redo()
        #expect(task.labels.count == 6501 && task.links.count == 2 && task.links["6"] == "new")
    }

    @Test("numbers that compare equal are one element of a set, and links of sets follow their objects")
    func equalElements() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.friends.insert(objectsIn: ["Ada", "Bob"].map { realm.create(DraftPerson.self, value: ["name": $0]) })
            return task
        }
        let ada = try #require(realm.object(ofType: DraftPerson.self, forPrimaryKey: "Ada"))
        try realm.write { task.friends.remove(ada) }
        try realm.write { realm.delete(ada) }
        try realm.undo.undo()
        try realm.undo.undo()
        #expect(Set(task.friends.map(\.name)) == ["Ada", "Bob"])
        try realm.undo.redo()
        try others { realm, task in
            if let ada = realm.object(ofType: DraftPerson.self, forPrimaryKey: "Ada") {
                task?.friends.insert(ada)
            }
        }
        try others { realm, task in
            if let ada = realm.object(ofType: DraftPerson.self, forPrimaryKey: "Ada") { task?.friends.remove(ada) }
        }
        #expect(try !realm.undo.undo())
        #expect(task.friends.map(\.name) == ["Bob"])
    }

    // MARK: - Mixed values

    @Test("collections inside of mixed values are undone at any depth, and stay where others have edited them")
    func nested() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.anything = AnyRealmValue.fromDictionary([
                "list": AnyRealmValue.fromArray([.int(1), AnyRealmValue.fromDictionary(["deep": .string("old")])])
            ])
            task.items.append(AnyRealmValue.fromArray([.string("a")]))
            return task
        }
        func list() -> List<AnyRealmValue>? { task.anything.dictionaryValue?["list"]?.listValue }
        func deep() -> AnyRealmValue? { list()?.last?.dictionaryValue?["deep"] }
        try realm.write {
            list()?[1].dictionaryValue?["deep"] = .string("new")
            list()?.insert(.int(0), at: 0)
            task.items.insert(AnyRealmValue.fromDictionary(["x": .int(1)]), at: 0)
            task.items[1].listValue?.append(.string("b"))
        }
        try realm.undo.undo()
        #expect(deep() == .string("old") && list()?.count == 2)
        #expect(task.items.count == 1 && task.items[0].listValue.map { Array($0) } == [.string("a")])
        try realm.undo.redo()
        #expect(list()?.count == 3)
        #expect(task.items.count == 2 && task.items[1].listValue.map { Array($0) } == [.string("a"), .string("b")])
        try others { _, task in task?.items[0].dictionaryValue?["y"] = .int(2) }
        try realm.undo.undo()
        #expect(task.items.count == 2 && task.items[0].dictionaryValue?.count == 2)
        #expect(task.items[1].listValue.map { Array($0) } == [.string("a")] && deep() == .string("old"))
        try realm.write { task.anything = .int(5) }
        try realm.undo.undo()
        #expect(deep() == .string("old"))
    }

    // MARK: - Properties and lists

    @Test("a property that others have set to the same value is theirs")
    func sameValue() throws {
        let task = try unrecorded { realm.create(DraftTask.self, value: ["id": 1, "title": "old"]) }
        try realm.write { task.title = "new" }
        try others { _, task in task?.title = "theirs" }
        try others { _, task in task?.title = "new" }
        #expect(try !realm.undo.undo())
        #expect(task.title == "new")
    }

    @Test("an element that the app moved and others replaced goes back with their value")
    func movedAndReplaced() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.steps.append(objectsIn: ["a", "b", "c", "d"])
            return task
        }
        try realm.write { task.steps.move(from: 0, to: 3) }
        try realm.write { task.steps.move(from: 3, to: 1) }
        try others { _, task in task?.steps[1] = "A" }
        #expect(Array(task.steps) == ["b", "A", "c", "d"])
        try realm.undo.undo()
        #expect(Array(task.steps) == ["b", "c", "d", "A"])
        try realm.undo.undo()
        #expect(Array(task.steps) == ["A", "b", "c", "d"])
        try realm.undo.redo()
        try realm.undo.redo()
        #expect(Array(task.steps) == ["b", "A", "c", "d"])
        try realm.undo.undo()
        try realm.undo.undo()
        #expect(Array(task.steps) == ["A", "b", "c", "d"])
    }

    @Test("an element that others have moved often and long ago is still the one that the app added")
    func movedOften() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.steps.append(objectsIn: ["a", "b", "c"])
            return task
        }
        realm.undo.limit = 1000
        try realm.write { task.steps.insert("mine", at: 1) }
        for _ in 0..<5 {
            try others { _, task in for _ in 0..<4000 { task?.steps.move(from: 0, to: 3) } }
        }
        try others { _, task in task?.steps.move(from: 1, to: 2) }
        for number in 0..<300 { try realm.write { task.priority = number } }
        try others { _, task in task?.steps.move(from: 2, to: 3) }
        while realm.undo.canUndo { try realm.undo.undo() }
        #expect(Set(task.steps) == ["a", "b", "c"] && task.steps.count == 3)
    }

    @Test("typing of others at many places over a long time does not end the history")
    func typedOften() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.body.append(String(repeating: "-", count: 30_000))
            return task
        }
        try realm.write { task.body.insert("mine", at: 15_000) }
        for round in 0..<10 {
            try others { _, task in
                for place in stride(from: 29_000, to: 0, by: -10) { task?.body.insert("x", at: place + round % 7) }
            }
        }
        #expect(task.body.count == 30_004 + 29_000)
        try realm.undo.undo()
        #expect(task.body.count == 59_000 && Set(task.body.string) == ["-", "x"])
    }

    // MARK: - Parts that are lost

    @Test("a list of which others did not tell their edits is refused once, and recorded again from then on")
    func lost() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.steps.append(objectsIn: (0..<50_000).map { "\($0)" })
            task.links["a"] = "1"
            return task
        }
        try realm.write { task.steps.append("first") }
        try realm.write { task.links["a"] = "2" }
        try others { _, task in
            for place in stride(from: 49_998, to: 0, by: -2) { task?.steps.remove(at: place) }
            task?.links["b"] = "theirs"
        }
        let error = #expect(throws: Realm.Error.self) { try realm.undo.undo() }
        #expect(error.map { "\($0)".contains("DraftTask.links") } == true)
        try realm.write {
            task.steps.append("second")
            task.links["c"] = "3"
            task.title = "new"
        }
        try realm.undo.undo()
        #expect(task.title == "" && task.steps.last == "first" && task.links["c"] == nil && task.links["a"] == "2")
        #expect(throws: Realm.Error.self) { try realm.undo.undo() }
        #expect(task.steps.last == "first" && task.links["b"] == "theirs" && !realm.undo.canUndo)
    }

    @Test("a write that changes nothing in the end leaves nothing that the next step could mistake")
    func netZero() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.steps.append(objectsIn: ["a", "b"])
            task.body.append("text of some length")
            return task
        }
        try realm.write {
            task.steps.append("c")
            task.steps.removeLast()
            task.body.append("c")
            task.body.remove(19..<20)
        }
        #expect(!realm.undo.canUndo)
        try others { _, task in
            task?.steps.insert(contentsOf: ["x", "y"], at: 0)
            task?.body.remove(2..<19)
        }
        try realm.write {
            task.steps.append("d")
            task.body.append("!")
        }
        try realm.undo.undo()
        #expect(Array(task.steps) == ["x", "y", "a", "b"] && task.body.string == "te")
    }

    @Test("what an observer writes before an undo begins is followed")
    func observer() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.body.append("0123456789")
            task.steps.append(objectsIn: ["a", "b"])
            return task
        }
        try realm.write {
            task.body.insert("mine", at: 5)
            task.steps.insert("mine", at: 1)
        }
        realm.autorefresh = false
        let configuration = realm.configuration
        try queue.sync {
            let other = try Realm(configuration: configuration, queue: queue)
            try other.write { other.create(DraftPerson.self, value: ["name": "Ada"]) }
        }
        let token = realm.observe { _, realm in
            guard realm.isInWriteTransaction, let task = realm.objects(DraftTask.self).first else { return }
            if task.body.string.hasPrefix("observed") { return }
            task.body.insert("observed", at: 0)
            task.steps.insert("observed", at: 0)
        }
        try realm.undo.undo()
        token.invalidate()
        #expect(task.body.string == "observed0123456789" && Array(task.steps) == ["observed", "a", "b"])
    }

    // MARK: - Writes that do not come to be

    @Test("a cancelled write leaves the history as it was, with its places")
    func cancelled() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.steps.append(objectsIn: ["a", "b", "c"])
            task.stops.append(DraftPlace(value: ["city": "Bern"]))
            task.body.append("abc")
            task.labels.insert("a")
            return task
        }
        try realm.write {
            task.steps.insert("mine", at: 1)
            task.body.insert("mine", at: 1)
            task.labels.insert("mine")
            task.stops[0].city = "Basel"
        }
        realm.beginWrite()
        task.steps.removeAll()
        task.body.removeAll()
        task.labels.removeAll()
        realm.delete(task)
        realm.cancelWrite()
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try realm.write {
                task.steps.insert("no", at: 0)
                throw Stop()
            }
        }
        #expect(realm.undo.undoCount == 1)
        try realm.undo.undo()
        #expect(Array(task.steps) == ["a", "b", "c"] && task.body.string == "abc" && Set(task.labels) == ["a"])
        #expect(task.stops.map(\.city) == ["Bern"])
        realm.beginWrite()
        task.steps.insert("no", at: 0)
        realm.cancelWrite()
        try realm.undo.redo()
        #expect(Array(task.steps) == ["a", "mine", "b", "c"] && task.body.string == "aminebc")
    }

    @Test("a step whose undo cannot be committed is kept, with all that it needs")
    func failedCommit() throws {
        let folder = try TemporaryFolder()
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: folder.file("a.realm")), objectTypes: Self.types)
        configuration.maximumNumberOfActiveVersions = 4
        let realm = try Realm(configuration: configuration)
        let task = try realm.write {
            let task = realm.create(DraftTask.self, value: ["id": 1, "title": "old", "steps": ["a"]] as [String: Any])
            task.owner = realm.create(DraftPerson.self, value: ["name": "Ada", "age": 36])
            return task
        }
        realm.undo.isRecording = true
        try realm.write {
            task.steps.append("b")
            if let ada = task.owner { realm.delete(ada) }
        }
        var held: Realm? = realm.freeze()
        for number in 0..<20 {
            do { try realm.write { task.priority = number } } catch { break }
        }
        #expect(held?.objects(DraftTask.self).count == 1)
        let count = realm.undo.undoCount
        for _ in 0..<2 { #expect(throws: Realm.Error.self) { try realm.undo.undo() } }
        #expect(throws: Realm.Error.self) { try realm.write { task.title = "no" } }
        #expect(realm.undo.undoCount == count && !realm.undo.canRedo)
        held = nil
        while realm.undo.canUndo { try realm.undo.undo() }
        #expect(Array(task.steps) == ["a"] && task.owner?.age == 36 && task.priority == 0)
        while realm.undo.canRedo { try realm.undo.redo() }
        #expect(Array(task.steps) == ["a", "b"] && task.owner == nil)
    }

    // MARK: - Files

    @Test("undo works in an encrypted file and after it was compacted")
    func encryptedAndCompacted() throws {
        let folder = try TemporaryFolder()
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: folder.file("a.realm")), encryptionKey: Data(repeating: 7, count: 64),
            objectTypes: Self.types)
        configuration.shouldCompactOnLaunch = { _, _ in true }
        for round in 0..<2 {
            do {
                let realm = try Realm(configuration: configuration)
                realm.undo.isRecording = true
                let task = try realm.write {
                    let task = realm.create(DraftTask.self, value: ["id": round])
                    task.steps.append(objectsIn: ["a", "b"])
                    return task
                }
                #expect(!realm.undo.canRedo && realm.undo.undoCount == 1)
                try realm.write { task.steps.insert("mine", at: 1) }
                let same = configuration
                try queue.sync {
                    let other = try Realm(configuration: same, queue: queue)
                    try other.write {
                        other.object(ofType: DraftTask.self, forPrimaryKey: round)?.steps.insert("theirs", at: 0)
                    }
                }
                try realm.undo.undo()
                #expect(Array(task.steps) == ["theirs", "a", "b"])
            }
        }
    }

    @Test("a migration is no step, and its file has an empty history")
    func migration() throws {
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.file("a.realm"))
        do {
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: Self.types))
            realm.undo.isRecording = true
            try realm.write { realm.create(DraftTask.self, value: ["id": 1, "title": "old"]) }
        }
        let configuration = Realm.Configuration(
            fileURL: url, schemaVersion: 2,
            migrationBlock: { migration, _ in
                migration.enumerateObjects(ofType: "DraftTask") { _, new in new?["title"] = "migrated" }
            }, objectTypes: Self.types)
        let realm = try Realm(configuration: configuration)
        realm.undo.isRecording = true
        #expect(!realm.undo.canUndo && realm.objects(DraftTask.self).map(\.title) == ["migrated"])
        #expect(try !realm.undo.undo())
    }

    @Test("frozen and read-only Realms have no history: asking for it stops the program with a sentence")
    func neverWritten() async {
        let frozen = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(
                configuration: .init(inMemoryIdentifier: "frozen", objectTypes: [DraftPerson.self]))
            _ = realm.freeze().undo.canUndo
        }
        let ofFrozen = String(decoding: frozen?.standardErrorContent ?? [], as: UTF8.self)
        #expect(ofFrozen.contains("no undo history"))
        let readOnly = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let folder = try TemporaryFolder()
            var configuration = Realm.Configuration(
                fileURL: URL(fileURLWithPath: folder.file("a.realm")), objectTypes: [DraftPerson.self])
            do { _ = try Realm(configuration: configuration) }
            configuration.readOnly = true
            try Realm(configuration: configuration).undo.isRecording = true
        }
        let ofReadOnly = String(decoding: readOnly?.standardErrorContent ?? [], as: UTF8.self)
        #expect(ofReadOnly.contains("no undo history"))
    }

    // MARK: - Bounds

    @Test("a write and a group that delete more than the history may take are refused, and not kept in memory")
    func tooManyBytes() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1, "title": "old"])
            for _ in 0..<70 {
                realm.create(DraftRemark.self, value: ["text": String(repeating: "x", count: 1 << 20)])
            }
            return task
        }
        try realm.write { task.title = "new" }
        try realm.undo.group {
            for remark in realm.objects(DraftRemark.self).prefix(66) { try realm.write { remark.text = "y" } }
        }
        #expect(realm.undo.undoCount == 2)
        let error = #expect(throws: Realm.Error.self) { try realm.undo.undo() }
        #expect(error.map { "\($0)".contains("64 MB") } == true && realm.undo.undoCount == 1)
        try unrecorded {
            for remark in realm.objects(DraftRemark.self) { remark.text = String(repeating: "z", count: 1 << 20) }
        }
        try realm.write { realm.delete(realm.objects(DraftRemark.self)) }
        #expect(throws: Realm.Error.self) { try realm.undo.undo() }
        #expect(realm.objects(DraftRemark.self).isEmpty && task.title == "new")
        #expect(try realm.undo.undo())
        #expect(task.title == "old")
    }

    @Test("a step just below the bounds is undone and redone in its time")
    func nearBounds() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.steps.append(objectsIn: (0..<30_000).map { "\($0)" })
            return task
        }
        try realm.write {
            for place in stride(from: 28_000, to: 0, by: -4) { task.steps.remove(at: place) }
            for number in 0..<90_000 { realm.create(DraftRemark.self, value: ["text": "\(number)"]) }
        }
        let after = Array(task.steps)
        let start = ContinuousClock.now
        try realm.undo.undo()
        #expect(Array(task.steps) == (0..<30_000).map { "\($0)" } && realm.objects(DraftRemark.self).isEmpty)
        try realm.undo.redo()
        #expect(Array(task.steps) == after && realm.objects(DraftRemark.self).count == 90_000)
        #expect(ContinuousClock.now - start < .seconds(120))
    }

    @Test("20,000 elements that are replaced, moved or removed together are a step")
    func manyElements() throws {
        let task = try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            task.steps.append(objectsIn: (0..<20_000).map { "\($0)" })
            return task
        }
        let states = [
            (0..<20_000).map { "\($0)" }, (0..<20_000).map { "new \($0)" }, (0..<20_000).map { "newer \($0)" }, [],
        ]
        try realm.write { for place in 0..<20_000 { task.steps[place] = "new \(place)" } }
        try realm.write { task.steps.replaceSubrange(0..<20_000, with: (0..<20_000).map { "newer \($0)" }) }
        try realm.write { task.steps.removeAll() }
        for state in states.dropLast().reversed() {
            try realm.undo.undo()
            #expect(Array(task.steps) == state)
        }
        for state in states.dropFirst() {
            try realm.undo.redo()
            #expect(Array(task.steps) == state)
        }
    }
}
