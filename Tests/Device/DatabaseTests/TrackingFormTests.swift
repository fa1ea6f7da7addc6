import Causeway
import Foundation
import Observation
import Synchronization
import Testing

private class TrackedPlace: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var kind = "a"
    @Persisted var next: TrackedPlace?
    @Persisted var signs: Map<String, String>
    @Persisted var ways: Map<String, TrackedPlace?>
    @Persisted(originProperty: "next") var before: LinkingObjects<TrackedPlace>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class ShownPlace: Projection<TrackedPlace> {
    @Projected(\TrackedPlace.name) var name
    @Projected(\TrackedPlace.next?.name) var nextName
    @Projected(\TrackedPlace.before.count) var countBefore

    var title: String { "\(name) \(countBefore)" }
}

@Suite("The Observation framework: maps, sections, projections and inverse relations", .serialized)
@MainActor
struct TrackingFormTests {
    private let realm: Realm
    private let places: Results<TrackedPlace>

    init() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [TrackedPlace.self]))
        try realm.write {
            for id in 0..<3 { realm.create(TrackedPlace.self, value: ["id": id, "kind": id < 2 ? "a" : "b"]) }
        }
        self.realm = realm
        places = realm.objects(TrackedPlace.self).sorted(by: \.id)
    }

    private func write(_ block: () throws -> Void) throws {
        try realm.write(block)
        realm.refresh()
    }

    private func track(_ read: () -> Void) -> Calls {
        let calls = Calls()
        withObservationTracking(read) { calls.call() }
        return calls
    }

    private final class Calls: Sendable {
        private let calls = Mutex(0)
        var count: Int { calls.withLock { $0 } }
        func call() { calls.withLock { $0 += 1 } }
    }

    @Test("a map that was read is told once, of its keys, its values and their properties")
    func maps() throws {
        let signs = places[0].signs.tracked()
        let value = track { #expect(signs["x"] == nil && signs.count == 0 && signs.keys == []) }
        try write { places[0].name = "other" }
        #expect(value.count == 0)
        try write { places[0].signs["x"] = "left" }
        #expect(value.count == 1 && signs["x"] == "left")
        try write { places[0].signs["x"] = "right" }
        #expect(value.count == 1, "a scope is told once")
        let (all, named) = (places[0].ways.tracked(), places[0].ways.tracked(keyPaths: ["name"]))
        try write { places[0].ways["a"] = places[1] }
        let (whole, names) = (track { _ = all.base }, track { _ = named.keys })
        try write { places[1].kind = "c" }
        #expect(whole.count == 1 && names.count == 0)
        try write { places[1].name = "Bath" }
        #expect(names.count == 1)
    }

    @Test("sections are told of every change in them, one section of its own")
    func sections() throws {
        let sections = places.sectioned(by: \.kind)
        let (all, second) = (sections.tracked(), sections[1].tracked())
        let (whole, part) = (track { #expect(all.map(\.count) == [2, 1]) }, track { #expect(second.map(\.id) == [2]) })
        try write { places[0].name = "Ayr" }
        #expect(whole.count == 1 && part.count == 0)
        try write { places[2].name = "Bath" }
        #expect(part.count == 1)
        let narrow = sections.tracked(keyPaths: ["name"])
        let again = track { _ = narrow.first?.key }
        try write { places[0].signs["x"] = "y" }
        #expect(again.count == 0)
        try write { places[1].kind = "b" }
        #expect(again.count == 1 && narrow.map(\.count) == [1, 2] && second.base.isEmpty == false)
    }

    @Test("a projected property is told by itself, what is computed from them with any")
    func projections() throws {
        let shown = ShownPlace(projecting: places[0]).tracked()
        let name = track { #expect(shown.name == "") }
        let next = track { #expect(shown.nextName == nil) }
        let count = track { #expect(shown.countBefore == 0) }
        let title = track { #expect(shown.title == " 0") }
        func counts() -> [Int] { [name, next, count, title].map(\.count) }
        try write { places[0].kind = "z" }
        #expect(counts() == [0, 0, 0, 0])
        try write { places[1].next = places[0] }
        #expect(counts() == [0, 0, 1, 1])
        try write { places[0].next = places[2] }
        try write { places[2].name = "Bath" }
        #expect(counts() == [0, 1, 1, 1] && shown.nextName == "Bath")
        try shown.set(\.name, to: "Ayr")
        realm.refresh()
        #expect(counts() == [1, 1, 1, 1] && places[0].name == "Ayr" && !shown.isInvalidated)
        let (again, end) = (track { _ = shown.name }, track { _ = shown.isInvalidated })
        try write { realm.delete(places[0]) }
        #expect(again.count == 1 && end.count == 1 && shown.isInvalidated)
    }

    @Test("an object's inverse relation is tracked like its other properties")
    func inverses() throws {
        let place = places[0].tracked()
        let (before, name) = (track { #expect(place.before.isEmpty) }, track { _ = place.name })
        try write { places[1].next = places[0] }
        #expect(before.count == 1 && name.count == 0)
        let again = track { _ = place.before }
        try write { places[1].name = "Bath" }
        #expect(again.count == 0, "nothing is tracked of objects behind links")
        try write { places[0].name = "Ayr" }
        #expect(name.count == 1 && again.count == 0)
    }

    @Test("nothing keeps what is tracked")
    func lifetime() throws {
        weak var map: TrackedMap<Map<String, String>>?
        weak var shown: TrackedProjection<ShownPlace>?
        do {
            let (signs, place) = (places[0].signs.tracked(), ShownPlace(projecting: places[0]).tracked())
            _ = track { _ = signs.count }
            _ = track { _ = place.name }
            (map, shown) = (signs, place)
            #expect(map != nil && shown != nil)
        }
        #expect(map == nil && shown == nil)
    }
}
