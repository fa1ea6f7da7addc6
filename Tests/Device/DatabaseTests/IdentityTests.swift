import Causeway
import Foundation
import Testing

private class Place: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var note = ""
    @Persisted(indexed: true) var area = ""
    @Persisted var height = 0.0
    @Persisted var parks: Map<String, String>
    @Persisted var names: MutableSet<String>
    @Persisted var numbers: MutableSet<Double>
    @Persisted var words: List<String>
    @Persisted var any: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("What is one to Unicode and two by its bytes")
struct IdentityTests {
    private static let pairs = [
        ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("q\u{307}\u{323}", "q\u{323}\u{307}"),
    ]

    private func realm() throws -> Realm {
        try Realm(configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Place.self]))
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("objects are found, changed and deleted by the bytes of their primary keys", arguments: 0..<4)
    func primaryKeys(number: Int) throws {
        let (left, right) = Self.pairs[number]
        let realm = try realm()
        try realm.write {
            realm.create(Place.self, value: ["name": left, "note": "left", "area": left])
            #expect(realm.object(ofType: Place.self, forPrimaryKey: right) == nil)
            realm.create(Place.self, value: ["name": right, "note": "right", "area": right])
            realm.create(Place.self, value: ["name": right, "note": "changed"], update: .modified)
        }
        #expect(realm.objects(Place.self).count == 2)
        let (first, second) = (
            try #require(realm.object(ofType: Place.self, forPrimaryKey: left)),
            try #require(realm.object(ofType: Place.self, forPrimaryKey: right))
        )
        #expect(first.note == "left" && second.note == "changed" && first != second)
        #expect(realm.objects(Place.self).where { $0.area == left }.map(\.note) == ["left"])
        #expect(realm.objects(Place.self).filter("area == %@", right).map(\.note) == ["changed"])
        #expect(realm.objects(Place.self).filter("note != '' AND area IN %@", [right]).map(\.note) == ["changed"])
        #expect(realm.objects(Place.self).distinct(by: ["area"]).count == 2)
        try realm.write { realm.delete(first) }
        #expect(realm.object(ofType: Place.self, forPrimaryKey: right)?.note == "changed")
        #expect(realm.object(ofType: Place.self, forPrimaryKey: left) == nil)
    }

    @Test("keys of maps and elements of sets are the same by their bytes, managed or not", arguments: 0..<4)
    func collections(number: Int) throws {
        let (left, right) = Self.pairs[number]
        let place = Place(value: ["name": "x"])
        let realm = try realm()
        for isManaged in [false, true] {
            if isManaged { try realm.write { realm.add(place) } } else { fill() }
            #expect(place.parks.count == 2 && place.parks[left] == "left" && place.parks[right] == "right")
            #expect(Set(place.parks.keys.map(bytes)) == [bytes(left), bytes(right)])
            #expect(place.names.count == 2 && place.names.contains(left) && place.names.contains(right))
        }
        func fill() {
            place.parks[left] = "left"
            place.parks[right] = "right"
            place.names.insert(objectsIn: [left, right, left])
        }
        try realm.write {
            place.parks[left] = nil
            place.names.remove(right)
        }
        #expect(place.parks.keys.map(bytes) == [bytes(right)] && place.names.map(bytes) == [bytes(left)])
        let copy = Place(value: ["name": "y"])
        copy.names.insert(objectsIn: [left, right])
        copy.names.remove(left)
        copy.parks[left] = "left"
        copy.parks.removeObject(for: right)
        #expect(copy.names.map(bytes) == [bytes(right)] && copy.parks.count == 1)
    }

    @Test("a map that has two spellings of a key is described, encoded, frozen and copied without a stop")
    func bothSpellings() throws {
        let realm = try realm()
        let place = Place(value: ["name": "x"])
        try realm.write {
            realm.add(place)
            for (left, right) in Self.pairs {
                place.parks[left] = "left"
                place.parks[right] = "right"
            }
        }
        #expect(place.parks.count == 8 && place.freeze().parks.count == 8)
        #expect(!"\(place)".isEmpty)
        #expect(try !JSONEncoder().encode(place.parks).isEmpty)
        let other = Place(value: ["name": "y"])
        for (key, value) in place.parks.asKeyValueSequence() { other.parks[key] = value }
        try realm.write { realm.add(other) }
        #expect(other.parks.count == 8)
        #expect(place.snapshot().parks.count == 4, "a Swift dictionary takes two spellings for one key")
    }

    @Test("observers of a map hear of each spelling of a key")
    @MainActor
    func observedMap() throws {
        let realm = try realm()
        let place = Place(value: ["name": "x"])
        try realm.write { realm.add(place) }
        var changes: [[Int]] = []
        let token = place.parks.observe { change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                changes.append([deletions.count, insertions.count, modifications.count])
            }
        }
        let (left, right) = Self.pairs[0]
        realm.refresh()
        for edit in [
            { place.parks[left] = "a" }, { place.parks[right] = "b" }, { place.parks[right] = right },
            { place.parks[right] = left }, { place.parks[left] = nil },
        ] {
            try realm.write(edit)
            realm.refresh()
        }
        #expect(changes.suffix(4) == [[0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0]], "\(changes)")
        token.invalidate()
    }

    @Test("setting what only compares as equal is a change that is stored, and observers hear of it")
    @MainActor
    func changes() throws {
        let realm = try realm()
        let place = Place(value: ["name": "x", "note": "\u{E9}", "words": ["\u{E9}"]])
        try realm.write { realm.add(place) }
        var names: [String] = []
        let token = place.observe { change in
            if case .change(_, let properties) = change { names += properties.map(\.name) }
        }
        realm.refresh()
        try realm.write {
            realm.create(
                Place.self, value: ["name": "x", "note": "e\u{301}", "height": -0.0, "words": ["e\u{301}"]],
                update: .modified)
        }
        realm.refresh()
        #expect(bytes(place.note) == [0x65, 0xCC, 0x81] && place.height.bitPattern == (-0.0).bitPattern)
        #expect(place.words.map(bytes) == [[0x65, 0xCC, 0x81]])
        #expect(Set(names).isSuperset(of: ["note", "height", "words"]), "\(names)")
        token.invalidate()
    }

    @Test("a set keeps the way in which an element is written until it is removed")
    func elements() throws {
        let realm = try realm()
        let place = Place(value: ["name": "x"])
        try realm.write {
            realm.add(place)
            place.numbers.insert(0)
            place.numbers.insert(-0.0)
        }
        #expect(place.numbers.map(\.bitPattern) == [0])
        try realm.write {
            place.numbers.remove(-0.0)
            place.numbers.insert(-0.0)
        }
        #expect(place.numbers.map(\.bitPattern) == [(-0.0).bitPattern])
        try realm.write {
            place.numbers.insert(Double(nan: 5, signaling: false))
            place.numbers.insert(.nan)
        }
        #expect(place.numbers.count == 2)
        #expect(place.numbers.filter { $0.isNaN }.map(\.bitPattern) == [Double.nan.bitPattern])
    }

    @Test("empty and enormous keys are keys like others")
    func extremes() throws {
        let realm = try realm()
        let long = String(repeating: "e\u{301}", count: 130)
        let other = String(repeating: "e\u{301}", count: 129) + "\u{E9}"
        try realm.write {
            for name in ["", "\u{0}", long, other] { realm.create(Place.self, value: ["name": name, "note": name]) }
        }
        for name in ["", "\u{0}", long, other] {
            let found = try #require(realm.object(ofType: Place.self, forPrimaryKey: name))
            #expect(bytes(found.note) == bytes(name))
        }
        #expect(realm.objects(Place.self).count == 4)
    }
}
