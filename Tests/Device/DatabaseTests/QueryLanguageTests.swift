import Causeway
import CausewayQuery
import Foundation
import Testing

class LanguageItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var price: Double
    @Persisted var pieces: Int
    @Persisted var discount: Int?
    @Persisted var group: String
    @Persisted var anything: AnyRealmValue
    @Persisted var scores: List<Int>
    @Persisted var marks: Map<String, Int>
    @Persisted var parts: List<LanguageItem>
    @Persisted var owner: LanguageItem?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func propertiesMapping() -> [String: String] {
        ["pieces": "stored_pieces", "parts": "stored_parts"]
    }
}

@Suite("The query language through filter")
struct QueryLanguageTests {
    private let realm: Realm

    /// Twenty items in groups of five; every third has a discount, every fourth another one as its first part.
    init() throws {
        realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [LanguageItem.self]))
        try realm.write {
            for id in 0..<20 { add(id) }
            let items = realm.objects(LanguageItem.self)
            for id in stride(from: 4, to: 20, by: 4) { items[id].parts.append(objectsIn: [items[id - 1], items[0]]) }
            for id in 1..<20 { items[id].owner = items[id / 2] }
        }
    }

    private func add(_ id: Int) {
        let item = realm.create(
            LanguageItem.self,
            value: ["id": id, "price": Double(id) / 2, "pieces": id % 7, "group": ["a", "b", "c", "d"][id / 5 % 4]])
        item.discount = id.isMultiple(of: 3) ? id : nil
        item.scores.append(objectsIn: (0..<id % 4).map { id - $0 })
        if id.isMultiple(of: 2) { item.marks["the x"] = 20 - id }
        item.anything = [.none, .int(id), .string("text \(id)"), .double(1.5), .bool(true)][id % 5]
    }

    private func ids(_ format: String, _ arguments: Any...) -> [Int] {
        realm.objects(LanguageItem.self)._selected(by: readSelection(format, arguments)).map(\.id)
    }

    private func ids(_ holds: (LanguageItem) -> Bool) -> [Int] {
        Array(realm.objects(LanguageItem.self)).filter(holds).map(\.id)
    }

    @Test("arithmetic on own properties, through links, lists and aggregates, by public names")
    func arithmetic() {
        #expect(ids("pieces * 2 + 1 > id") == ids { $0.pieces * 2 + 1 > $0.id })
        #expect(ids("(id - pieces) / 2 == 3") == ids { ($0.id - $0.pieces) / 2 == 3 })
        #expect(ids("price * pieces >= %@", 20) == ids { $0.price * Double($0.pieces) >= 20 })
        #expect(
            ids("id - 1 == discount + 2 - 3") == ids { item in item.discount.map { $0 - 1 == item.id - 1 } ?? false })
        #expect(ids("discount + 1 == nil") == ids { $0.discount == nil })
        #expect(ids("id / pieces == nil") == ids { $0.pieces == 0 })
        #expect(ids("id - 1 BETWEEN {3, 5}") == [4, 5, 6])
        #expect(ids("2 * id IN {4, 6, 7}") == [2, 3])
        #expect(ids("owner.id * 2 == id") == ids { item in item.owner.map { $0.id * 2 == item.id } ?? false })
        #expect(ids("parts.@count * 3 == 6") == ids { $0.parts.count == 2 })
        #expect(ids("ANY scores - id == -2") == ids { item in item.scores.contains { $0 - item.id == -2 } })
        #expect(ids("ALL scores + 1 > id") == ids { item in item.scores.allSatisfy { $0 + 1 > item.id } })
        #expect(ids("id > 2 * 9") == [19])
        #expect(realm.objects(LanguageItem.self).filter("id == 2 * 9").explain() == "scan LanguageItem.id")
    }

    @Test("what is computed follows changes")
    func computedLive() throws {
        let results = realm.objects(LanguageItem.self).filter("price * pieces > 1000")
        #expect(results.isEmpty)
        try realm.write {
            realm.objects(LanguageItem.self)[2].price = 2000
            realm.objects(LanguageItem.self)[2].pieces = 3
        }
        #expect(results.map(\.id) == [2])
    }

    @Test("one element of a list by its place")
    func places() {
        #expect(ids("scores[0] == 7") == [7])
        #expect(ids("scores[FIRST] == scores[LAST]") == ids { $0.scores.first == $0.scores.last })
        #expect(ids("scores[1] == nil") == ids { $0.scores.count < 2 })
        #expect(ids("scores[SIZE] == 3") == ids { $0.scores.count == 3 })
        #expect(ids("parts[0].id == 7") == [8])
        #expect(ids("parts[LAST].id == 0") == ids { !$0.parts.isEmpty })
        #expect(ids("parts[0].owner.scores[0] + 1 > 5") == ids { ($0.parts.first?.owner?.scores.first ?? 0) + 1 > 5 })
        #expect(ids("ALL parts[0].scores > 2") == ids { ($0.parts.first?.scores.allSatisfy { $0 > 2 }) ?? true })
    }

    @Test("the type of a mixed value")
    func types() {
        #expect(ids("anything.@type == 'string'") == [2, 7, 12, 17])
        #expect(ids("anything.@type IN {'Bool', 'null'}") == ids { [0, 4].contains($0.id % 5) })
        #expect(ids("anything.@type == 'numeric'") == ids { [1, 3].contains($0.id % 5) })
        #expect(
            ids("anything.@type != owner.anything.@type")
                == ids { item in
                    let kind = { (item: LanguageItem?) in item.map { $0.id % 5 } ?? 0 }
                    return kind(item) != kind(item.owner)
                })
        #expect(ids("anything.@type == ANY {'int', 'double'}") == ids { [1, 3].contains($0.id % 5) })
        #expect(ids("anything * 2 == 3") == ids { $0.id % 5 == 3 })
    }

    @Test("lists with a quantifier, and classes of links")
    func quantified() {
        #expect(ids("id == ANY {1, 2}") == [1, 2])
        #expect(ids("ANY {1, 2} == id") == [1, 2])
        #expect(ids("id > ALL %@", [3, 17]) == [18, 19])
        #expect(ids("NONE {0, 1, 2} <= id").isEmpty)
        #expect(ids("ALL {7, 6} IN scores") == [7])
        #expect(ids("7 == ANY scores") == ids { $0.scores.contains(7) })
        #expect(ids("group == NONE {'a', 'b', 'c'}") == ids { $0.group == "d" })
        #expect(ids("owner == obj('LanguageItem', 4)") == [8, 9])
        #expect(ids("id == $0[1]", [4, 5]) == [5])
    }

    @Test("SORT, DISTINCT and LIMIT, in the order in which they stand")
    func steps() {
        #expect(ids("id < 5 SORT(price DESC)") == [4, 3, 2, 1, 0])
        #expect(
            ids("TRUEPREDICATE SORT(group DESC, pieces ASC, id) LIMIT(3)")
                == ids("group == 'd' SORT(pieces, id)").prefix(3).map { $0 })
        #expect(ids("TRUEPREDICATE DISTINCT(group)") == [0, 5, 10, 15])
        #expect(ids("TRUEPREDICATE LIMIT(7) DISTINCT(group)") == [0, 5])
        #expect(ids("TRUEPREDICATE SORT(id DESC) DISTINCT(group) LIMIT(2)") == [19, 14])
        #expect(ids("TRUEPREDICATE LIMIT(0)").isEmpty)
        #expect(ids("id > 0 SORT(owner.id DESCENDING, id ascending) limit(3)") == [18, 19, 16])
        let results = realm.objects(LanguageItem.self).filter("id > %@ SORT(id DESC) LIMIT(4)", 3)
        #expect(results.count == 4)
        #expect(results.first?.id == 19)
        #expect(results.filter("id < 18").map(\.id) == [17, 16])
        #expect(results.sorted(byKeyPath: "id").map(\.id) == [16, 17, 18, 19])
        #expect(results.where { $0.id < 18 }.sum(of: \.id) == 33)
        #expect(results.max(of: \.id) == 19)
        #expect(results.explain().hasSuffix("the first 4"))
    }

    @Test("order by an entry of a map and by an element of a list")
    func orderOfParts() {
        #expect(ids("id > 0 SORT(marks['the x'] ASC, id DESC) LIMIT(1)") == [19])
        #expect(ids("marks['the x'] != nil SORT(marks['the x'] ASC) LIMIT(3)") == [18, 16, 14])
        #expect(ids("TRUEPREDICATE SORT(marks['the x'] DESC) LIMIT(3)") == [0, 2, 4])
        #expect(ids("TRUEPREDICATE SORT(scores[0] DESC) LIMIT(3)") == [19, 18, 17])
        #expect(ids("TRUEPREDICATE SORT(scores[LAST] ASC, id ASC) LIMIT(6)") == [0, 4, 8, 12, 16, 1])
        #expect(ids("id > 0 SORT(owner.marks['the x'] DESC, id) LIMIT(2)") == [1, 4])
        let items = realm.objects(LanguageItem.self).sorted(byKeyPath: "marks['the x']", ascending: false)
        #expect(items.first?.id == 0)
        #expect(items.last?.id == 19)
    }

    @Test("quantifiers on both sides, sizes, and the count of a SUBQUERY beside a property")
    func documentedSentences() {
        #expect(
            ids("ANY {1, 18} > ALL scores")
                == ids { item in
                    [1, 18].contains { value in item.scores.allSatisfy { value > $0 } }
                })
        #expect(ids("group.@size == 1").count == 20)
        #expect(
            ids("SUBQUERY(parts, $p, $p.pieces == 0).@count >= pieces")
                == ids { item in
                    item.parts.count { $0.pieces == 0 } >= item.pieces
                })
        #expect(
            ids("ANY scores > ALL parts.scores")
                == ids { item in
                    item.scores.contains { score in item.parts.flatMap { Array($0.scores) }.allSatisfy { score > $0 } }
                })
    }

    @Test("limited results follow changes and tell their observers")
    func limitedLive() throws {
        let results = realm.objects(LanguageItem.self).filter("group == 'a' SORT(id DESC) LIMIT(2)")
        var heard: [String] = []
        let token = results.observe { change in
            switch change {
            case .initial(let found): heard.append("initial \(Array(found.map(\.id)))")
            case .update(let found, let deletions, let insertions, _):
                heard.append("\(Array(found.map(\.id))) deleted \(deletions) inserted \(insertions)")
            case .error: heard.append("error")
            }
        }
        realm.refresh()
        try realm.write { realm.create(LanguageItem.self, value: ["id": 100, "group": "a"]) }
        try realm.write { realm.delete(realm.objects(LanguageItem.self).filter("id == 4")) }
        try realm.write { realm.create(LanguageItem.self, value: ["id": 50, "group": "b"]) }
        token.invalidate()
        #expect(results.map(\.id) == [100, 3])
        #expect(results.freeze().map(\.id) == [100, 3])
        #expect(heard.contains("[100, 4] deleted [1] inserted [0]"), "\(heard)")
        #expect(heard.contains("[100, 3] deleted [1] inserted [1]"), "\(heard)")
        #expect(heard.count == 3, "\(heard)")
    }

    @Test("conditions alone refuse an order: in an NSPredicate, in a subscription, in a SUBQUERY")
    func refused() {
        let sentence = "expected a predicate alone, found SORT"
        for text in ["id > 2 SORT(id ASC)", "SUBQUERY(parts, $x, $x.id > 2 SORT(id ASC)).@count > 0"] {
            let error = #expect(throws: QueryError.self) { try CausewayQuery.Predicate.parse(text) }
            #expect(error?.message.contains(sentence) == true)
        }
    }
}
