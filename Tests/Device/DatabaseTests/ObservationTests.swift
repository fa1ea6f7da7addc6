import Causeway
import Dispatch
import Foundation
import Synchronization
import Testing

class ObservedCity: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var inhabitants = 0
    @Persisted var twin: ObservedCity?
    @Persisted var scores: List<Int>
    @Persisted var sights: List<ObservedCity>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What a notification said, in a form that compares.
enum Heard: Equatable, Sendable {
    case initial(Int)
    case update(Int, deletions: [Int], insertions: [Int], modifications: [Int])

    init<C: RealmCollection>(_ change: RealmCollectionChange<C>) {
        switch change {
        case .initial(let collection): self = .initial(collection.count)
        case .update(let collection, let deletions, let insertions, let modifications):
            self = .update(
                collection.count, deletions: deletions, insertions: insertions, modifications: modifications)
        case .error: self = .initial(-1)
        }
    }
}

@Suite("Observing collections")
struct ObservationTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [ObservedCity.self])

    private func makeCities(_ realm: Realm, _ names: [String]) throws {
        try realm.write {
            for (index, name) in names.enumerated() {
                realm.create(ObservedCity.self, value: ["name": name, "inhabitants": index * 10])
            }
        }
    }

    @Test("the first call has the content, later ones say what changed by position")
    func positions() throws {
        let realm = try Realm(configuration: configuration)
        try makeCities(realm, ["a", "b", "c", "d"])
        var heard: [Heard] = []
        let cities = realm.objects(ObservedCity.self).sorted(byKeyPath: "name")
        let token = cities.observe { heard.append(Heard($0)) }
        realm.refresh()
        #expect(heard == [.initial(4)])
        try realm.write {
            realm.delete(cities[1])
            realm.create(ObservedCity.self, value: ["name": "cc"])
            realm.create(ObservedCity.self, value: ["name": "0"])
            cities.filter("name == 'd'")[0].inhabitants += 1
        }
        realm.refresh()
        #expect(heard.last == .update(5, deletions: [1], insertions: [0, 3], modifications: [4]))
        token.invalidate()
        try realm.write { realm.deleteAll() }
        realm.refresh()
        #expect(heard.count == 2)
    }

    @Test("an object that no longer satisfies the query was deleted from the results")
    func leaving() throws {
        let realm = try Realm(configuration: configuration)
        try makeCities(realm, ["a", "b", "c"])
        var heard: [Heard] = []
        let big = realm.objects(ObservedCity.self).where { $0.inhabitants >= 10 }.sorted(by: \.name)
        let token = big.observe { heard.append(Heard($0)) }
        realm.refresh()
        try realm.write { big[0].inhabitants = 0 }
        realm.refresh()
        try realm.write { realm.objects(ObservedCity.self).filter("name == 'a'")[0].inhabitants = 99 }
        realm.refresh()
        #expect(
            heard == [
                .initial(2), .update(1, deletions: [0], insertions: [], modifications: []),
                .update(2, deletions: [], insertions: [0], modifications: []),
            ])
        token.invalidate()
    }

    @Test("a changed object counts as modified where it is linked to")
    func linked() throws {
        let realm = try Realm(configuration: configuration)
        try makeCities(realm, ["a", "b"])
        let cities = realm.objects(ObservedCity.self).sorted(by: \.name)
        try realm.write { cities[0].twin = cities[1] }
        var all: [Heard] = []
        var named: [Heard] = []
        let tokens = [
            cities.observe { all.append(Heard($0)) },
            cities.observe(keyPaths: [\ObservedCity.inhabitants]) { named.append(Heard($0)) },
        ]
        realm.refresh()
        try realm.write { cities[1].inhabitants = 5 }
        realm.refresh()
        try realm.write { cities[0].twin = nil }
        realm.refresh()
        #expect(all.dropFirst().first == .update(2, deletions: [], insertions: [], modifications: [0, 1]))
        #expect(named == [.initial(2), .update(2, deletions: [], insertions: [], modifications: [1])])
        for token in tokens { token.invalidate() }
    }

    @Test("a list of values tells its edits by position")
    func listOfValues() throws {
        let realm = try Realm(configuration: configuration)
        try makeCities(realm, ["a"])
        let scores = realm.objects(ObservedCity.self)[0].scores
        try realm.write { scores.append(objectsIn: [1, 2, 3]) }
        var heard: [Heard] = []
        let token = scores.observe { heard.append(Heard($0)) }
        realm.refresh()
        try realm.write {
            scores.remove(at: 0)
            scores.append(4)
        }
        realm.refresh()
        #expect(heard == [.initial(3), .update(3, deletions: [0], insertions: [2], modifications: [])])
        token.invalidate()
    }

    @Test("a write can leave out a token's observer")
    func withoutNotifying() throws {
        let realm = try Realm(configuration: configuration)
        let cities = realm.objects(ObservedCity.self)
        var heard: [Heard] = []
        let token = cities.observe { heard.append(Heard($0)) }
        realm.refresh()
        try realm.write(withoutNotifying: [token]) { realm.create(ObservedCity.self, value: ["name": "quiet"]) }
        realm.refresh()
        #expect(heard == [.initial(0)])
        try realm.write { realm.create(ObservedCity.self, value: ["name": "loud"]) }
        realm.refresh()
        #expect(heard.count == 2)
        token.invalidate()
    }

    @Test("a queue hears of commits made on other threads")
    func onQueue() async throws {
        let realm = try Realm(configuration: configuration)
        let queue = DispatchQueue(label: "observer")
        let (changes, continuation) = AsyncStream.makeStream(of: Heard.self)
        let token = realm.objects(ObservedCity.self).observe(on: queue) { continuation.yield(Heard($0)) }
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == .initial(0))
        let configuration = configuration
        Thread.detachNewThread {
            let own = try? Realm(configuration: configuration)
            _ = try? own?.write { own?.create(ObservedCity.self, value: ["name": "elsewhere"]) }
        }
        #expect(await iterator.next() == .update(1, deletions: [], insertions: [0], modifications: []))
        token.invalidate()
    }
}

@Suite("Threads and actors")
struct ThreadTests {
    private static func configuration() -> Realm.Configuration {
        Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [ObservedCity.self])
    }

    @Test("each thread stands on its own snapshot and moves when it refreshes")
    func snapshots() throws {
        let configuration = Self.configuration()
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(ObservedCity.self, value: ["name": "a", "inhabitants": 1]) }
        let city = realm.objects(ObservedCity.self)[0]
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let own = try? Realm(configuration: configuration)
            _ = try? own?.write { own?.objects(ObservedCity.self)[0].inhabitants = 2 }
            done.signal()
        }
        done.wait()
        #expect(city.inhabitants == 1)
        #expect(realm.refresh())
        #expect(city.inhabitants == 2)
        #expect(!realm.refresh())
    }

    @Test("writers on several threads take turns and lose nothing")
    func writers() throws {
        let configuration = Self.configuration()
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(ObservedCity.self, value: ["name": "a"]) }
        let group = DispatchGroup()
        for _ in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                for _ in 0..<50 {
                    guard let own = try? Realm(configuration: configuration) else { continue }
                    _ = try? own.write { own.objects(ObservedCity.self)[0].inhabitants += 1 }
                }
                group.leave()
            }
        }
        group.wait()
        realm.refresh()
        #expect(realm.objects(ObservedCity.self)[0].inhabitants == 200)
    }

    /// The documents' pattern of an actor with a Realm of its own.
    actor CityActor {
        // An implicitly-unwrapped optional is used here to let us pass `self` to
        // `Realm(actor:)` within `init`
        var realm: Realm!

        init(_ configuration: Realm.Configuration) async throws {
            realm = try await Realm(configuration: configuration, actor: self)
        }

        var count: Int { realm.objects(ObservedCity.self).count }

        func create(_ name: String) throws {
            try realm.write { realm.create(ObservedCity.self, value: ["name": name]) }
        }

        func settle() { realm.refresh() }
    }

    @Test("an actor has a Realm of its own, on whatever thread it runs")
    func actors() async throws {
        let configuration = Self.configuration()
        let one = try await CityActor(configuration)
        let other = try await CityActor(configuration)
        for index in 0..<20 {
            try await (index.isMultiple(of: 2) ? one : other).create("city \(index)")
            await Task.yield()
        }
        await one.settle()
        await other.settle()
        #expect(await one.count == 20)
        #expect(await other.count == 20)
    }
}
