import Causeway
import CausewaySeeds
import Foundation
import Testing

private class Lined: Object {
    @Persisted(primaryKey: true) var id: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Line: Object {
    @Persisted var numbers: List<Int>
    @Persisted var words: List<String?>
    @Persisted var links: List<Lined>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What an observer of a list knows, from the changes that it was told of alone.
private final class Told<Element> {
    var elements: [Element] = []
    var updates = 0

    func hear<Base: RealmCollection>(_ change: RealmCollectionChange<Base>) where Base.Element == Element {
        switch change {
        case .initial(let all): elements = Array(all)
        case .update(let all, let deletions, let insertions, let modifications):
            updates += 1
            for position in deletions.reversed() { elements.remove(at: position) }
            for position in insertions { elements.insert(all[position], at: position) }
            for position in modifications { elements[position] = all[position] }
        case .error: break
        }
    }
}

@Suite("Observers of long lists hear the changes between two positions")
struct ListObservationTests {
    private static let seeds = SeedList.drawn(for: "list-observers", count: 20, suite: "ListObservationTests")

    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [Line.self, Lined.self]))
    }

    @Test("that lead from what they knew to what is there", arguments: seeds)
    func sequences(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let realm = try realm()
        var next = 0
        func lined() -> Lined {
            next += 1
            return realm.create(Lined.self, value: ["id": next])
        }
        let line = try realm.write {
            let line = realm.create(Line.self)
            let count = random.one(of: [0, 3, 70, 1_500])
            line.numbers.append(objectsIn: (0..<count).map { _ in random.below(4) })
            line.words.append(objectsIn: (0..<count).map { _ in random.once(in: 9) ? nil : "word \(random.below(3))" })
            line.links.append(objectsIn: (0..<count).map { _ in lined() })
            return line
        }
        let (numbers, words, links) = (Told<Int>(), Told<String?>(), Told<Lined>())
        let tokens = [
            line.numbers.observe { numbers.hear($0) }, line.words.observe { words.hear($0) },
            line.links.observe { links.hear($0) },
        ]
        realm.refresh()
        for round in 0..<30 {
            for _ in 0..<random.number(1...2) {
                try realm.write {
                    for _ in 0..<random.number(1...4) { step(realm, line, lined, &random) }
                    if random.once(in: 5) { _ = (line.links.first, Array(line.numbers)) }
                    // Made and deleted by one write.
                    if random.once(in: 5) {
                        let brief = lined()
                        line.links.append(brief)
                        realm.delete(brief)
                    }
                }
            }
            realm.refresh()
            #expect(numbers.elements == Array(line.numbers), "round \(round)")
            #expect(words.elements == Array(line.words), "round \(round)")
            #expect(links.elements.map(\.id) == line.links.map(\.id), "round \(round)")
        }
        for token in tokens { token.invalidate() }
    }

    private func step(_ realm: Realm, _ line: Line, _ lined: () -> Lined, _ random: inout SeededNumbers) {
        let place = random.below(line.numbers.count + 1)
        switch random.below(8) {
        case 0:
            line.numbers.insert(random.below(4), at: place)
            line.words.insert("new", at: min(place, line.words.count))
            line.links.insert(lined(), at: min(place, line.links.count))
        case 1:
            if place < line.numbers.count { line.numbers.remove(at: place) }
            if place < line.words.count { line.words.remove(at: place) }
            if place < line.links.count { line.links.remove(at: place) }
        case 2:
            if place < line.numbers.count { line.numbers[place] = random.below(4) }
            if place < line.words.count { line.words[place] = nil }
            if place < line.links.count { line.links[place] = lined() }
        case 3:
            guard line.links.count > 1 else { return }
            line.links.move(from: random.below(line.links.count), to: random.below(line.links.count))
        case 4:
            if place < line.links.count { realm.delete(line.links[place]) }
        case 5:
            // Once more in the list.
            if place < line.links.count { line.links.append(line.links[place]) }
        case 6:
            if random.once(in: 6) { line.numbers.removeAll() }
        default:
            line.numbers.append(objectsIn: (0..<random.below(600)).map { $0 })
        }
    }

    @Test("an insert is told without reading the list again")
    func splice() throws {
        let realm = try realm()
        let line = try realm.write {
            let line = realm.create(Line.self)
            line.numbers.append(objectsIn: 0..<20_000)
            return line
        }
        var heard: [[Int]] = []
        let token = line.numbers.observe { change in
            guard case .update(_, let deletions, let insertions, let modifications) = change else { return }
            heard = [deletions, insertions, modifications]
        }
        realm.refresh()
        let evaluations = line.numbers._source.evaluationCount
        try realm.write { line.numbers.insert(-1, at: 7_000) }
        realm.refresh()
        #expect(heard == [[], [7_000], []])
        try realm.write { line.numbers[19_000] = -1 }
        realm.refresh()
        #expect(heard == [[], [], [19_000]])
        try realm.write { line.numbers.removeLast() }
        realm.refresh()
        #expect(heard == [[20_000], [], []])
        #expect(line.numbers._source.evaluationCount == evaluations)
        token.invalidate()
    }
}
