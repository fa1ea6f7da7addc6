import Causeway
import CausewaySeeds
import Dispatch
import Foundation
import Testing

class LiveOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted(originProperty: "owner") var items: LinkingObjects<LiveItem>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LiveItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number: Int
    @Persisted var weight: Double?
    @Persisted(indexed: true) var name: String
    @Persisted var owner: LiveOwner?
    @Persisted var tags: List<String>
    @Persisted var friends: List<LiveItem>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What the results hold, by primary key.
private func ids(_ items: Results<LiveItem>) -> [Int] { items.map(\.id) }

@Suite("Live results follow what they depend on")
struct LiveResultsTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveItem.self, LiveOwner.self])

    private func makeItems(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            let owner = realm.create(LiveOwner.self, value: ["id": 0, "name": "x"])
            for id in 0..<count {
                let item = realm.create(LiveItem.self, value: ["id": id, "number": id % 10, "name": "n\(id % 7)"])
                if id % 2 == 0 { item.owner = owner }
            }
        }
    }

    @Test("a commit that touches only other classes or columns does not run the query again")
    func unrelated() throws {
        let realm = try Realm(configuration: configuration)
        try makeItems(realm, 100)
        let items = realm.objects(LiveItem.self)
        let small = items.where { $0.number < 3 }
        let sorted = items.where { $0.number < 3 }.sorted(by: \.name)
        let distinct = items.distinct(by: [\LiveItem.number])
        let linked = items.where { $0.owner.name == "x" }
        let all = [small, sorted, distinct, linked]
        let before = all.map { ids($0) }
        let counts = all.map(\._source.evaluationCount)
        try realm.write { realm.create(LiveOwner.self, value: ["id": 1, "name": "y"]) }
        try realm.write { items[5].weight = 3 }
        try realm.write {
            items[6].weight = 4
            #expect(small.count == before[0].count)
            items[6].tags.append("t")
            #expect(ids(small) == before[0])
        }
        #expect(all.map { ids($0) } == before)
        #expect(Array(all.map(\._source.evaluationCount).prefix(3)) == Array(counts.prefix(3)))
        #expect(items._source.evaluationCount <= 2)
        try realm.write { realm.object(ofType: LiveOwner.self, forPrimaryKey: 0)?.name = "z" }
        #expect(linked.isEmpty)
        #expect(ids(small) == before[0])
        #expect(small._source.evaluationCount == counts[0])
    }

    @Test("a few changed rows are put in their places without running the query again")
    func incremental() throws {
        let realm = try Realm(configuration: configuration)
        try makeItems(realm, 1000)
        let items = realm.objects(LiveItem.self)
        let small = items.where { $0.number < 3 }
        let sorted = small.sorted(by: \.name, ascending: false)
        _ = (ids(small), ids(sorted))
        try realm.write {
            items[1].number = 9
            items[8].number = 0
            items[20].name = "zz"
            realm.delete(items[30])
            realm.create(LiveItem.self, value: ["id": 5000, "number": 1, "name": "a"])
        }
        #expect(ids(small) == ids(items.where { $0.number < 3 }))
        #expect(ids(sorted) == ids(items.where { $0.number < 3 }.sorted(by: \.name, ascending: false)))
        #expect(small._source.evaluationCount == 1)
        #expect(sorted._source.evaluationCount == 1)
    }

    @Test("the count of an unrelated write is not counted again")
    func counting() throws {
        let realm = try Realm(configuration: configuration)
        try makeItems(realm, 100)
        let small = realm.objects(LiveItem.self).where { $0.number < 3 }
        #expect(small.count == 30)
        try realm.write { realm.create(LiveOwner.self, value: ["id": 1, "name": "y"]) }
        #expect(small.count == 30)
        #expect(small._source.evaluationCount == 1)
        try realm.write { realm.objects(LiveItem.self)[0].number = 7 }
        #expect(small.count == 29)
    }

    @Test("the beginning of an order is right, alone, after changes and followed by the rest")
    func leadingOfOrder() throws {
        let realm = try Realm(configuration: configuration)
        try makeItems(realm, 3000)
        let items = realm.objects(LiveItem.self)
        func orders() -> [Results<LiveItem>] {
            [
                items.sorted(by: \.name), items.sorted(by: \.number, ascending: false),
                items.where { $0.number < 3 }.sorted(by: [SortDescriptor(keyPath: "name"), "number"]),
                items.where { $0.id < 20 }.sorted(by: \.name), items.where { $0.id < 0 }.sorted(by: \.name),
                items.sorted(by: \.name).where { $0.owner.name == "x" },
                items.sorted(by: \.name).sorted(by: \.number),
            ]
        }
        for (order, whole) in zip(orders(), orders().map { ids($0) }) {
            #expect(order.first?.id == whole.first)
            #expect(order.prefix(50).map(\.id) == Array(whole.prefix(50)))
            #expect(order.isEmpty == whole.isEmpty)
            #expect(ids(order) == whole)
        }
        let held = orders()
        let firsts = held.map { $0.first?.id }
        try realm.write {
            for id in [7, 14, 21] { realm.object(ofType: LiveItem.self, forPrimaryKey: id)?.name = "a" }
            realm.delete(
                firsts.compactMap { $0 }.prefix(1).compactMap {
                    realm.object(ofType: LiveItem.self, forPrimaryKey: $0)
                })
            #expect(held.map { $0.first?.id } == orders().map { ids($0).first })
        }
        #expect(held.map { $0.first?.id } == orders().map { ids($0).first })
        #expect(held.map { $0.prefix(70).map(\.id) } == orders().map { Array(ids($0).prefix(70)) })
        #expect(held.map(\.last?.id) == orders().map { ids($0).last })
    }

    @Test("the beginning of results is right, alone and followed by the rest")
    func leading() throws {
        let realm = try Realm(configuration: configuration)
        try makeItems(realm, 3000)
        let items = realm.objects(LiveItem.self)
        #expect(items.first?.id == 0)
        #expect(items.prefix(3).map(\.id) == [0, 1, 2])
        #expect(items[2500].id == 2500)
        let small = items.where { $0.number == 3 }
        #expect(small.first?.id == 3)
        #expect(small.prefix(1000).count == 300)
        #expect(small[299].id == 2993)
        #expect(items.where { $0.number == 77 }.isEmpty)
        #expect(items.where { $0.number == 77 }.first == nil)
        try realm.write {
            #expect(items.first?.id == 0)
            realm.delete(items[0])
            #expect(items.first?.id == 1)
            #expect(items.prefix(2).map(\.id) == [1, 2])
        }
        #expect(items.index(matching: "number == 5") == 4)
    }
}

@Suite("Incremental equals from scratch")
struct IncrementalTests {
    private static let seeds = SeedList.drawn(for: "live-results", count: 15, suite: "IncrementalTests")
    private static let observerSeeds = SeedList.drawn(
        for: "live-observers", count: 30, suite: "IncrementalTests")

    /// A way to ask, so that the same question can be asked of live results and anew.
    private struct Question: Sendable {
        var name: String
        var ask: @Sendable (Realm) -> Results<LiveItem>
    }

    private static let questions: [Question] = [
        Question(name: "all") { $0.objects(LiveItem.self) },
        Question(name: "number") { $0.objects(LiveItem.self).filter("number < 5") },
        Question(name: "weight or name") { $0.objects(LiveItem.self).filter("weight > 2 OR name == 'b'") },
        Question(name: "no weight") { $0.objects(LiveItem.self).filter("weight == nil AND NOT name == 'c'") },
        Question(name: "tags") { $0.objects(LiveItem.self).filter("ANY tags == 'b'") },
        Question(name: "columns") { $0.objects(LiveItem.self).filter("number == id") },
        Question(name: "owner's name") { $0.objects(LiveItem.self).filter("owner.name == 'a'") },
        Question(name: "no owner") { $0.objects(LiveItem.self).filter("owner == nil") },
        Question(name: "friends") { $0.objects(LiveItem.self).filter("friends.@count > 1") },
        Question(name: "friends' sum") { $0.objects(LiveItem.self).filter("friends.@sum.number > 6") },
        Question(name: "any friend") { $0.objects(LiveItem.self).filter("ANY friends.name == 'a'") },
        Question(name: "sorted") { $0.objects(LiveItem.self).sorted(byKeyPath: "number") },
        Question(name: "sorted down") {
            $0.objects(LiveItem.self).filter("number > 2").sorted(byKeyPath: "name", ascending: false)
        },
        Question(name: "sorted twice") {
            $0.objects(LiveItem.self).sorted(byKeyPath: "name").sorted(byKeyPath: "weight", ascending: false)
        },
        Question(name: "sorted by two") {
            $0.objects(LiveItem.self).filter("weight != 1").sorted(by: [
                SortDescriptor(keyPath: "name"), SortDescriptor(keyPath: "number", ascending: false),
            ])
        },
        Question(name: "sorted by owner") { $0.objects(LiveItem.self).sorted(byKeyPath: "owner.name") },
        Question(name: "distinct") { $0.objects(LiveItem.self).filter("number < 8").distinct(by: ["name"]) },
        Question(name: "sorted and distinct") {
            $0.objects(LiveItem.self).sorted(byKeyPath: "number").distinct(by: ["name", "owner.name"])
        },
        Question(name: "distinct, then filtered") {
            $0.objects(LiveItem.self).distinct(by: ["number"]).filter("name != 'a'")
        },
    ]

    /// One step of a random write.
    private static func step(_ realm: Realm, _ random: inout SeededNumbers, _ next: inout Int) {
        let items = Array(realm.objects(LiveItem.self))
        let owners = Array(realm.objects(LiveOwner.self))
        let name = random.one(of: ["a", "b", "c", ""])
        guard !items.isEmpty, !random.once(in: 6) else {
            next += 1
            let item = realm.create(
                LiveItem.self, value: ["id": next, "number": random.below(10), "name": name])
            if random.once(in: 2), !owners.isEmpty { item.owner = random.one(of: owners) }
            return
        }
        let item = random.one(of: items)
        switch random.below(12) {
        case 0, 1: item.number = random.below(10)
        case 2: item.weight = random.once(in: 3) ? nil : Double(random.below(4))
        case 3: item.name = name
        case 4: item.owner = owners.isEmpty || random.once(in: 3) ? nil : random.one(of: owners)
        case 5: item.tags.append(name)
        case 6: item.tags.removeAll()
        case 7: item.friends.append(random.one(of: items))
        case 8 where item.friends.count > 0: item.friends.remove(at: random.below(item.friends.count))
        case 9 where random.once(in: 2): realm.delete(item)
        case 10:
            if owners.isEmpty || random.once(in: 2) {
                next += 1
                realm.create(LiveOwner.self, value: ["id": next, "name": name])
            } else if random.once(in: 3) {
                realm.delete(random.one(of: owners))
            } else {
                random.one(of: owners).name = name
            }
        default: item.number = random.below(10)
        }
    }

    @Test("for random writes, here and elsewhere, committed and cancelled", arguments: seeds)
    func results(seed: UInt64) throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveItem.self, LiveOwner.self])
        let realm = try Realm(configuration: configuration)
        var random = SeededNumbers(seed: seed)
        var next = 0
        let count = random.below(300)
        try realm.write { for _ in 0..<count { Self.step(realm, &random, &next) } }
        let live = Self.questions.map { $0.ask(realm) }
        let queue = DispatchQueue(label: "elsewhere")

        for round in 0..<25 {
            let isElsewhere = random.once(in: 3)
            let steps = random.number(1...(random.once(in: 8) ? 60 : 5))
            if isElsewhere {
                let (numbers, id) = try queue.sync {
                    var numbers = random
                    var id = next
                    let other = try Realm(configuration: configuration, queue: queue)
                    try other.write { for _ in 0..<steps { Self.step(other, &numbers, &id) } }
                    return (numbers, id)
                }
                random = numbers
                next = id
                realm.refresh()
            } else {
                realm.beginWrite()
                for _ in 0..<steps {
                    Self.step(realm, &random, &next)
                    guard random.once(in: 3) else { continue }
                    let index = random.below(live.count)
                    #expect(
                        ids(live[index]) == ids(Self.questions[index].ask(realm)),
                        "seed \(seed), round \(round), during a write: \(Self.questions[index].name)")
                }
                if random.once(in: 4) { realm.cancelWrite() } else { try realm.commitWrite() }
            }
            for (results, question) in zip(live, Self.questions) where !random.once(in: 3) {
                let fresh = ids(question.ask(realm))
                if random.once(in: 3) {
                    #expect(results.count == fresh.count, "seed \(seed), round \(round): count of \(question.name)")
                    #expect(results.first?.id == fresh.first, "seed \(seed), round \(round): first of \(question.name)")
                }
                #expect(ids(results) == fresh, "seed \(seed), round \(round): \(question.name)")
            }
        }
    }

    /// What an observer believes a collection to be.
    private final class Mirror {
        var ids: [Int] = []
        var numbers: [Int: Int] = [:]
        var mistakes: [String] = []

        func hear(_ change: RealmCollectionChange<Results<LiveItem>>) {
            switch change {
            case .initial(let items): ids = items.map(\.id)
            case .update(let items, let deletions, let insertions, let modifications):
                let before = ids
                let now = Array(items.map(\.id))
                for index in deletions.reversed() where index < ids.count { ids.remove(at: index) }
                for index in insertions where index <= ids.count { ids.insert(now[index], at: index) }
                if ids != now { mistakes.append("\(ids) instead of \(now) after \(before)") }
                ids = now
                let told = Set(insertions).union(modifications)
                let untold = items.indices.filter { !told.contains($0) }
                for index in untold where numbers[items[index].id] != items[index].number {
                    mistakes.append("position \(index) was modified")
                }
                if !Set(insertions).isDisjoint(with: modifications) { mistakes.append("modified and inserted") }
            case .error: break
            }
            if case .update(let items, _, _, _) = change { remember(items) }
            if case .initial(let items) = change { remember(items) }
        }

        private func remember(_ items: Results<LiveItem>) {
            numbers = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.number) })
        }
    }

    @Test("for the change sets that observers hear", arguments: observerSeeds)
    func observers(seed: UInt64) throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveItem.self, LiveOwner.self])
        let realm = try Realm(configuration: configuration)
        var random = SeededNumbers(seed: seed)
        var next = 0
        let count = random.below(300)
        try realm.write { for _ in 0..<count { Self.step(realm, &random, &next) } }
        let mirrors = Self.questions.map { _ in Mirror() }
        let live = Self.questions.map { $0.ask(realm) }
        let tokens = zip(live, mirrors).map { results, mirror in results.observe { mirror.hear($0) } }
        realm.refresh()
        for round in 0..<25 {
            try realm.write {
                for _ in 0..<random.number(1...(random.once(in: 8) ? 60 : 4)) { Self.step(realm, &random, &next) }
                if random.once(in: 4) { _ = live.map { ids($0) } }
            }
            if random.once(in: 4) { _ = live.map { ids($0) } }
            realm.refresh()
            for (index, mirror) in mirrors.enumerated() {
                let name = Self.questions[index].name
                #expect(mirror.mistakes.isEmpty, "seed \(seed), round \(round): \(name): \(mirror.mistakes)")
                #expect(mirror.ids == ids(Self.questions[index].ask(realm)), "seed \(seed), round \(round): \(name)")
            }
        }
        for token in tokens { token.invalidate() }
    }
}
