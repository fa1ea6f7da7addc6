import Causeway
import CausewaySeeds
import Foundation
import Testing

private class Keeper: Object {
    @Persisted(primaryKey: true) var id: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Kept: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number: Int
    @Persisted var amount: Double?
    @Persisted var share: Float?
    @Persisted var name: String?
    @Persisted var date: Date
    @Persisted var keeper: Keeper?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Labelled: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var label: String?
    @Persisted(indexed: true) var number: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Questions with a short way get the answer of the long one")
struct ShortWayTests {
    private static let seeds = SeedList.drawn(for: "short-ways", count: 3, suite: "ShortWayTests")
    /// One alone: 66,000 rows take a while.
    private static let longSeeds = SeedList.drawn(for: "short-ways-of-orders", count: 1, suite: "ShortWayTests")

    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [Kept.self, Keeper.self]))
    }

    private func fill(_ realm: Realm, _ count: Int, keepers: Int, _ random: inout SeededNumbers) throws {
        let isOrdered = random.once(in: 2)
        try realm.write {
            let owners = (0..<keepers).map { realm.create(Keeper.self, value: ["id": $0]) }
            for id in 0..<count {
                let kept = Kept()
                kept.id = id
                kept.number = random.below(random.once(in: 2) ? 5 : 100_000) - 3
                kept.amount =
                    random.once(in: 9) ? nil : random.once(in: 40) ? .nan : Double(random.below(900) - 400) / 8
                kept.share = random.once(in: 9) ? nil : Float(random.below(900)) / 4
                kept.name = random.once(in: 9) ? nil : String(random.below(40_000), radix: 36)
                // What was made first came first, as in a log.
                kept.date = Date(timeIntervalSince1970: Double(isOrdered ? id : random.below(100_000)))
                if keepers > 0, !random.once(in: 5) { kept.keeper = owners[random.below(keepers)] }
                realm.add(kept)
            }
        }
    }

    @Test("the first of an order are those of the whole order", arguments: longSeeds)
    func leading(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let realm = try realm()
        // Fewer rows would be sorted whole.
        try fill(realm, 66_000, keepers: 0, &random)
        func compare(_ when: String) throws {
            for name in ["number", "amount", "share", "name", "date"] {
                for ascending in [true, false] {
                    var order = [SortDescriptor(keyPath: name, ascending: ascending)]
                    if random.once(in: 2) { order.append(SortDescriptor(keyPath: "number", ascending: false)) }
                    let condition = random.one(of: ["TRUEPREDICATE", "number > 10", "name BEGINSWITH '1'", "id < 90"])
                    let found = realm.objects(Kept.self).filter(condition)
                    let all = found.sorted(by: order).map(\.id)
                    let most = random.one(of: [1, 20, 300])
                    let text = "\(when): \(condition) by \(name), \(ascending), \(order.count)"
                    #expect(found.sorted(by: order).prefix(most).map(\.id) == Array(all.prefix(most)), "\(text)")
                    #expect(found.sorted(by: order).first?.id == all.first, "\(text)")
                    let words = order.map { "\($0.keyPath) \($0.ascending ? "ASC" : "DESC")" }.joined(separator: ", ")
                    let limited = realm.objects(Kept.self).filter("\(condition) SORT(\(words)) LIMIT(\(most))")
                    #expect(limited.map(\.id) == Array(all.prefix(most)), "\(text)")
                    #expect(found.sorted(by: order).count == all.count, "\(text)")
                }
            }
        }
        try compare("committed")
        try realm.write {
            realm.delete(realm.objects(Kept.self).filter("id > 30000 AND id < 33000"))
            for id in 0..<400 {
                realm.create(Kept.self, value: ["id": 100_000 + id, "number": -9 + id, "name": "0", "amount": -999])
            }
            try compare("in a write")
        }
        try compare("after it")
    }

    @Test("the first elements that an index has are those of all that it has", arguments: seeds)
    func firstOfIndex(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [Labelled.self]))
        let labels = ["", "a", "b", String(repeating: "long ", count: 90), String(repeating: "long ", count: 90) + "."]
        func add(_ ids: Range<Int>) {
            for id in ids {
                let label: String? = random.once(in: 7) ? nil : random.one(of: labels)
                realm.create(Labelled.self, value: ["id": id, "label": label as Any, "number": random.below(3)])
            }
        }
        func compare(_ when: String) {
            let all = Array(realm.objects(Labelled.self))
            for label in labels + [nil, "absent"] {
                let expected = all.filter { $0.label == label }.map(\.id)
                for most in [1, 7, 600, 5_000] {
                    let found = realm.objects(Labelled.self).where { $0.label == label }
                    #expect(found.prefix(most).map(\.id) == Array(expected.prefix(most)), "\(when): \(label ?? "nil")")
                }
                let found = realm.objects(Labelled.self).where { $0.label == label }
                #expect(found.isEmpty == expected.isEmpty && found.first?.id == expected.first)
                #expect(found.last?.id == expected.last && found.count == expected.count)
            }
            let ones = realm.objects(Labelled.self).where { $0.number == 1 && $0.label == "a" }
            #expect(ones.first?.id == all.first { $0.number == 1 && $0.label == "a" }?.id)
            let either = realm.objects(Labelled.self).where { $0.label.in(["b", "a"]) }
            #expect(either.prefix(9).map(\.id) == all.filter { $0.label == "a" || $0.label == "b" }.prefix(9).map(\.id))
        }
        try realm.write { add(0..<4_000) }
        compare("committed")
        try realm.write {
            realm.delete(realm.objects(Labelled.self).filter("id < 1500 AND number == 0"))
            add(4_000..<4_300)
            compare("in a write")
        }
        compare("after it")
    }

    /// Where in the text a match of the pattern so far may end, byte after byte of the pattern.
    private func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
        var ends = [true] + text.map { _ in false }
        for byte in pattern {
            if byte == UInt8(ascii: "*") {
                let first = ends.firstIndex(of: true) ?? ends.count
                for end in ends.indices where end > first { ends[end] = true }
            } else {
                ends = [false] + text.indices.map { ends[$0] && text[$0] == byte }
            }
        }
        return ends[text.count]
    }

    @Test("patterns of stars mean what a star means, for short texts and long ones", arguments: seeds)
    func stars(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let realm = try realm()
        func word(_ letters: [String], _ most: Int) -> String {
            (0..<random.below(most)).map { _ in random.one(of: letters) }.joined()
        }
        try realm.write {
            for id in 0..<1_500 {
                let name = word(["a", "b", "c", "ab", "é"], random.once(in: 8) ? 90 : 12)
                realm.create(Kept.self, value: ["id": id, "name": name])
            }
        }
        let names = realm.objects(Kept.self).map { Array(($0.name ?? "").utf8) }
        for _ in 0..<30 {
            let pieces = (0..<2 + random.below(4)).map { _ in
                random.once(in: 3) ? "" : word(["a", "b", "c", "é"], random.once(in: 3) ? 5 : 2)
            }
            let pattern = pieces.joined(separator: "*")
            let expected = names.indices.filter { matches(names[$0], Array(pattern.utf8)) }
            let found = realm.objects(Kept.self).filter("name LIKE %@", pattern).map(\.id)
            #expect(Array(found) == expected, "\(pattern)")
        }
    }

    @Test("what is asked of all that link to an object is what a loop over them finds", arguments: seeds)
    func backlinks(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let realm = try realm()
        try fill(realm, 3_000, keepers: 700, &random)
        func compare(_ when: String) {
            let keepers = Array(realm.objects(Keeper.self))
            var kept: [Int: [Kept]] = [:]
            for one in realm.objects(Kept.self) {
                if let id = one.keeper?.id { kept[id, default: []].append(one) }
            }
            func expect(_ condition: String, _ holds: ([Kept]) -> Bool) {
                let found = realm.objects(Keeper.self).filter("@links.Kept.keeper.\(condition)").map(\.id)
                let expected = keepers.map(\.id).filter { holds(kept[$0] ?? []) }
                #expect(Array(found) == expected, "\(when): \(condition)")
                // Of few rows the backlinks are read one by one.
                let few = realm.objects(Keeper.self).filter("id < 2 AND @links.Kept.keeper.\(condition)").map(\.id)
                #expect(Array(few) == expected.filter { $0 < 2 }, "\(when): \(condition)")
            }
            func amounts(_ kept: [Kept]) -> [Double] { kept.compactMap(\.amount).filter { !$0.isNaN } }
            expect("@count > 4") { $0.count > 4 }
            expect("@count == 0") { $0.isEmpty }
            expect("@count IN {1, 3}") { [1, 3].contains($0.count) }
            expect("@sum.number > 100") { $0.reduce(0) { $0 + $1.number } > 100 }
            expect("@max.number < 5") { $0.map(\.number).max().map { $0 < 5 } ?? false }
            expect("@min.number == nil") { $0.isEmpty }
            expect("@avg.number >= 2.5") {
                !$0.isEmpty && Double($0.reduce(0) { $0 + $1.number }) / Double($0.count) >= 2.5
            }
            expect("@sum.amount <= 0") { amounts($0).reduce(0, +) <= 0 }
            expect("@avg.amount == nil") { amounts($0).isEmpty }
            expect("@avg.amount != nil") { !amounts($0).isEmpty }
            expect("@min.amount < -20") { amounts($0).min().map { $0 < -20 } ?? false }
            expect("@max.share > 200") { $0.compactMap(\.share).max().map { $0 > 200 } ?? false }
        }
        compare("committed")
        try realm.write {
            realm.delete(realm.objects(Kept.self).filter("id > 500 AND id < 900"))
            realm.delete(realm.objects(Keeper.self).filter("id > 100 AND id < 150"))
            let keeper = realm.object(ofType: Keeper.self, forPrimaryKey: 7)
            for id in 0..<60 {
                realm.create(
                    Kept.self, value: ["id": 10_000 + id, "number": id, "amount": Double(id), "keeper": keeper as Any])
            }
            compare("in a write")
        }
        compare("after it")
    }
}
