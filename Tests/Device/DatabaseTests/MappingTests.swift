import Causeway
import Foundation
import Testing

class MappedOwner: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "owner") var pets: LinkingObjects<MappedPet>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MappedChip: EmbeddedObject {
    @Persisted var code = 5
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MappedPet: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted(indexed: true) var kind: String
    @Persisted var age = 3
    @Persisted var weight: Double
    @Persisted var token: ObjectId
    @Persisted var owner: MappedOwner?
    @Persisted var chip: MappedChip?
    @Persisted var spare: MappedChip? = MappedChip()
    @Persisted var tags: List<String>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MappedNote: Object {
    @Persisted var text: String
    @Persisted(indexed: true) var number: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MappedFriend: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var rank: Int
    @Persisted var friends: List<MappedFriend>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Creating many objects at once")
struct MappingTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [
                    AddedThing.self, MappedOwner.self, MappedPet.self, MappedChip.self, MappedNote.self,
                ]))
    }

    /// Every property but the link, out of unmanaged things.
    private func create(_ things: [AddedThing], in realm: Realm) throws {
        try realm.create(AddedThing.self, from: things) { new in
            new.set(\.id, to: \.id)
            new.set(\.int8, to: \.int8)
            new.set(\.int64, to: \.int64)
            new.set(\.indexed, to: \.indexed)
            new.set(\.optionalInt, to: \.optionalInt)
            new.set(\.bool, to: \.bool)
            new.set(\.optionalBool, to: \.optionalBool)
            new.set(\.double, to: \.double)
            new.set(\.optionalDouble, to: \.optionalDouble)
            new.set(\.float, to: \.float)
            new.set(\.optionalFloat, to: \.optionalFloat)
            new.set(\.text, to: \.text)
            new.set(\.optionalText, to: \.optionalText)
            new.set(\.indexedText, to: \.indexedText)
            new.set(\.date, to: \.date)
            new.set(\.optionalDate, to: \.optionalDate)
            new.set(\.data, to: \.data)
            new.set(\.optionalData, to: \.optionalData)
            new.set(\.oid, to: \.oid)
            new.set(\.optionalOID, to: \.optionalOID)
            new.set(\.uuid, to: \.uuid)
            new.set(\.optionalUUID, to: \.optionalUUID)
            new.set(\.kind, to: \.kind)
            new.set(\.optionalKind, to: \.optionalKind)
            new.set(\.level, to: \.level)
            new.set(\.numbers) { thing in
                let numbers = List<Int>()
                numbers.append(objectsIn: thing.numbers)
                return numbers
            }
        }
    }

    @Test("they are what objects added one by one are", arguments: [0, 1, 999, 1000, 1001, 2300])
    func sameAsAdded(count: Int) throws {
        let realms = try (realm(), realm())
        // Twice, so that the second time begins inside a leaf; the keys of the first time come last.
        for first in [10_000, 0] {
            let things = (first..<first + count).map { AddingTests.thing($0) }
            try realms.0.write { try create(things, in: realms.0) }
            #expect(things.allSatisfy { $0.realm == nil })
            try realms.1.write { realms.1.add(things) }
            let (one, other) = (realms.0.objects(AddedThing.self), realms.1.objects(AddedThing.self))
            #expect(one.count == other.count)
            for (made, added) in zip(one, other) {
                #expect(made.id == added.id)
                #expect(
                    realms.0.object(ofType: AddedThing.self, forPrimaryKey: made.id)?.isSameObject(as: made) == true)
                for name in AddingTests.names.dropLast() {
                    let values = (made.value(forKey: name), added.value(forKey: name))
                    #expect("\(values.0 ?? "nil")" == "\(values.1 ?? "nil")", "\(name) of \(made.id)")
                }
                #expect(Array(made.numbers) == Array(added.numbers))
            }
            for query in ["indexed == 2", "indexed == nil", "indexedText == 'word 3'", "optionalBool == true"] {
                #expect(one.filter(query).map(\.id) == other.filter(query).map(\.id), "\(query)")
            }
        }
    }

    @Test("links to objects that are here, that are not yet, and embedded ones")
    func links() throws {
        let realm = try realm()
        let later = MappedOwner(value: ["later"])
        try realm.write {
            let owners = ["ann", "bob"].map { realm.create(MappedOwner.self, value: [$0]) }
            try realm.create(MappedPet.self, from: 0..<1500) { pet in
                pet.set(\.weight) { Double($0) }
                pet.set(\.owner) { [owners[0], owners[1], nil, later][$0 % 4] }
                pet.set(\.chip) { $0 % 2 == 0 ? MappedChip(value: [$0]) : nil }
            }
            // Inverse relations are there while writing.
            #expect(owners[1].pets.count == 375)
        }
        let pets = realm.objects(MappedPet.self)
        #expect(Set(pets.map(\.id)).count == 1500)
        #expect(Set(pets.map(\.token)).count == 1500)
        for (number, pet) in pets.enumerated() {
            #expect(pet.weight == Double(number) && pet.age == 3 && pet.kind == "" && pet.tags.isEmpty)
            #expect(pet.owner?.name == ["ann", "bob", nil, "later"][number % 4])
            #expect(pet.chip?.code == (number % 2 == 0 ? number : nil))
            #expect(pet.spare?.code == 5)
        }
        #expect(later.realm != nil && later.pets.count == 375 && realm.objects(MappedOwner.self).count == 3)
        #expect(realm.objects(MappedPet.self).filter("owner.name == 'ann'").count == 375)
        try realm.write { realm.delete(later) }
        #expect(pets.filter("owner == nil").count == 750)
    }

    @Test("a primary key that is there, or comes twice, is an error with the key in it, and nothing was created")
    func duplicates() throws {
        let realm = try realm()
        try realm.write { realm.create(AddedThing.self, value: ["id": 4, "text": "first"]) }
        for ids in [[1, 2, 4], [9, 4, 5], [7, 8, 9, 8]] {
            let taken = ids.last == 8 ? 8 : 4
            try realm.write {
                realm.create(MappedNote.self)
                do {
                    try realm.create(AddedThing.self, from: ids) { thing in
                        thing.set(\.id) { $0 }
                        thing.set(\.text) { _ in "second" }
                    }
                    Issue.record("\(ids) were created")
                } catch let error as Realm.Error {
                    #expect(error.code == .invalidInput)
                    #expect(
                        error.message
                            == "Attempting to create an object of type 'AddedThing' with an existing primary key value '\(taken)'."
                    )
                }
            }
            #expect(realm.objects(AddedThing.self).map(\.text) == ["first"])
        }
        #expect(realm.objects(MappedNote.self).count == 3)
        try realm.write {
            #expect(throws: Realm.Error.self) {
                try realm.create(MappedOwner.self, from: ["b", "a", "c", "a"]) { $0.set(\.name) { $0 } }
            }
            try realm.create(MappedOwner.self, from: ["b", "a", "c"]) { $0.set(\.name) { $0 } }
            #expect(throws: Realm.Error.self) {
                try realm.create(MappedOwner.self, from: ["d", "c"]) { $0.set(\.name) { $0 } }
            }
            try realm.create(MappedOwner.self, from: ["d", "e"]) { $0.set(\.name) { $0 } }
        }
        #expect(realm.objects(MappedOwner.self).map(\.name) == ["b", "a", "c", "d", "e"])
        for name in ["a", "b", "c", "d", "e"] {
            #expect(realm.object(ofType: MappedOwner.self, forPrimaryKey: name)?.name == name)
        }
    }

    @Test("what a cancelled write created is gone, and the same can be created again")
    func rolledBack() throws {
        let realm = try realm()
        func create() throws {
            try realm.create(MappedNote.self, from: 0..<2500) { note in
                note.set(\.number) { $0 % 7 }
                note.set(\.text) { "note \($0 % 400)" }
            }
        }
        try realm.write { realm.create(MappedNote.self, value: ["text": "before", "number": 3]) }
        realm.beginWrite()
        try create()
        let note = realm.objects(MappedNote.self)[1200]
        note.text = "changed"
        #expect(note.text == "changed" && realm.objects(MappedNote.self).filter("number == 3").count == 358)
        realm.cancelWrite()
        #expect(note.isInvalidated)
        #expect(realm.objects(MappedNote.self).filter("number == 3").map(\.text) == ["before"])
        try realm.write {
            try create()
            realm.objects(MappedNote.self)[1201].text = "changed"
            realm.delete(realm.objects(MappedNote.self)[1202])
        }
        #expect(realm.objects(MappedNote.self).count == 2500)
        #expect(realm.objects(MappedNote.self)[1200].text == "note \(1199 % 400)")
        #expect(realm.objects(MappedNote.self)[1201].text == "changed")
        #expect(realm.objects(MappedNote.self).filter("number == 3").count == 358)
    }

    @Test("keys of objects that were deleted in the same write are free, and belong to the new objects")
    func reusedKeys() throws {
        let realm = try realm()
        try realm.write {
            try realm.create(MappedOwner.self, from: ["a", "b", "c"]) { $0.set(\.name) { $0 } }
            try realm.create(AddedThing.self, from: [1, 2, 3]) { $0.set(\.id) { $0 } }
        }
        try realm.write {
            realm.delete(realm.objects(MappedOwner.self))
            try realm.create(MappedOwner.self, from: ["c", "a", "z"]) { $0.set(\.name) { $0 } }
            realm.delete(realm.objects(AddedThing.self))
            try realm.create(AddedThing.self, from: [3, 1, 9]) { $0.set(\.id) { $0 } }
        }
        for name in ["c", "a", "z"] {
            #expect(realm.object(ofType: MappedOwner.self, forPrimaryKey: name)?.name == name)
        }
        #expect(realm.object(ofType: MappedOwner.self, forPrimaryKey: "b") == nil)
        for id in [3, 1, 9] { #expect(realm.object(ofType: AddedThing.self, forPrimaryKey: id)?.id == id) }
        #expect(realm.object(ofType: AddedThing.self, forPrimaryKey: 2) == nil)
    }

    @Test("observers are told of all of them")
    func observed() throws {
        let realm = try realm()
        try realm.write { realm.create(MappedNote.self, value: ["number": 1]) }
        var heard: [Heard] = []
        let odd = realm.objects(MappedNote.self).filter("number == 1")
        let token = odd.observe { heard.append(Heard($0)) }
        realm.refresh()
        try realm.write {
            try realm.create(MappedNote.self, from: 0..<1200) { $0.set(\.number) { $0 % 600 } }
        }
        realm.refresh()
        #expect(heard == [.initial(1), .update(3, deletions: [], insertions: [1, 2], modifications: [])])
        token.invalidate()
    }

    @Test("other classes may be written on the way, and any collection is a source")
    func nested() throws {
        let realm = try realm()
        try realm.write {
            try realm.create(MappedNote.self, from: Set(0..<1100).sorted().lazy.map { $0 * 2 }) { note in
                note.set(\.number) { $0 }
                note.set(\.text) { number in
                    number % 500 == 0 ? realm.create(MappedOwner.self, value: ["owner \(number)"]).name : ""
                }
            }
        }
        #expect(realm.objects(MappedNote.self).map(\.number) == (0..<1100).map { $0 * 2 })
        #expect(realm.objects(MappedOwner.self).map(\.name) == (0..<5).map { "owner \($0 * 500)" })
    }

    @Test("functions may read lists that were appended to in the same write")
    func readingOnTheWay() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [MappedFriend.self]))
        try realm.write { for id in 0..<3 { realm.create(MappedFriend.self, value: ["id": id]) } }
        let all = realm.objects(MappedFriend.self)
        let first = try #require(all.first)
        try realm.write {
            first.friends.append(all[1])
            all[1].friends.append(all[2])
            try realm.create(MappedFriend.self, from: 10..<1500) { friend in
                friend.set(\.id) { $0 }
                friend.set(\.rank) { _ in first.friends.count + all[1].friends.count }
            }
        }
        #expect(first.friends.map(\.id) == [1])
        #expect(all.filter("rank == 2").count == 1490)
    }

    @Test("a function that writes to the class that is being created stops the program")
    func disturbed() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(
                configuration: Realm.Configuration(inMemoryIdentifier: "disturbed", objectTypes: [MappedNote.self]))
            try realm.write {
                try realm.create(MappedNote.self, from: 0..<10) { note in
                    note.set(\.number) { realm.create(MappedNote.self, value: ["number": $0]).number }
                }
            }
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("Objects of type 'MappedNote' were changed by the functions"))
    }
}
