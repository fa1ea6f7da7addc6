import Causeway
import Foundation
import Testing

@Suite("Which changes an observation hears of")
struct NotificationRulesTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [ObservedCity.self])

    private func makeCities(_ names: String...) throws -> Realm {
        let realm = try Realm(configuration: configuration)
        try realm.write { for name in names { realm.create(ObservedCity.self, value: ["name": name]) } }
        return realm
    }

    @Test("an object's observer hears of the properties it named, through links too")
    func objectKeyPaths() throws {
        let realm = try makeCities("a", "b")
        let cities = realm.objects(ObservedCity.self).sorted(by: \.name)
        try realm.write { cities[0].twin = cities[1] }
        var own: [[String]] = []
        var all: [[String]] = []
        var linked: [[String]] = []
        func names(_ change: ObjectChange<ObservedCity>) -> [String] {
            if case .change(_, let properties) = change { properties.map(\.name) } else { ["deleted"] }
        }
        let tokens = [
            cities[0].observe(keyPaths: [\.inhabitants]) { own.append(names($0)) },
            cities[0].observe { all.append(names($0)) },
            cities[0].observe(keyPaths: ["twin.inhabitants"]) { linked.append(names($0)) },
        ]
        try realm.write { cities[0].scores.append(1) }
        realm.refresh()
        try realm.write { cities[1].inhabitants = 9 }
        realm.refresh()
        try realm.write { cities[0].inhabitants = 3 }
        realm.refresh()
        try realm.write { realm.delete(cities[0]) }
        realm.refresh()
        #expect(own == [["inhabitants"], ["deleted"]])
        #expect(all == [["scores"], ["inhabitants"], ["deleted"]])
        #expect(linked == [["twin"], ["deleted"]])
        for token in tokens { token.invalidate() }
    }

    @Test("without any key paths, a collection's observer hears only what came and went")
    func noKeyPaths() throws {
        let realm = try makeCities("a")
        var heard: [Heard] = []
        let token = realm.objects(ObservedCity.self).observe(keyPaths: [String]()) { heard.append(Heard($0)) }
        realm.refresh()
        try realm.write { realm.objects(ObservedCity.self)[0].inhabitants = 1 }
        realm.refresh()
        try realm.write { _ = realm.create(ObservedCity.self, value: ["name": "b"]) }
        realm.refresh()
        #expect(heard == [.initial(1), .update(2, deletions: [], insertions: [1], modifications: [])])
        token.invalidate()
    }

    @Test("a key path that leads nowhere stops the program")
    func unknownKeyPath() async {
        let stopped = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(
                configuration: Realm.Configuration(inMemoryIdentifier: "paths", objectTypes: [ObservedCity.self]))
            try realm.write { _ = realm.create(ObservedCity.self, value: ["name": "a"]) }
            _ = realm.objects(ObservedCity.self)[0].observe(keyPaths: ["*"]) { _ in }
        }
        let said = String(decoding: stopped?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("Invalid property name '*' for class 'ObservedCity'."))
    }

    @Test("commits that were skipped are not told later, and later ones are")
    func withoutNotifying() throws {
        let realm = try makeCities("a")
        var skipped: [Heard] = []
        var all: [Heard] = []
        let cities = realm.objects(ObservedCity.self)
        let token = cities.observe { skipped.append(Heard($0)) }
        let other = cities.observe { all.append(Heard($0)) }
        realm.refresh()
        realm.beginWrite()
        cities[0].inhabitants = 1
        try realm.commitWrite(withoutNotifying: [token])
        realm.refresh()
        try realm.write(withoutNotifying: [token]) { cities[0].inhabitants = 2 }
        realm.refresh()
        #expect(skipped.count == 1 && all.count == 3)
        try realm.write { cities[0].inhabitants = 3 }
        realm.refresh()
        #expect(skipped.count == 2 && all.count == 4)
        token.invalidate()
        other.invalidate()
    }

    @Test("after invalidate() nobody is told of what was observed before, and the Realm goes on")
    func invalidated() throws {
        let realm = try makeCities("a")
        var heard = 0
        var steps = 0
        let cities = realm.objects(ObservedCity.self)
        let tokens = [
            cities.observe { _ in heard += 1 }, cities[0].observe { _ in heard += 1 },
            cities[0].scores.observe { _ in heard += 1 }, realm.observe { _, _ in steps += 1 },
        ]
        realm.refresh()
        #expect(heard == 2)
        realm.invalidate()
        #expect(cities.isInvalidated)
        try realm.write { _ = realm.create(ObservedCity.self, value: ["name": "b"]) }
        realm.refresh()
        #expect(heard == 2 && steps >= 1)
        #expect(realm.objects(ObservedCity.self).count == 2)
        for token in tokens { token.invalidate() }
    }
}
