import Foundation
import Testing

@testable import Causeway

class LoopThing: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var numbers: List<Int>
    @Persisted var next: LoopThing?
    @Persisted(originProperty: "next") var before: LinkingObjects<LoopThing>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension LoopThing {
    /// Things in a row, each of which leads to the one before, and as many objects of other classes.
    static func realm(
        _ count: Int, numbers: (Int) -> [Int], and others: [Object.Type], empty: [Object.Type] = []
    ) throws -> Realm {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [LoopThing.self] + others + empty))
        try realm.write {
            for id in 0..<count {
                realm.create(LoopThing.self, value: ["id": id, "name": "thing \(id)", "numbers": numbers(id)])
                for other in others { realm.create(other, value: ["id": id]) }
            }
            for thing in realm.objects(LoopThing.self) where thing.id > 0 {
                thing.next = realm.object(ofType: LoopThing.self, forPrimaryKey: thing.id - 1)
            }
        }
        return realm
    }
}

class LoopDocument: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var body: Text
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LoopShelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var documents: List<LoopDocument>
    @Persisted var first: LoopDocument?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LoopThingWithState: Object {
    @Persisted(primaryKey: true) var id: Int
    var visits = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LoopThingWithIgnored: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var note: String
    override class func ignoredProperties() -> [String] { ["note"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LoopThingThatTells: Object {
    @Persisted(primaryKey: true) var id: Int
    /// What the thread of the test has made. Other suites make such objects at the same time.
    static var made: [() -> LoopThingThatTells?] {
        get { OfThread.value(of: self) ?? [] }
        set { OfThread.set(newValue, of: self) }
    }
    override init() {
        super.init()
        Self.made.append { [weak self] in self }
    }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Objects that a loop hands out", .serialized)
struct LoopTests {
    private let realm: Realm
    private let count = 50

    init() throws {
        realm = try LoopThing.realm(
            count, numbers: { [$0, $0] },
            and: [LoopThingWithState.self, LoopThingWithIgnored.self, LoopThingThatTells.self],
            empty: [LoopDocument.self, LoopShelf.self])
    }

    @Test("the runtime counts references as this library reads them")
    func counts() {
        #expect(ReferenceCounts.ofOneReference != nil)
    }

    @Test("an object that nobody keeps moves on to the next row")
    func reused() {
        var iterator = realm.objects(LoopThing.self).makeIterator()
        var places: Set<UnsafeMutableRawPointer> = []
        for id in 0..<count { places.insert(step(&iterator, id)) }
        #expect(places.count == 1)
        #expect(iterator.next() == nil)
    }

    /// In a function of its own, so that its reference is gone at its end.
    @inline(never)
    private func step(
        _ iterator: inout RealmCollectionIterator<LoopThing>, _ id: Int
    ) -> UnsafeMutableRawPointer {
        guard let thing = iterator.next() else { return UnsafeMutableRawPointer(bitPattern: 1)! }
        #expect(thing.id == id && thing.name == "thing \(id)" && thing.next?.id == (id == 0 ? nil : id - 1))
        return Unmanaged.passUnretained(thing).toOpaque()
    }

    @Test("objects that are kept stay what they are")
    func kept() {
        var kept: [LoopThing] = []
        var captured: [() -> Int] = []
        for thing in realm.objects(LoopThing.self) {
            if thing.id % 3 == 0 { kept.append(thing) }
            if thing.id % 3 == 1 { captured.append { thing.id } }
        }
        #expect(kept.map(\.id) == stride(from: 0, to: count, by: 3).map { $0 })
        #expect(captured.map { $0() } == stride(from: 1, to: count, by: 3).map { $0 })
        #expect(Array(realm.objects(LoopThing.self)).map(\.id) == Array(0..<count))
        #expect(Set(realm.objects(LoopThing.self)).count == count)
    }

    @Test("the text of an object in a loop is that object's, read, written, and behind a link")
    func texts() throws {
        let documents = realm.objects(LoopDocument.self)
        try realm.write {
            for id in 0..<count {
                let document = realm.create(LoopDocument.self, value: ["id": id])
                document.body.append("text \(id)")
                let shelf = realm.create(LoopShelf.self, value: ["id": id])
                shelf.documents.append(document)
                shelf.first = document
            }
        }
        let expected = (0..<count).map { "text \($0)" }
        var read: [String] = []
        for document in documents { read.append(document.body.string) }
        #expect(read == expected)
        read = []
        for shelf in realm.objects(LoopShelf.self) { read.append(shelf.first?.body.string ?? "") }
        #expect(read == expected)
        read = []
        for shelf in realm.objects(LoopShelf.self) {
            for document in shelf.documents { read.append(document.body.string) }
        }
        #expect(read == expected)

        var kept: [Text] = []
        try realm.write {
            for document in documents {
                kept.append(document.body)
                document.body.append(", \(document.id) again")
            }
        }
        let written = (0..<count).map { "text \($0), \($0) again" }
        #expect((0..<count).map { realm.object(ofType: LoopDocument.self, forPrimaryKey: $0)?.body.string } == written)
        #expect(kept.map(\.string) == written)
    }

    @Test("two objects of one iterator at the same time are two")
    func twoAtOnce() {
        var iterator = realm.objects(LoopThing.self).makeIterator()
        var last = iterator.next()
        while let thing = iterator.next() {
            #expect(last !== thing && last?.id == thing.id - 1)
            last = thing
        }
        var one = realm.objects(LoopThing.self).makeIterator()
        _ = one.next()
        var other = one
        let (left, right) = (one.next(), other.next())
        #expect(left !== right && left?.id == 1 && right?.id == 1)
    }

    @Test("an object that is referred to weakly does not move on")
    func weakly() {
        final class Reference { weak var thing: LoopThing? }
        var references: [Reference] = []
        for thing in realm.objects(LoopThing.self) {
            let reference = Reference()
            reference.thing = thing
            references.append(reference)
        }
        // A reference whose object is gone is nil; one whose object is there still sees the row it was made for.
        for (id, reference) in references.enumerated() { #expect(reference.thing.map { $0.id == id } ?? true) }
        #expect(references.dropLast().allSatisfy { $0.thing == nil })
    }

    @Test("an object that is referred to by an unowned reference does not move on")
    func unownedly() {
        final class Reference {
            unowned var thing: LoopThing?
            var kept: LoopThing?
        }
        var references: [Reference] = []
        var seen: Set<ObjectIdentifier> = []
        for thing in realm.objects(LoopThing.self) {
            let reference = Reference()
            reference.thing = thing
            reference.kept = thing.id % 2 == 0 ? thing : nil
            references.append(reference)
            seen.insert(ObjectIdentifier(thing))
        }
        #expect(seen.count == count, "memory that unowned references name is not given again")
        for (id, reference) in references.enumerated() where id % 2 == 0 { #expect(reference.thing?.id == id) }
    }

    @Test("objects of classes with state of their own are fresh")
    func state() {
        for thing in realm.objects(LoopThingWithState.self) {
            #expect(thing.visits == 0)
            thing.visits += 1
        }
        for thing in realm.objects(LoopThingWithIgnored.self) {
            #expect(thing.note.isEmpty)
            thing.note = "seen"
        }
        #expect(!ObjectModel.of(LoopThingWithState.self).holdsOnlyRows)
        #expect(!ObjectModel.of(LoopThingWithIgnored.self).holdsOnlyRows)
        #expect(ObjectModel.of(LoopThing.self).holdsOnlyRows)
    }

    @Test("objects whose initialiser tells others of them stay what they are")
    func told() {
        LoopThingThatTells.made = []
        var ids: [Int] = []
        for thing in realm.objects(LoopThingThatTells.self) {
            #expect(LoopThingThatTells.made.last?() === thing)
            ids.append(thing.id)
        }
        #expect(ids == Array(0..<count) && LoopThingThatTells.made.count == count)
    }

    @Test("a collection that was taken from an object stays that object's")
    func collections() {
        var lists: [List<Int>] = []
        var nextLists: [List<Int>?] = []
        var inverses: [LinkingObjects<LoopThing>] = []
        for thing in realm.objects(LoopThing.self) {
            lists.append(thing.numbers)
            inverses.append(thing.before)
            nextLists.append(thing.next?.numbers)
        }
        for id in 0..<count {
            #expect(Array(lists[id]) == [id, id])
            #expect(nextLists[id].map { Array($0) } == (id == 0 ? nil : [id - 1, id - 1]))
            #expect(inverses[id].first?.id == (id + 1 < count ? id + 1 : nil))
        }
    }

    @Test("what an object's link leads to stays what it is when it is kept, and moves on when it is not")
    func links() {
        var kept: [LoopThing] = []
        var keptNext: [LoopThing] = []
        for thing in realm.objects(LoopThing.self) where thing.id > 1 {
            guard let next = thing.next, let again = thing.next else {
                Issue.record("\(thing.id)")
                continue
            }
            #expect(next.id == thing.id - 1 && next !== again && again == next)
            #expect(thing.next?.next?.id == thing.id - 2 && thing.next?.next?.name == "thing \(thing.id - 2)")
            if thing.id % 3 == 0 { keptNext.append(next) }
            if thing.id % 4 == 0 { kept.append(thing) }
        }
        #expect(keptNext.map(\.id) == stride(from: 3, to: count, by: 3).map { $0 - 1 })
        #expect(kept.map(\.id) == stride(from: 4, to: count, by: 4).map { $0 })
        #expect(kept.map(\.next?.id) == kept.map { $0.id - 1 })
        var places: Set<UnsafeMutableRawPointer> = []
        for thing in realm.objects(LoopThing.self) where thing.id > 0 { places.insert(placeOfNext(thing)) }
        #expect(places.count == 1)
    }

    @inline(never)
    private func placeOfNext(_ thing: LoopThing) -> UnsafeMutableRawPointer {
        guard let next = thing.next else { return UnsafeMutableRawPointer(bitPattern: 1)! }
        return Unmanaged.passUnretained(next).toOpaque()
    }

    @Test("observers of objects that a loop handed out hear of their own")
    func observed() throws {
        var heard: [Int] = []
        var tokens: [NotificationToken] = []
        for thing in realm.objects(LoopThing.self) {
            let id = thing.id
            tokens.append(thing.observe { _ in heard.append(id) })
        }
        try realm.write { realm.object(ofType: LoopThing.self, forPrimaryKey: 7)?.name = "changed" }
        realm.refresh()
        #expect(tokens.count == count)
        #expect(heard.allSatisfy { $0 == 7 })
    }

    @Test("writing to what a loop goes over reaches the right rows")
    func writing() throws {
        try realm.write {
            for thing in realm.objects(LoopThing.self) {
                thing.name += "!"
                thing.numbers.append(-1)
                if thing.id % 10 == 0 { realm.delete(thing) }
            }
        }
        #expect(realm.objects(LoopThing.self).count == count - 5)
        for thing in realm.objects(LoopThing.self) {
            #expect(thing.name == "thing \(thing.id)!" && Array(thing.numbers) == [thing.id, thing.id, -1])
        }
    }
}
