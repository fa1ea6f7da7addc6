import Causeway
import Dispatch
import Foundation
import Testing

class LoopedTown: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var inhabitants = 0
    @Persisted var twin: LoopedTown?
    @Persisted var scores: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var distances: Map<String, Int>
    @Persisted var quarters: List<LoopedQuarter>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LoopedQuarter: EmbeddedObject {
    @Persisted var name: String
}

class LoopedTownProjection: Projection<LoopedTown> {
    @Projected(\LoopedTown.name) var name
    @Projected(\LoopedTown.inhabitants) var size
}

/// What a change of a collection said, in a form that compares.
private func words<C: RealmCollection>(_ change: RealmCollectionChange<C>) -> String {
    switch change {
    case .initial(let collection): "initial \(collection.count)"
    case .update(let collection, let deletions, let insertions, let modifications):
        "\(collection.count): -\(deletions) +\(insertions) ~\(modifications)"
    case .error: "error"
    }
}

@Suite("Looping over changes", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct ObservationSequenceTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [LoopedTown.self, LoopedQuarter.self])

    private func makeRealm(_ names: String...) throws -> Realm {
        let realm = try Realm(configuration: configuration)
        try realm.write { for name in names { realm.create(LoopedTown.self, value: ["name": name]) } }
        return realm
    }

    /// The next element of a loop that the test goes through by hand.
    private func next<Element>(_ iterator: inout ObservationSequence<Element>.Iterator) async -> Element? {
        await iterator.next(isolation: #isolation)
    }

    /// Writes on another thread, and returns when it is committed.
    private func elsewhere(_ body: @escaping @Sendable (Realm) -> Void) async throws {
        let (configuration, queue) = (configuration, DispatchQueue(label: "elsewhere"))
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async {
                continuation.resume(
                    with: Result {
                        let realm = try Realm(configuration: configuration, queue: queue)
                        try realm.write { body(realm) }
                    })
            }
        }
    }

    @Test("a loop hears the content at first, and then each commit, wherever it was made")
    func eachCommit() async throws {
        let realm = try makeRealm("b")
        let towns = realm.objects(LoopedTown.self).sorted(by: \.name)
        var heard: [String] = []
        for await change in towns.changes {
            heard.append(words(change))
            switch heard.count {
            case 1: try realm.write { _ = realm.create(LoopedTown.self, value: ["name": "a"]) }
            case 2: try await elsewhere { $0.create(LoopedTown.self, value: ["name": "c"]) }
            case 3: try realm.write { towns[2].inhabitants = 7 }
            case 4: try await realm.asyncWrite { realm.delete(towns[0]) }
            default: break
            }
            if heard.count == 5 { break }
        }
        #expect(heard == ["initial 1", "2: -[] +[0] ~[]", "3: -[] +[2] ~[]", "3: -[] +[] ~[2]", "2: -[0] +[] ~[]"])
    }

    @Test("a loop that is slow gets one change for many commits, and nothing for what was undone")
    func coalescing() async throws {
        let realm = try makeRealm("m")
        let towns = realm.objects(LoopedTown.self).sorted(by: \.name)
        var iterator = towns.changes.makeAsyncIterator()
        do {
            let told = await next(&iterator)
            #expect(told.map(words) == "initial 1")
        }
        for index in 0..<100 {
            try realm.write { _ = realm.create(LoopedTown.self, value: ["name": "town \(100 + index)"]) }
            await Task.yield()
        }
        try realm.write { realm.delete(towns.filter("name != 'm' AND name != 'town 150'")) }
        do {
            let told = await next(&iterator)
            #expect(told.map(words) == "2: -[] +[1] ~[]")
        }
        try realm.write { _ = realm.create(LoopedTown.self, value: ["name": "gone"]) }
        try realm.write { realm.delete(towns[0]) }
        try realm.write { towns[0].inhabitants = 1 }
        do {
            let told = await next(&iterator)
            #expect(told.map(words) == "2: -[] +[] ~[0]")
        }
    }

    @Test("the body sees what the change says, although others commit while it is on its way")
    func consistency() async throws {
        let realm = try makeRealm()
        let towns = realm.objects(LoopedTown.self).sorted(by: \.name)
        let writers = Task {
            for index in 0..<60 {
                try await elsewhere { $0.create(LoopedTown.self, value: ["name": "\(1000 + index)"]) }
            }
        }
        var shown: [String] = []
        for await change in towns.changes {
            switch change {
            case .initial(let towns): shown = towns.map(\.name)
            case .update(let towns, let deletions, let insertions, _):
                for index in deletions.reversed() { shown.remove(at: index) }
                for index in insertions { shown.insert(towns[index].name, at: index) }
            case .error: break
            }
            #expect(shown == towns.map(\.name))
            if shown.count == 60 { break }
        }
        try await writers.value
    }

    @Test("key paths narrow what counts as a modification")
    func keyPaths() async throws {
        let realm = try makeRealm("a")
        let towns = realm.objects(LoopedTown.self)
        var iterator = towns.changes(keyPaths: [\LoopedTown.inhabitants]).makeAsyncIterator()
        _ = await next(&iterator)
        try realm.write { towns[0].scores.append(1) }
        try realm.write { towns[0].inhabitants = 2 }
        try realm.write { towns[0].scores.append(3) }
        do {
            let told = await next(&iterator)
            #expect(told.map(words) == "1: -[] +[] ~[0]")
        }
    }

    @Test("lists, sets, maps, sections and projections are looped over alike")
    func kinds() async throws {
        let realm = try makeRealm("Ulm", "Aachen")
        let town = try #require(realm.object(ofType: LoopedTown.self, forPrimaryKey: "Ulm"))
        let sections = realm.objects(LoopedTown.self).sectioned(
            by: { String($0.name.prefix(1)) }, sortDescriptors: [SortDescriptor(keyPath: "name")])
        var list = town.scores.changes.makeAsyncIterator()
        var set = town.tags.changes.makeAsyncIterator()
        var map = town.distances.changes.makeAsyncIterator()
        var quarters = town.quarters.values.makeAsyncIterator()
        var all = sections.changes.makeAsyncIterator()
        var one = sections[1].values.makeAsyncIterator()
        var projections = realm.objects(LoopedTownProjection.self).sorted(byKeyPath: "name").values.makeAsyncIterator()
        do {
            let told = await next(&list)
            #expect(told.map(words) == "initial 0")
        }
        do {
            let told = await next(&set)
            #expect(told.map(words) == "initial 0")
        }
        guard case .initial = await next(&map) else { return #expect(Bool(false)) }
        do {
            let told = await next(&quarters)
            #expect(told?.count == 0)
        }
        guard case .initial(let atFirst) = await next(&all) else { return #expect(Bool(false)) }
        #expect(atFirst.allKeys == ["A", "U"])
        do {
            let told = await next(&one)
            #expect(told?.map(\.name) == ["Ulm"])
        }
        do {
            let told = await next(&projections)
            #expect(told?.map(\.name) == ["Aachen", "Ulm"])
        }
        try realm.write {
            town.scores.append(objectsIn: [1, 2])
            town.tags.insert("old")
            town.distances["Aachen"] = 400
            town.quarters.append(LoopedQuarter(value: ["name": "Wengen"]))
            realm.create(LoopedTown.self, value: ["name": "Unna"])
        }
        do {
            let told = await next(&list)
            #expect(told.map(words) == "2: -[] +[0, 1] ~[]")
        }
        do {
            let told = await next(&set)
            #expect(told.map(words) == "1: -[] +[0] ~[]")
        }
        guard case .update(_, let gone, let new, let changed) = await next(&map) else {
            return #expect(Bool(false))
        }
        #expect(gone == [] && new == ["Aachen"] && changed == [])
        do {
            let told = await next(&quarters)
            #expect(told?.map(\.name) == ["Wengen"])
        }
        guard case .update(_, _, let insertions, _, _, _) = await next(&all) else {
            return #expect(Bool(false))
        }
        #expect(insertions == [IndexPath(item: 1, section: 1)])
        do {
            let told = await next(&one)
            #expect(told?.map(\.name) == ["Ulm", "Unna"])
        }
        do {
            let told = await next(&projections)
            #expect(told?.map(\.name) == ["Aachen", "Ulm", "Unna"])
        }
    }

    @Test("an object tells its properties, and deleted at last")
    func object() async throws {
        let realm = try makeRealm("a")
        let town = realm.objects(LoopedTown.self)[0]
        var changes = town.changes.makeAsyncIterator()
        var sizes = town.changes(keyPaths: [\.inhabitants]).makeAsyncIterator()
        var values = town.values.makeAsyncIterator()
        do {
            let told = await next(&values)
            #expect(told?.inhabitants == 0)
        }
        try realm.write { town.scores.append(1) }
        try realm.write { town.inhabitants = 5 }
        guard case .change(_, let properties) = await next(&changes) else { return #expect(Bool(false)) }
        #expect(properties.map(\.name).sorted() == ["inhabitants", "scores"])
        guard case .change(_, let size) = await next(&sizes) else { return #expect(Bool(false)) }
        #expect(size.map(\.name) == ["inhabitants"])
        #expect(size[0].oldValue as? Int == 0 && size[0].newValue as? Int == 5)
        do {
            let told = await next(&values)
            #expect(told?.inhabitants == 5)
        }
        try realm.write { realm.delete(town) }
        guard case .deleted = await next(&changes) else { return #expect(Bool(false)) }
        do {
            let told = await next(&changes)
            #expect(told == nil)
        }
        do {
            let told = await next(&values)
            #expect(told == nil)
        }
        do {
            let told = await next(&values)
            #expect(told == nil)
        }
    }

    @Test("a projection tells what it shows, and no more")
    func projection() async throws {
        let realm = try makeRealm("a")
        let town = realm.objects(LoopedTown.self)[0]
        var changes = LoopedTownProjection(projecting: town).changes.makeAsyncIterator()
        var values = LoopedTownProjection(projecting: town).values.makeAsyncIterator()
        do {
            let told = await next(&values)
            #expect(told?.size == 0)
        }
        try realm.write { town.scores.append(1) }
        try realm.write { town.inhabitants = 5 }
        guard case .change(_, let properties) = await next(&changes) else { return #expect(Bool(false)) }
        #expect(properties.map(\.name) == ["size"])
        do {
            let told = await next(&values)
            #expect(told?.size == 5)
        }
        try realm.write { realm.delete(town) }
        guard case .deleted = await next(&changes) else { return #expect(Bool(false)) }
        do {
            let told = await next(&values)
            #expect(told == nil)
        }
    }

    @Test("a Realm says that it moved, or that it could")
    func realmChanges() async throws {
        let realm = try makeRealm()
        var changes = realm.changes.makeAsyncIterator()
        for index in 0..<3 { try realm.write { _ = realm.create(LoopedTown.self, value: ["name": "\(index)"]) } }
        do {
            let told = await next(&changes)
            #expect(told == .didChange)
        }
        realm.autorefresh = false
        try await elsewhere { $0.create(LoopedTown.self, value: ["name": "other"]) }
        do {
            let told = await next(&changes)
            #expect(told == .refreshRequired)
        }
        #expect(realm.objects(LoopedTown.self).count == 3)
        realm.refresh()
        do {
            let told = await next(&changes)
            #expect(told == .didChange)
        }
    }

    // MARK: - The end

    @Test("a loop ends when the owner of its list is deleted, and with the Realm's invalidation")
    func ending() async throws {
        let realm = try makeRealm("a", "b")
        let towns = realm.objects(LoopedTown.self)
        let scores = towns[0].scores
        var list = scores.changes.makeAsyncIterator()
        var values = scores.values.makeAsyncIterator()
        _ = await next(&list)
        _ = await next(&values)
        try realm.write { realm.delete(towns[0]) }
        do {
            let told = await next(&list)
            #expect(told == nil)
        }
        do {
            let told = await next(&values)
            #expect(told == nil)
        }
        let loop = Task {
            var heard: [String] = []
            for await change in towns.changes { heard.append(words(change)) }
            return heard
        }
        for _ in 0..<10 { await Task.yield() }
        realm.invalidate()
        #expect(await loop.value == ["initial 1"])
        // Whoever observed with a callback hears no more either, and nothing stops the program.
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty)
    }

    @Test("a loop ends when its task is cancelled, and lets go of the Realm")
    func cancelling() async throws {
        do {
            let realm = try makeRealm("a")
            let towns = realm.objects(LoopedTown.self)
            let loop = Task {
                var count = 0
                for await _ in towns.changes { count += 1 }
                return count
            }
            for _ in 0..<10 { await Task.yield() }
            loop.cancel()
            #expect(await loop.value == 1)
        }
        await expectClosed()
    }

    @Test("a loop that was left holds nothing")
    func leaving() async throws {
        do {
            let realm = try makeRealm("a")
            for await _ in realm.objects(LoopedTown.self).changes { break }
            for await _ in realm.objects(LoopedTown.self)[0].values { break }
            var iterator = realm.objects(LoopedTown.self)[0].distances.changes.makeAsyncIterator()
            _ = await next(&iterator)
        }
        await expectClosed()
    }

    /// An in-memory Realm is gone as soon as nobody has it open; what was on its way to the main actor may hold it a little.
    private func expectClosed() async {
        while Realm.fileExists(for: configuration) { try? await Task.sleep(for: .milliseconds(1)) }
        #expect(!Realm.fileExists(for: configuration))
    }

    @Test("changes of a write that is open are told when it has ended")
    func openWrite() async throws {
        let realm = try makeRealm("a")
        let towns = realm.objects(LoopedTown.self).sorted(by: \.name)
        var iterator = towns.changes.makeAsyncIterator()
        _ = await next(&iterator)
        realm.beginWrite()
        realm.create(LoopedTown.self, value: ["name": "undone"])
        let loop = Task {
            let told = await next(&iterator)
            return told.map(words)
        }
        for _ in 0..<10 { await Task.yield() }
        realm.cancelWrite()
        try realm.write { towns[0].inhabitants = 1 }
        #expect(await loop.value == "1: -[] +[] ~[0]")
    }

    // MARK: - Actors

    private actor Watcher {
        var realm: Realm!
        private(set) var heard: [String] = []

        init(_ configuration: Realm.Configuration) async throws {
            realm = try await Realm(configuration: configuration, actor: self)
        }

        func watch(until count: Int) async {
            for await towns in realm.objects(LoopedTown.self).values {
                heard.append("\(towns.count)")
                if towns.count >= count { break }
            }
        }
    }

    @Test("an actor loops over what its own Realm shows")
    func actors() async throws {
        let realm = try makeRealm("a")
        let watcher = try await Watcher(configuration)
        let watching = Task { await watcher.watch(until: 4) }
        for name in ["b", "c", "d"] { try realm.write { _ = realm.create(LoopedTown.self, value: ["name": name]) } }
        await watching.value
        #expect(await watcher.heard.last == "4")
    }
}
