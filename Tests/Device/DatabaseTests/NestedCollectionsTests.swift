@testable import Causeway
import CausewayModel
import CausewayObjectStore
import Foundation
import Testing

class Holder: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var byName: Map<String, AnyRealmValue>
    @Persisted var other: Holder?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PlainThing: Object {
    @Persisted var name = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Collections inside of mixed values")
struct NestedCollectionsTests {
    private func realm(_ types: [ObjectBase.Type] = [Holder.self]) throws -> Realm {
        try Realm(configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
    }

    /// How many rows there are of hidden classes, as the file has them.
    private func hiddenRows(_ realm: Realm) throws -> Int {
        let transaction = realm.instance.transaction
        return NestedCollection.allCases.reduce(0) { $0 + (transaction.nestedTable($1)?.count ?? 0) }
    }

    /// Five collections.
    private static var sample: AnyRealmValue {
        .fromDictionary([
            "list": .fromArray([.int(1), .fromArray([.fromDictionary(["x": .none])])]), "map": .fromDictionary([:]),
        ])
    }

    @Test("an update of what differs leaves mixed values alone that are there already, and tells nobody")
    func updatingWithTheSame() throws {
        let realm = try realm()
        func values(_ other: Int) -> [String: Any] {
            [
                "id": 1,
                "any": ["a": [1, 2.5, ["x": NSNull()] as [String: Any]] as [Any], "b": other] as [String: Any],
                "anys": [[1, "two"] as [Any], 3, ["deep": [Any]()]] as [Any],
                "byName": ["m": ["n": [true]], "o": "p"] as [String: Any],
            ]
        }
        let holder = try realm.write { realm.create(Holder.self, value: values(1)) }
        let rows = try hiddenRows(realm)
        let inner = try #require(holder.any.dictionaryValue?["a"]?.listValue)
        var heard: [[String]] = []
        let token = holder.observe { change in
            if case .change(_, let properties) = change { heard.append(properties.map(\.name)) }
        }
        realm.refresh()
        let before = realm.instance.transaction.version
        try realm.write {
            realm.create(Holder.self, value: values(1), update: .modified)
            realm.add(Holder(value: values(1)), update: .modified)
        }
        realm.refresh()
        let record = try #require(realm.instance.changes.between(before, realm.instance.transaction.version))
        #expect(heard == [] && record.isEmpty && !inner.isInvalidated)
        try realm.write { realm.create(Holder.self, value: values(2), update: .modified) }
        realm.refresh()
        #expect(heard == [["any"]] && inner.isInvalidated)
        #expect(try holder.any.dictionaryValue?["b"] == .int(2) && hiddenRows(realm) == rows)
        // The policy that writes everything still does.
        try realm.write { realm.create(Holder.self, value: values(2), update: .all) }
        realm.refresh()
        #expect(heard.last == ["any", "anys", "byName"] && heard.count == 2)
        token.invalidate()
    }

    @Test("an update of what differs sees other kinds, lengths, keys and objects of collections in mixed values")
    func updatingWithOthers() throws {
        let realm = try realm()
        let forms: [AnyRealmValue] = [
            .fromArray([.int(1)]), .fromArray([.int(1), .int(2)]), .fromArray([.double(1)]),
            .fromDictionary(["a": .int(1)]),
            .fromDictionary(["b": .int(1)]), .fromDictionary(["a": .int(1), "b": .none]), .fromArray([.fromArray([])]),
            .fromArray([.fromDictionary([:])]), .none, .int(1), .fromArray([.object(Holder(value: ["id": 5]))]),
        ]
        for form in forms {
            try realm.write { realm.add(Holder(value: ["id": 1, "any": form, "anys": [form]]), update: .modified) }
            let holder = try #require(realm.object(ofType: Holder.self, forPrimaryKey: 1))
            for (value, wanted) in [(holder.any, form), (holder.anys[0], form)] {
                #expect(words(value) == words(wanted))
            }
        }
        #expect(realm.objects(Holder.self).map(\.id).sorted() == [1, 5])
    }

    private func words(_ value: AnyRealmValue) -> String {
        switch value {
        case .list(let list): "[" + list.map { words($0) }.joined(separator: ",") + "]"
        case .dictionary(let map):
            "{" + map.asKeyValueSequence().map { "\($0.key):\(words($0.value))" }.sorted().joined(separator: ",") + "}"
        case .object(let object): "object \((object as? Holder)?.id ?? 0)"
        default: "\(value)"
        }
    }

    @Test("the rows below a value end with it, however it goes")
    func nothingIsLeft() throws {
        let realm = try realm()
        let holder = try realm.write {
            let holder = realm.create(Holder.self, value: ["id": 1])
            holder.any = Self.sample
            holder.anys.append(objectsIn: [Self.sample, .int(1), Self.sample])
            holder.byName["a"] = Self.sample
            holder.byName["b"] = Self.sample
            return holder
        }
        #expect(try hiddenRows(realm) == 25)
        try realm.write { holder.any = .string("gone") }
        #expect(try hiddenRows(realm) == 20)
        try realm.write { holder.anys[0] = .none }
        #expect(try hiddenRows(realm) == 15)
        try realm.write { holder.anys.removeLast() }
        #expect(try hiddenRows(realm) == 10)
        try realm.write { holder.byName["a"] = nil }
        #expect(try hiddenRows(realm) == 5)
        try realm.write { holder.byName["b"]?.dictionaryValue?["list"] = .int(0) }
        #expect(try hiddenRows(realm) == 2)
        try realm.write { holder.any = Self.sample }
        try realm.write { realm.delete(holder) }
        #expect(try hiddenRows(realm) == 0)
        #expect(realm.isEmpty)
        try realm.write {
            for id in 0..<10 { realm.create(Holder.self, value: ["id": id, "any": Self.sample] as [String: Any]) }
        }
        #expect(try hiddenRows(realm) == 50)
        try realm.write { realm.deleteAll() }
        #expect(try hiddenRows(realm) == 0)
    }

    @Test("a write that is undone leaves the collections as they were, and ends those it made")
    func undone() throws {
        let realm = try realm()
        let holder = try realm.write {
            realm.create(Holder.self, value: ["id": 1, "any": Self.sample] as [String: Any])
        }
        let list = try #require(holder.any.dictionaryValue?["list"]?.listValue)
        realm.beginWrite()
        list.append(.int(2))
        holder.anys.append(.fromArray([.int(1)]))
        let new = try #require(holder.anys[0].listValue)
        holder.any = .none
        #expect(list.isInvalidated)
        realm.cancelWrite()
        #expect(holder.any.dictionaryValue?["list"]?.listValue?.count == 2)
        #expect(new.isInvalidated)
        #expect(try hiddenRows(realm) == 5)
    }

    @Test("a collection stored in a second place is copied, with the objects it links to")
    func copies() throws {
        let realm = try realm()
        try realm.write {
            let one = realm.create(Holder.self, value: ["id": 1])
            let two = realm.create(Holder.self, value: ["id": 2])
            one.any = .fromArray([.object(two), .fromDictionary(["k": .int(1)]), .object(Holder(value: ["id": 3]))])
            two.any = one.any
            two.any.listValue?[1].dictionaryValue?["k"] = .int(2)
            #expect(one.any.listValue?[1].dictionaryValue?["k"] == .int(1))
            #expect(two.any.listValue?[0].object(Holder.self)?.id == 2)
            #expect(two.any.listValue?[2].object(Holder.self)?.id == 3)
            one.anys.append(one.any)
            #expect(one.anys[0].listValue != one.any.listValue)
        }
        #expect(realm.objects(Holder.self).count == 3)
        let three = try #require(realm.object(ofType: Holder.self, forPrimaryKey: 3))
        try realm.write { realm.delete(three) }
        let one = try #require(realm.object(ofType: Holder.self, forPrimaryKey: 1))
        #expect(one.any.listValue?.count == 3)
        #expect(one.any.listValue?.last == AnyRealmValue.none)
    }

    @Test("unmanaged collections are equal by what they hold, managed ones by what they are")
    func equality() throws {
        #expect(AnyRealmValue.fromArray([.int(1)]) == .fromArray([.int(1)]))
        #expect(AnyRealmValue.fromArray([.int(1)]) != .fromArray([.int(2)]))
        #expect(AnyRealmValue.fromDictionary(["a": .int(1)]) == .fromDictionary(["a": .int(1)]))
        #expect(AnyRealmValue.fromArray([]) != .fromDictionary([:]))
        let realm = try realm()
        let holder = try realm.write {
            realm.create(Holder.self, value: ["id": 1, "any": [1]] as [String: Any])
        }
        #expect(holder.any == holder.any)
        #expect(Set([holder.any, holder.any]).count == 1)
        #expect(holder.any != .fromArray([.int(1)]))
    }

    @Test("frozen collections stay, and thaw to the live ones")
    func freezing() throws {
        let realm = try realm()
        let holder = try realm.write {
            realm.create(Holder.self, value: ["id": 1, "any": Self.sample] as [String: Any])
        }
        let frozen = holder.freeze()
        let list = try #require(holder.any.dictionaryValue?["list"]?.listValue)
        let frozenList = list.freeze()
        try realm.write {
            list.append(.int(5))
            list[1].listValue?.removeAll()
        }
        #expect(frozen.any.dictionaryValue?["list"]?.listValue?.count == 2)
        #expect(frozenList.count == 2)
        #expect(frozenList[1].listValue?[0].dictionaryValue?["x"] == AnyRealmValue.none)
        #expect(frozenList.isFrozen)
        #expect(frozenList.thaw()?.count == 3)
        #expect(list.count == 3)
        try realm.write { holder.any = .none }
        #expect(frozenList.thaw() == nil)
        #expect(frozenList.count == 2)
    }

    @Test("a file keeps them, opened again, read only, and by a program that declares less")
    func reopening() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("nested-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("nested.realm"), objectTypes: [Holder.self, PlainThing.self])
        try {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                realm.create(Holder.self, value: ["id": 1, "any": Self.sample] as [String: Any])
                for number in 0..<2000 {
                    realm.create(
                        Holder.self, value: ["id": number + 2, "any": [number, ["k": number]]] as [String: Any])
                }
            }
        }()
        try {
            let plain = try Realm(
                configuration: .init(fileURL: configuration.fileURL, objectTypes: [PlainThing.self]))
            try plain.write { plain.create(PlainThing.self, value: ["name": "x"]) }
            let dynamic = try #require(plain.dynamicObject(ofType: "Holder", forPrimaryKey: 1))
            #expect((dynamic["any"] as? Map<String, AnyRealmValue>)?["list"]?.listValue?[0] == .int(1))
        }()
        configuration.readOnly = true
        let realm = try Realm(configuration: configuration)
        for holder in realm.objects(Holder.self) where holder.id > 1 {
            let list = try #require(holder.any.listValue)
            #expect(list[0] == .int(holder.id - 2))
            #expect(list[1].dictionaryValue?["k"] == .int(holder.id - 2))
        }
    }

    @Test("a migration keeps collections in a property that got another name")
    func migration() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("nested-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("nested.realm")
        try {
            let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [NotesBefore.Note.self]))
            try realm.write {
                realm.create(
                    NotesBefore.Note.self,
                    value: ["id": 1, "body": Self.sample, "parts": [Self.sample]] as [String: Any])
            }
        }()
        let configuration = Realm.Configuration(
            fileURL: url, schemaVersion: 1,
            migrationBlock: { migration, _ in
                migration.renameProperty(onType: "Note", from: "body", to: "text")
                migration.renameProperty(onType: "Note", from: "parts", to: "pieces")
            }, objectTypes: [NotesAfter.Note.self])
        let realm = try Realm(configuration: configuration)
        let note = try #require(realm.objects(NotesAfter.Note.self).first)
        #expect(note.text.dictionaryValue?["list"]?.listValue?[1].listValue?[0].dictionaryValue?.keys == ["x"])
        #expect(note.pieces[0].dictionaryValue?["map"]?.dictionaryValue?.count == 0)
        #expect(try hiddenRows(realm) == 10)
    }

    @Test("nobody can name the hidden classes")
    func hidden() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: .init(inMemoryIdentifier: "hidden", objectTypes: [Holder.self]))
            _ = realm.dynamicObjects("#List")
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("is not managed"))
    }

    @Test("the description of an object shows what its collections hold")
    func description() throws {
        let realm = try realm()
        let holder = try realm.write {
            realm.create(Holder.self, value: ["id": 1, "any": [1, ["k": "v"]] as [Any]] as [String: Any])
        }
        #expect("\(holder)".contains("int(1)"))
        #expect("\(holder)".contains("string(\"v\")"))
    }
}

enum NotesBefore {
    class Note: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var body: AnyRealmValue
        @Persisted var parts: List<AnyRealmValue>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum NotesAfter {
    class Note: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var text: AnyRealmValue
        @Persisted var pieces: List<AnyRealmValue>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
