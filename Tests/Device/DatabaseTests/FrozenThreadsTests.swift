import Causeway
import CausewaySeeds
import Foundation
import Synchronization
import Testing

class FrozenThing: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number: Int
    @Persisted var ratio: Double?
    @Persisted var name: String
    @Persisted(indexed: true) var kind: String
    @Persisted var next: FrozenThing?
    @Persisted var numbers: List<Int>
    @Persisted var names: List<String>
    @Persisted var things: List<FrozenThing>
    @Persisted(originProperty: "next") var before: LinkingObjects<FrozenThing>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Each round freezes anew, so that the threads meet while nothing has been read yet.
@Suite("Many threads in one frozen Realm")
struct FrozenThreadsTests {
    private static let seeds = SeedList.drawn(for: "frozen-threads", count: 1)

    private static let count = 2_500
    private static let threads = 8
    private static let rounds = 5
    private static let steps = 120

    /// What all threads share. Unchecked: frozen things are for any thread, which the compiler cannot know.
    private struct Frozen: @unchecked Sendable {
        let realm: Realm
        let all: Results<FrozenThing>
        let some: Results<FrozenThing>
        let sorted: Results<FrozenThing>
        let kept: [FrozenThing]
        let numbers: List<Int>
        let things: List<FrozenThing>
    }

    private let realm: Realm

    init() throws {
        realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [FrozenThing.self]))
        try realm.write {
            for id in 0..<Self.count {
                let thing = realm.create(
                    FrozenThing.self,
                    value: [
                        "id": id, "number": Self.number(id), "name": Self.name(id), "kind": "kind \(id % 10)",
                        "numbers": Array(id..<id + id % 6), "names": (0..<id % 3).map { "\(id) \($0)" },
                    ])
                thing.ratio = Self.ratio(id)
                if id > 0 {
                    thing.next = realm.object(ofType: FrozenThing.self, forPrimaryKey: id - 1)
                    if let next = thing.next { thing.things.append(next) }
                }
            }
            let first = try #require(realm.object(ofType: FrozenThing.self, forPrimaryKey: 0))
            for number in 0..<3_000 { first.numbers.append(number * 3) }
            for thing in realm.objects(FrozenThing.self) { first.things.append(thing) }
        }
    }

    private static let smallCount = (0..<Self.count).filter { Self.number($0) < 500 }.count

    private static func number(_ id: Int) -> Int { id * 7 % 1_000 }
    private static func name(_ id: Int) -> String { "name \(id % 97)" }
    private static func ratio(_ id: Int) -> Double? { id.isMultiple(of: 3) ? nil : Double(id) / 4 }

    private func freeze() throws -> Frozen {
        let frozen = realm.freeze()
        let all = frozen.objects(FrozenThing.self)
        let first = try #require(frozen.object(ofType: FrozenThing.self, forPrimaryKey: 0))
        return Frozen(
            realm: frozen, all: all, some: all.where { $0.number < 500 }, sorted: all.sorted(by: \.number),
            kept: stride(from: 1, to: Self.count, by: 10).compactMap {
                frozen.object(ofType: FrozenThing.self, forPrimaryKey: $0)
            },
            numbers: first.numbers, things: first.things)
    }

    private static func isRight(_ thing: FrozenThing?, _ id: Int) -> Bool {
        guard let thing else { return false }
        return thing.id == id && thing.number == number(id) && thing.name == name(id) && thing.ratio == ratio(id)
            && thing.kind == "kind \(id % 10)" && (id == 0) == (thing.next == nil)
    }

    private static func hasRightCollections(_ thing: FrozenThing, _ id: Int) -> Bool {
        Array(thing.numbers) == Array(id..<id + id % 6) && thing.names.count == id % 3
            && thing.names.last == (id % 3 == 0 ? nil : "\(id) \(id % 3 - 1)")
            && thing.before.first?.id == (id + 1 < count ? id + 1 : nil) && thing.things.first?.id == id - 1
    }

    /// How many of some random reads went wrong.
    private static func mistakes(_ frozen: Frozen, _ seed: UInt64) -> Int {
        var random = SeededNumbers(seed: seed)
        var mistakes = 0
        for _ in 0..<steps {
            let id = 1 + Int(random.next() % UInt64(count - 1))
            let isExpected =
                switch random.next() % 10 {
                case 0: isRight(frozen.realm.object(ofType: FrozenThing.self, forPrimaryKey: id), id)
                case 1: isRight(frozen.all[id], id) && isRight(frozen.all[id].next, id - 1)
                case 2:
                    isRight(frozen.kept[id / 10], id / 10 * 10 + 1)
                        && hasRightCollections(frozen.kept[id / 10], id / 10 * 10 + 1)
                case 3: frozen.numbers[id] == id * 3 && frozen.numbers.count == 3_000
                case 4: isRight(frozen.things[id], id) && frozen.things.count == count
                case 5: frozen.some.count == smallCount && (frozen.some.last?.number ?? 1_000) < 500
                case 6:
                    frozen.sorted.first?.number == 0 && frozen.all.where { $0.kind == "kind 3" }.count == count / 10
                case 7: frozen.all.max(of: \.number) == 999 && frozen.some.where { $0.number == 7 }.first?.id == 1
                case 8: frozen.all.prefix(id % 50).enumerated().allSatisfy { isRight($1, $0) }
                default: keepsWhatALoopGave(frozen, every: 1 + id % 40)
                }
            if !isExpected { mistakes += 1 }
        }
        return mistakes
    }

    private static func keepsWhatALoopGave(_ frozen: Frozen, every: Int) -> Bool {
        var kept: [FrozenThing] = []
        var sum = 0
        for thing in frozen.all.prefix(500) {
            sum += thing.number
            if thing.id.isMultiple(of: every) { kept.append(thing) }
        }
        return sum == (0..<500).reduce(0) { $0 + number($1) }
            && kept.enumerated().allSatisfy { isRight($1, $0 * every) }
    }

    private final class Mistakes: Sendable {
        let count = Atomic<Int>(0)
    }

    @Test("all of them see what was frozen, while the live Realm moves on", arguments: seeds)
    func threads(seed: UInt64) throws {
        let mistakes = Mistakes()
        let before = try freeze()
        for round in 0..<Self.rounds {
            // Back to what it was, in a version that no thread has seen.
            if round > 0 { try move(by: -1) }
            let frozen = round == 0 ? before : try freeze()
            let ended = DispatchGroup()
            for number in 0..<Self.threads {
                ended.enter()
                Thread.detachNewThread {
                    let found = Self.mistakes(frozen, seed &+ UInt64(round * Self.threads + number))
                    mistakes.count.add(found, ordering: .relaxed)
                    ended.leave()
                }
            }
            try move(by: 1)
            ended.wait()
        }
        #expect(mistakes.count.load(ordering: .relaxed) == 0, "seed \(seed)")
        #expect(Self.mistakes(before, seed) == 0, "seed \(seed)")
    }

    /// Changes every object of the live Realm.
    private func move(by difference: Int) throws {
        try realm.write {
            for thing in realm.objects(FrozenThing.self) {
                thing.number += difference
                if thing.id > 0, difference > 0 { thing.numbers.append(-1) }
                if thing.id > 0, difference < 0 { thing.numbers.removeLast() }
            }
        }
    }
}
