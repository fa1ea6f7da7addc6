import Causeway
import CausewayQuery
import Foundation
import Testing

class QueriedPet: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var weight = 1.5
    @Persisted var isGood = true
    @Persisted var born: Date?
    @Persisted var chip: UUID?
    @Persisted var nickname: String?
    @Persisted var rank: Int?
    @Persisted var friend: QueriedPet?
    @Persisted var mood = QueriedMood.calm

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum QueriedMood: String, PersistableEnum {
    case calm, wild
}

class QueriedAddress: EmbeddedObject {
    @Persisted var city: String?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class QueriedPerson: Object {
    @Persisted var name = ""
    @Persisted var pets: List<QueriedPet>
    @Persisted var scores: List<Int>
    @Persisted var labels: List<String>
    @Persisted var address: QueriedAddress?
    @Persisted(originProperty: "friends") var knownBy: LinkingObjects<QueriedPerson>
    @Persisted var friends: List<QueriedPerson>
    @Persisted var ranks: Map<String, Int>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Typed queries say the same as format strings")
struct QueryTests {
    /// The typed condition and the text are the same predicate.
    private func expectPet(
        _ text: String, _ arguments: Any?..., sourceLocation: SourceLocation = #_sourceLocation,
        isIncluded: (Query<QueriedPet>) -> Query<Bool>
    ) {
        expect(isIncluded(._constructForTesting()), text, arguments, sourceLocation)
    }

    private func expectPerson(
        _ text: String, _ arguments: Any?..., sourceLocation: SourceLocation = #_sourceLocation,
        isIncluded: (Query<QueriedPerson>) -> Query<Bool>
    ) {
        expect(isIncluded(._constructForTesting()), text, arguments, sourceLocation)
    }

    private func expect(
        _ query: Query<Bool>, _ text: String, _ arguments: [Any?], _ sourceLocation: SourceLocation
    ) {
        #expect(query.condition == readPredicate(text, arguments), sourceLocation: sourceLocation)
        let (format, values) = query._constructPredicate()
        // Four spellings of RealmSwift differ and mean the same: ANY before a path through a collection, parentheses
        // around each two conditions, `x IN list` for `ANY list == x`, and `isGood == false` for a NOT.
        func plain(_ condition: CausewayQuery.Predicate) -> String {
            "\(condition)".replacing("ANY ", with: "").filter { !"()".contains($0) }
        }
        let isSame = plain(readPredicate(format, values)) == plain(query.condition)
        #expect(
            isSame || format.contains("(%@ IN ") || format == "isGood == false", "\(format)",
            sourceLocation: sourceLocation)
    }

    @Test("a typed query is shown as a format string")
    func formats() {
        let pet = Query<QueriedPet>._constructForTesting()
        #expect((pet.age < 2)._constructPredicate().0 == "(age < %@)")
        #expect((pet.age < 2)._constructPredicate().1 as? [Int] == [2])
        let both = (!(pet.name == "Rex") && pet.nickname.contains("e", options: .caseInsensitive))._constructPredicate()
        #expect(both.0 == "((NOT name == %@) && (nickname CONTAINS[c] %@))")
        #expect(both.1 as? [String] == ["Rex", "e"])
        #expect(pet.age.contains(1...5)._constructPredicate().0 == "(age BETWEEN {%@, %@})")
        #expect(pet.age.in([1, 2])._constructPredicate().0 == "(age IN %@)")
    }

    @Test("comparisons with values")
    func comparisons() {
        let id = ObjectId.generate()
        let uuid = UUID()
        let date = Date()
        expectPet("name == 'Rex'") { $0.name == "Rex" }
        expectPet("age != 2") { $0.age != 2 }
        expectPet("age < 2") { $0.age < 2 }
        expectPet("age <= 2") { $0.age <= 2 }
        expectPet("weight > 2.5") { $0.weight > 2.5 }
        expectPet("rank >= 3") { $0.rank >= 3 }
        expectPet("nickname == nil") { $0.nickname == nil }
        expectPet("friend != nil") { $0.friend != nil }
        expectPet("id == %@", id) { $0.id == id }
        expectPet("chip == %@", uuid) { $0.chip == uuid }
        expectPet("born > %@", date) { $0.born > date }
        expectPet("name < 'm'") { $0.name < "m" }
        expectPet("mood == 'wild'") { $0.mood == .wild }
        expectPet("mood BEGINSWITH 'w'") { $0.mood.rawValue.starts(with: "w") }
    }

    @Test("conditions combine, and a Bool stands for itself")
    func logic() {
        expectPet("isGood == true") { $0.isGood }
        expectPet("NOT (isGood == true)") { !$0.isGood }
        expectPet("isGood == true AND age > 1 AND age < 5") { $0.isGood && $0.age > 1 && $0.age < 5 }
        expectPet("age < 1 OR (age > 5 AND isGood == false)") { $0.age < 1 || ($0.age > 5 && $0.isGood == false) }
        var chain = Query<QueriedPet>().age == 0
        for age in 1..<500 { chain = chain || Query<QueriedPet>().age == age }
        if case .or(let parts) = chain.condition { #expect(parts.count == 500) } else { Issue.record("not flat") }
    }

    @Test("membership and ranges")
    func membership() {
        let names = ["Rex", "Fido"]
        expectPet("name IN {'Rex', 'Fido'}") { $0.name.in(names) }
        expectPet("nickname IN {'Rex', 'Fido'}") { $0.nickname.in(names) }
        expectPet("age BETWEEN {30, 60}") { $0.age.contains(30...60) }
        expectPet("rank BETWEEN {30, 60}") { $0.rank.contains(30...60) }
        expectPet("age >= 30 AND age < 60") { $0.age.contains(30..<60) }
        expectPerson("ANY labels == 'bug'") { $0.labels.contains("bug") }
        expectPerson("ANY labels IN {'bug', 'win'}") { $0.labels.containsAny(in: ["bug", "win"]) }
        expectPerson("ANY pets.name IN {'Rex'}") { $0.pets.name.containsAny(in: ["Rex"]) }
        expectPerson("scores.@min >= 1 AND scores.@max <= 6") { $0.scores.contains(1...6) }
        expectPerson("scores > 3") { $0.scores > 3 }
        expectPerson("labels == 'bug'") { $0.labels == "bug" }
    }

    @Test("text")
    func text() {
        expectPet("name BEGINSWITH[c] 'e'") { $0.name.starts(with: "e", options: .caseInsensitive) }
        expectPet("name ENDSWITH[d] 'e'") { $0.name.ends(with: "e", options: .diacriticInsensitive) }
        expectPet("name CONTAINS[cd] 'e'") {
            $0.name.contains("e", options: [.caseInsensitive, .diacriticInsensitive])
        }
        expectPet("nickname LIKE 'Al?x'") { $0.nickname.like("Al?x") }
        expectPet("nickname LIKE[c] 'Al?x'") { $0.nickname.like("Al?x", caseInsensitive: true) }
        expectPet("name ==[c] 'e'") { $0.name.equals("e", options: .caseInsensitive) }
        expectPet("name !=[c] 'e'") { $0.name.notEquals("e", options: .caseInsensitive) }
        expectPet("name BEGINSWITH friend.name") { $0.name.starts(with: $0.friend.name) }
    }

    @Test("paths through links, lists, embedded objects and inverse relations")
    func paths() {
        expectPet("friend.friend.name == 'Rex'") { $0.friend.friend.name == "Rex" }
        expectPet("name == friend.name") { $0.name == $0.friend.name }
        expectPerson("address.city == 'LA'") { $0.address.city == "LA" }
        expectPerson("pets.friend.name == 'Rex'") { $0.pets.friend.name == "Rex" }
        expectPerson("friends.address.city == 'LA'") { $0.friends.address.city == "LA" }
    }

    @Test("aggregates")
    func aggregates() {
        expectPerson("pets.@count > 2") { $0.pets.count > 2 }
        expectPerson("pets.@avg.age == 5") { $0.pets.age.avg == 5 }
        expectPerson("pets.@min.age > 5") { $0.pets.age.min > 5 }
        expectPerson("pets.@max.age < 2") { $0.pets.age.max < 2 }
        expectPerson("pets.@sum.age > 10") { $0.pets.age.sum > 10 }
        expectPerson("scores.@avg >= 1") { $0.scores.avg >= 1 }
        expectPerson("scores.@sum == 0") { $0.scores.sum == 0 }
    }

    @Test("S171 subqueries")
    func subqueries() {
        expectPerson("SUBQUERY(pets, $pet, $pet.isGood == false AND $pet.name == 'Rex').@count > 0") {
            ($0.pets.isGood == false && $0.pets.name == "Rex").count > 0
        }
        expectPerson("name == 'a' AND SUBQUERY(pets, $x, $x.age > 2 OR NOT ($x.friend.age == 3)).@count == 2") {
            $0.name == "a" && ($0.pets.age > 2 || !($0.pets.friend.age == 3)).count == 2
        }
        expectPerson("SUBQUERY(friends, $x, ANY $x.labels == 'a' AND $x.scores.@sum > 3).@count BETWEEN {1, 2}") {
            ($0.friends.labels.contains("a") && $0.friends.scores.sum > 3).count.contains(1...2)
        }
        expectPerson("SUBQUERY(pets, $x, $x.isGood == true).@count >= 1 OR pets.@count == 0") {
            $0.pets.isGood.count >= 1 || $0.pets.count == 0
        }
        expectPerson("SUBQUERY(friends, $x, $x.ranks['a'] == 1 AND $x.ranks.@keys == 'b').@count > 0") {
            ($0.friends.ranks["a"] == 1 && $0.friends.ranks.keys == "b").count > 0
        }
    }
}

@Suite("Format strings and their arguments")
struct PredicateFormatTests {
    private func text(_ predicate: NSPredicate) -> CausewayQuery.Predicate {
        CausewayQuery.Predicate(predicate)
    }

    @Test("arguments of every kind become values")
    func arguments() {
        let id = ObjectId("11223344556677889900aabb")
        let none: Int? = nil
        let some: Int?? = 4
        #expect(text(NSPredicate(format: "a == %@", 1)) == readPredicate("a == 1", []))
        #expect(text(NSPredicate(format: "a == %@", NSNumber(value: 1))) == readPredicate("a == 1", []))
        #expect(text(NSPredicate(format: "a == %@", NSNumber(value: true))) == readPredicate("a == true", []))
        #expect(text(NSPredicate(format: "a == %@", true)) == readPredicate("a == true", []))
        #expect(text(NSPredicate(format: "a == %@", NSNumber(value: 2.5))) == readPredicate("a == 2.5", []))
        #expect(text(NSPredicate(format: "a == %@", UInt8(7))) == readPredicate("a == 7", []))
        #expect(text(NSPredicate(format: "a == %d AND b == %f", 7, 2.5)) == readPredicate("a == 7 AND b == 2.5", []))
        #expect(text(NSPredicate(format: "a == %@", NSString("x"))) == readPredicate("a == 'x'", []))
        #expect(text(NSPredicate(format: "a == %@", none)) == readPredicate("a == nil", []))
        #expect(text(NSPredicate(format: "a == %@", nil)) == readPredicate("a == nil", []))
        #expect(text(NSPredicate(format: "a == %@", some as Any)) == readPredicate("a == 4", []))
        #expect(text(NSPredicate(format: "a == %@", NSNull())) == readPredicate("a == nil", []))
        #expect(
            text(NSPredicate(format: "a == %@", id)) == readPredicate("a == oid(11223344556677889900aabb)", []))
        let date = Date(timeIntervalSince1970: 12.5)
        #expect(text(NSPredicate(format: "a == %@", date as NSDate)) == readPredicate("a == %@", [date]))
        let uuid = UUID()
        #expect(text(NSPredicate(format: "a == %@", uuid as NSUUID)) == readPredicate("a == %@", [uuid]))
        #expect(text(NSPredicate(format: "a == %@", NSData(data: Data([1])))) == readPredicate("a == %@", [Data([1])]))
    }

    @Test("sequences become lists")
    func lists() {
        let expected = readPredicate("a IN {1, 2}", [])
        #expect(text(NSPredicate(format: "a IN %@", [1, 2])) == expected)
        #expect(text(NSPredicate(format: "a IN %@", NSArray(array: [1, 2]))) == expected)
        #expect(text(NSPredicate(format: "a IN %@", argumentArray: [NSMutableArray(array: [1, 2])])) == expected)
        #expect(text(NSPredicate(format: "a IN %@", Set([1]))) == readPredicate("a IN {1}", []))
        #expect(text(NSPredicate(format: "a BETWEEN %@", [1, 2])) == readPredicate("a BETWEEN {1, 2}", []))
    }

    @Test("names are substituted for %K")
    func names() {
        let predicate = NSPredicate(format: "%K > %@ AND %K == %@", "progressMinutes", NSNumber(1), "name", "Ali")
        #expect(text(predicate) == readPredicate("progressMinutes > 1 AND name == 'Ali'", []))
    }

    @Test("compound predicates and constants")
    func compounds() {
        let one = NSPredicate(format: "a == 1")
        let two = NSPredicate(format: "b == 2")
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [one, two])
        let either = NSCompoundPredicate(orPredicateWithSubpredicates: [
            one, NSCompoundPredicate(notPredicateWithSubpredicate: two),
        ])
        #expect(text(both) == readPredicate("a == 1 AND b == 2", []))
        #expect(text(either) == readPredicate("a == 1 OR NOT (b == 2)", []))
        #expect(text(NSPredicate(value: true)) == .constant(true))
        #expect(text(NSPredicate(value: false)) == .constant(false))
        #expect(text(NSCompoundPredicate(andPredicateWithSubpredicates: [])) == .constant(true))
        #expect(text(NSCompoundPredicate(orPredicateWithSubpredicates: [])) == .constant(false))
    }
}
