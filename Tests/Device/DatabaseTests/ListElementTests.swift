import Causeway
import CausewaySeeds
import Foundation
import Testing

class ListOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var numbers: List<Int>
    @Persisted var ratios: List<Double>
    @Persisted var flags: List<Bool>
    @Persisted var maybe: List<Int?>
    @Persisted var names: List<String>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Elements of lists")
struct ListElementTests {
    private static let seeds = SeedList.drawn(for: "list-elements", count: 1)

    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [ListOwner.self])

    private func expect(_ owner: ListOwner, _ values: [Int], _ when: String) {
        #expect(owner.numbers.count == values.count, "\(when)")
        var differences = 0
        for position in values.indices {
            if owner.numbers[position] != values[position] { differences += 1 }
            if owner.ratios[position] != Double(values[position]) { differences += 1 }
            if owner.flags[position] != values[position].isMultiple(of: 3) { differences += 1 }
            if owner.maybe[position] != (values[position].isMultiple(of: 5) ? nil : values[position]) {
                differences += 1
            }
            if owner.names[position] != "\(values[position])" { differences += 1 }
        }
        #expect(differences == 0, "\(when)")
    }

    private func append(_ number: Int, _ owner: ListOwner) {
        owner.numbers.append(number)
        owner.ratios.append(Double(number))
        owner.flags.append(number.isMultiple(of: 3))
        owner.maybe.append(number.isMultiple(of: 5) ? nil : number)
        owner.names.append("\(number)")
    }

    private func remove(at index: Int, _ owner: ListOwner) {
        owner.numbers.remove(at: index)
        owner.ratios.remove(at: index)
        owner.flags.remove(at: index)
        owner.maybe.remove(at: index)
        owner.names.remove(at: index)
    }

    @Test("reads by position follow every edit, commit and rollback, here and in another list of the class")
    func reads() throws {
        let realm = try Realm(configuration: configuration)
        let owners = [ListOwner(value: ["id": 1]), ListOwner(value: ["id": 2])]
        try realm.write { realm.add(owners) }
        var values: [[Int]] = [[], []]
        for round in 0..<6 {
            let before = values
            realm.beginWrite()
            for number in 0..<700 {
                append(number * round, owners[number % 2])
                values[number % 2].append(number * round)
                if number % 50 == 0 { #expect(owners[number % 2].numbers.last == number * round) }
            }
            for index in [300, 0, 7] {
                remove(at: index, owners[0])
                values[0].remove(at: index)
            }
            for number in 0..<2 { expect(owners[number], values[number], "writing, round \(round)") }
            if round % 3 == 1 {
                realm.cancelWrite()
                values = before
            } else {
                try realm.commitWrite()
            }
            for number in 0..<2 { expect(owners[number], values[number], "after, round \(round)") }
        }
    }

    @Test("reads here and there in long lists follow every edit, commit and rollback", arguments: seeds)
    func longLists(seed: UInt64) throws {
        let realm = try Realm(configuration: configuration)
        let owners = [ListOwner(value: ["id": 1]), ListOwner(value: ["id": 2])]
        var values: [[Int]] = [[], []]
        try realm.write {
            realm.add(owners)
            for number in 0..<2 {
                values[number] = (0..<40_000).map { $0 * (number + 1) }
                owners[number].numbers.append(objectsIn: values[number])
                owners[number].names.append(objectsIn: values[number].prefix(3_000).map { "\($0)" })
            }
        }
        var random = SeededNumbers(seed: seed)
        func expectReads(_ when: String) {
            var differences = 0
            for _ in 0..<2_000 {
                // Now one list, now the other.
                let number = Int(random.next() % 2)
                let position = Int(random.next() % UInt64(values[number].count))
                if owners[number].numbers[position] != values[number][position] { differences += 1 }
                let name = Int(random.next() % 3_000)
                if owners[number].names[name] != "\(name * (number + 1))" { differences += 1 }
            }
            #expect(differences == 0, "seed \(seed), \(when)")
        }
        expectReads("made")
        for round in 0..<4 {
            let before = values
            realm.beginWrite()
            for edit in 0..<300 {
                let number = Int(random.next() % 2)
                let position = Int(random.next() % UInt64(values[number].count))
                if edit % 3 == 0 {
                    owners[number].numbers.remove(at: position)
                    values[number].remove(at: position)
                } else {
                    owners[number].numbers.insert(edit, at: position)
                    values[number].insert(edit, at: position)
                }
                if edit % 100 == 0 { expectReads("writing, round \(round)") }
            }
            expectReads("written, round \(round)")
            if round % 2 == 0 {
                try realm.commitWrite()
            } else {
                realm.cancelWrite()
                values = before
            }
            expectReads("after, round \(round)")
        }
    }
}
