import Causeway
import CausewayQuery
import CausewaySeeds
import Foundation
import Testing

enum ForeseenMood: String, PersistableEnum, Codable {
    case calm, wild, sleepy
}

class ForeseenHome: EmbeddedObject {
    @Persisted var city: String?
    @Persisted var rooms = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ForeseenPet: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var nickname: String?
    @Persisted var age = 0
    @Persisted var rank: Int?
    @Persisted var small: Int8
    @Persisted var weight = 0.0
    @Persisted var height: Float
    @Persisted var isGood = false
    @Persisted var isTrained: Bool?
    @Persisted var born = Date(timeIntervalSince1970: 0)
    @Persisted var seen: Date?
    @Persisted var chip = UUID()
    @Persisted var price: Decimal128
    @Persisted var picture = Data()
    @Persisted var mood = ForeseenMood.calm
    @Persisted var lastMood: ForeseenMood?
    @Persisted var likes: Counter
    @Persisted var story: Text
    @Persisted var anything: AnyRealmValue
    @Persisted var home: ForeseenHome?
    @Persisted var friend: ForeseenPet?
    @Persisted var friends: List<ForeseenPet>
    @Persisted var rivals: MutableSet<ForeseenPet>
    @Persisted(originProperty: "friends") var knownBy: LinkingObjects<ForeseenPet>
    @Persisted var scores: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var hints: List<String?>
    @Persisted var marks: Map<String, Int>
    @Persisted var petsByName: Map<String, ForeseenPet?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func propertiesMapping() -> [String: String] { ["rank": "stored_rank"] }

    var doubledAge: Double { Double(age) * 2 }
}

@Suite("#Predicate of Foundation")
struct PredicateTests {
    private static let seeds = SeedList.drawn(for: "foundation-predicates", count: 4)

    /// Forty pets whose values come from a few of each type, so that every comparison meets equal ones and nil.
    private func pets(_ seed: UInt64) throws -> Results<ForeseenPet> {
        var random = SeededNumbers(seed: seed)
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [ForeseenPet.self, ForeseenHome.self]))
        let names = ["", "Rex", "rex", "Bello", "René", "Rexona", "e", "Straße"]
        func name() -> String { names[Int.random(in: 0..<names.count, using: &random)] }
        func coin() -> Bool { Bool.random(using: &random) }
        func small() -> Int { Int.random(in: -3...8, using: &random) }
        try realm.write {
            for id in 0..<40 {
                let pet = realm.create(ForeseenPet.self, value: ["id": id])
                (pet.name, pet.nickname) = (name(), coin() ? name() : nil)
                (pet.age, pet.rank, pet.small) = (small(), coin() ? small() : nil, Int8(small()))
                (pet.weight, pet.height) = (Double(small()) / 2, Float(small()) / 4)
                (pet.isGood, pet.isTrained) = (coin(), coin() ? coin() : nil)
                pet.born = Date(timeIntervalSince1970: Double(small()))
                pet.seen = coin() ? Date(timeIntervalSince1970: Double(small())) : nil
                pet.price = Decimal128(Double(small()) / 10)
                pet.picture = Data((0..<max(0, small())).map { _ in UInt8(small() + 3) })
                pet.mood = ForeseenMood.allCases[abs(small()) % 3]
                pet.lastMood = coin() ? ForeseenMood.allCases[abs(small()) % 3] : nil
                pet.likes += small()
                pet.story.append(name())
                if coin() {
                    let home = ForeseenHome()
                    (home.city, home.rooms) = (coin() ? name() : nil, small())
                    pet.home = home
                }
                pet.scores.append(objectsIn: (0..<max(0, small())).map { _ in small() })
                pet.words.insert(objectsIn: (0..<max(0, small())).map { _ in name() })
                pet.hints.append(objectsIn: (0..<max(0, small())).map { _ in coin() ? name() : nil })
                for _ in 0..<max(0, small()) { pet.marks[coin() ? "a" : "b"] = small() }
            }
            let all = Array(realm.objects(ForeseenPet.self))
            func any() -> ForeseenPet { all[Int.random(in: 0..<all.count, using: &random)] }
            for pet in all {
                if coin() { pet.friend = any() }
                for _ in 0..<max(0, small()) { pet.friends.append(any()) }
                for _ in 0..<max(0, small()) { pet.rivals.insert(any()) }
                if coin() { pet.petsByName["Rex"] = any() }
            }
        }
        return realm.objects(ForeseenPet.self)
    }

    @Test("a query finds the objects for which Foundation evaluates the predicate to true", arguments: seeds)
    func agrees(seed: UInt64) throws {
        let pets = try pets(seed)
        var found = 0
        for (line, predicate) in predicates {
            #expect(throws: Never.self, "line \(line)") { _ = try CausewayQuery.Predicate(translating: predicate) }
            guard (try? CausewayQuery.Predicate(translating: predicate)) != nil else { continue }
            let expected = Array(pets).filter { (try? predicate.evaluate($0)) == true }.map(\.id)
            #expect(pets.filter(predicate).map(\.id) == expected, "the predicate of line \(line), seed \(seed)")
            if !expected.isEmpty, expected.count < pets.count { found += 1 }
        }
        // A comparison of nothing with nothing shows nothing.
        #expect(found > predicates.count * 3 / 4)
    }

    private typealias Written = (line: Int, predicate: Foundation.Predicate<ForeseenPet>)

    private var predicates: [Written] {
        values + optionals + texts + collections + links
    }

    private func written(_ predicate: Foundation.Predicate<ForeseenPet>, line: Int = #line) -> Written {
        (line, predicate)
    }

    private var values: [Written] {
        let (limit, moment, kind, known) = (2, Date(timeIntervalSince1970: 2), ForeseenMood.wild, [1, 2, 5])
        let (range, open, from, flag) = (1...4, 1..<4, 2..., true)
        let price = Decimal128(0.2)
        return [
            written(#Predicate { $0.age == limit }), written(#Predicate { $0.age != limit }),
            written(#Predicate { $0.age < limit }), written(#Predicate { $0.age <= limit }),
            written(#Predicate { $0.age > limit }), written(#Predicate { limit >= $0.age }),
            written(#Predicate { $0.age > 1 && $0.isGood }), written(#Predicate { $0.age > 4 || !$0.isGood }),
            written(#Predicate { !($0.age > 1 && $0.weight < 2.5) }), written(#Predicate { flag && $0.age > 1 }),
            written(#Predicate { $0.isGood == false }), written(#Predicate { $0.isTrained == true }),
            written(#Predicate { $0.isTrained != true }), written(#Predicate { $0.isTrained ?? true }),
            written(#Predicate { $0.weight > 1.5 }), written(#Predicate { $0.height >= 0.5 }),
            written(#Predicate { $0.small == 3 }), written(#Predicate { $0.price <= price }),
            written(#Predicate { $0.born < moment }), written(#Predicate { $0.seen == moment }),
            written(#Predicate { $0.mood == kind }), written(#Predicate { $0.mood != kind }),
            written(#Predicate { $0.lastMood == kind }), written(#Predicate { $0.lastMood != kind }),
            written(#Predicate { $0.mood.rawValue > "calm" }), written(#Predicate { $0.likes.value > limit }),
            written(#Predicate { $0.age + 1 > $0.likes.value }), written(#Predicate { $0.age * 2 - 3 < limit }),
            written(#Predicate { -$0.age > limit }), written(#Predicate { $0.weight / 2 < $0.weight - 1 }),
            written(#Predicate { $0.age / 2 == 1 }), written(#Predicate { -$0.weight <= 0 }),
            written(#Predicate { known.contains($0.age) }), written(#Predicate { range.contains($0.age) }),
            written(#Predicate { open.contains($0.age) }), written(#Predicate { from.contains($0.age) }),
            written(#Predicate { (1...5).contains($0.age) }),
            written(#Predicate { (0..<$0.age).contains($0.likes.value) }),
            written(#Predicate { ($0.isGood ? $0.age : $0.likes.value) > limit }),
            written(#Predicate { if $0.isGood { $0.age > limit } else { $0.weight > 0 } }),
            written(#Predicate { $0.isGood == ($0.age > limit) }),
            written(#Predicate { $0.isGood != ($0.age > limit) }),
        ]
    }

    private var optionals: [Written] {
        let (limit, nothing, names) = (2, nil as Int?, ["Rex", "Bello"])
        return [
            written(#Predicate { $0.rank == nil }), written(#Predicate { $0.rank != nil }),
            written(#Predicate { $0.rank == 2 }), written(#Predicate { $0.rank != 2 }),
            written(#Predicate { $0.rank == nothing }), written(#Predicate { ($0.rank ?? 5) > limit }),
            written(#Predicate { ($0.rank ?? $0.age) < limit }), written(#Predicate { $0.rank! > limit }),
            written(#Predicate { !($0.rank! > limit) }), written(#Predicate { $0.rank == nil || $0.rank! > limit }),
            written(#Predicate { $0.rank != nil && !($0.rank! > limit) }),
            written(#Predicate { $0.rank.flatMap { $0 > 1 } == true }),
            written(#Predicate { $0.rank.flatMap { $0 > 1 } ?? true }),
            written(#Predicate { if let rank = $0.rank { rank > limit } else { $0.age > limit } }),
            written(#Predicate { $0.nickname == "Rex" }), written(#Predicate { $0.nickname?.isEmpty == true }),
            written(#Predicate { $0.nickname?.contains("e") == true }),
            written(#Predicate { $0.nickname?.contains("e") != true }),
            written(#Predicate { !($0.nickname?.contains("e") ?? false) }),
            written(#Predicate { ($0.nickname ?? $0.name) == "Rex" }),
            written(#Predicate { $0.nickname.flatMap { names.contains($0) } ?? false }),
            written(#Predicate { $0.home == nil }), written(#Predicate { $0.home != nil }),
            written(#Predicate { $0.home?.city == "Rex" }), written(#Predicate { $0.home?.city != "Rex" }),
            written(#Predicate { $0.home?.city == nil }), written(#Predicate { ($0.home?.rooms ?? 0) > 1 }),
            written(#Predicate { ($0.home?.city ?? "Rex") == "Rex" }),
            written(#Predicate { $0.home!.rooms > 1 }), written(#Predicate { !($0.home!.rooms > 1) }),
        ]
    }

    private var texts: [Written] {
        let (part, empty, bytes, names) = ("Re", "", Data([1, 2]), Set(["Rex", "e"]))
        return [
            written(#Predicate { $0.name == "Rex" }), written(#Predicate { $0.name < "e" }),
            written(#Predicate { $0.name.contains("e") }), written(#Predicate { $0.name.contains(empty) }),
            written(#Predicate { $0.name.contains($0.story.string) }),
            written(#Predicate { $0.name.starts(with: part) }),
            written(#Predicate { $0.name.starts(with: empty) }), written(#Predicate { !$0.name.starts(with: part) }),
            written(#Predicate { $0.name.isEmpty }), written(#Predicate { !$0.name.isEmpty && $0.name != "Rex" }),
            written(#Predicate { $0.name == $0.story.string }), written(#Predicate { $0.story.string == "Rex" }),
            written(#Predicate { $0.story.isEmpty }), written(#Predicate { names.contains($0.name) }),
            written(#Predicate { $0.name.localizedStandardContains("rene") }),
            written(#Predicate { $0.name.localizedStandardContains(part) }),
            written(#Predicate { $0.picture.contains(bytes) }), written(#Predicate { $0.picture.isEmpty }),
            written(#Predicate { $0.picture.starts(with: bytes) }), written(#Predicate { $0.picture == bytes }),
            written(#Predicate { part.isEmpty || $0.name.contains(part) }),
        ]
    }

    private var collections: [Written] {
        let limit = 2
        return [
            written(#Predicate { $0.scores.contains(3) }), written(#Predicate { !$0.scores.contains(3) }),
            written(#Predicate { $0.scores.contains($0.age) }), written(#Predicate { $0.words.contains("Rex") }),
            written(#Predicate { $0.hints.contains(nil) }), written(#Predicate { $0.hints.contains("Rex") }),
            written(#Predicate { $0.scores.count > limit }), written(#Predicate { $0.scores.isEmpty }),
            written(#Predicate { $0.words.isEmpty == false }),
            written(#Predicate { $0.words.count == $0.scores.count }),
            written(#Predicate { $0.scores.contains { $0 > 5 } }),
            written(#Predicate { $0.scores.contains { $0 < 0 || $0 == 3 } }),
            written(#Predicate { $0.scores.contains { $0 >= 1 && $0 <= 2 } }),
            written(#Predicate { $0.scores.contains { (1...2).contains($0) } }),
            written(#Predicate { $0.scores.contains { !($0 > 1) } }),
            written(#Predicate { $0.scores.allSatisfy { $0 > 0 } }),
            written(#Predicate { $0.scores.allSatisfy { $0 > -2 && $0 < 6 } }),
            written(#Predicate { !$0.scores.allSatisfy { $0 > 0 } }),
            written(#Predicate { $0.words.contains { $0.contains("ex") } }),
            written(#Predicate { $0.words.allSatisfy { !$0.isEmpty } }),
            written(#Predicate { $0.hints.contains { $0 == nil } }),
            written(#Predicate { $0.scores.min() == 1 }), written(#Predicate { ($0.scores.max() ?? 0) > 5 }),
            written(#Predicate { $0.scores.max() == nil }), written(#Predicate { $0.scores.first == 3 }),
            written(#Predicate { $0.scores.last == 3 }), written(#Predicate { $0.scores[0] > limit }),
            written(#Predicate { !($0.scores[1] > limit) }),
            written(#Predicate { $0.scores.count > 1 && $0.scores[1] > limit }),
            written(#Predicate { $0.marks["a"] == 3 }), written(#Predicate { $0.marks["a"] == nil }),
            written(#Predicate { ($0.marks["b"] ?? 0) > 1 }), written(#Predicate { $0.marks.keys.contains("a") }),
            written(#Predicate { $0.marks.values.contains(3) }), written(#Predicate { $0.marks.count == 2 }),
            written(#Predicate { $0.marks.values.contains { $0 > 4 } }), written(#Predicate { $0.marks.isEmpty }),
        ]
    }

    private var links: [Written] {
        let limit = 2
        return [
            written(#Predicate { $0.friend == nil }), written(#Predicate { $0.friend?.name == "Rex" }),
            written(#Predicate { $0.friend?.name != "Rex" }), written(#Predicate { ($0.friend?.age ?? 9) > limit }),
            written(#Predicate { $0.friend?.friend?.name == "Rex" }), written(#Predicate { $0.friend!.age > limit }),
            written(#Predicate { !($0.friend!.age > limit) }), written(#Predicate { $0.friend!.friend!.isGood }),
            written(#Predicate { ($0.friend?.rank ?? 1) == 1 }),
            written(#Predicate { $0.friend?.name.contains("e") == true }),
            written(#Predicate { $0.friend.flatMap { $0.age > $0.likes.value } ?? false }),
            written(#Predicate { $0.friend?.home?.rooms == 2 }),
            written(#Predicate { $0.friends.contains { $0.age > 6 } }),
            written(#Predicate { $0.friends.contains { $0.age > limit && $0.name == "Rex" } }),
            written(#Predicate { $0.friends.allSatisfy { $0.age > 0 || $0.isGood } }),
            written(#Predicate { !$0.friends.contains { $0.age > limit } }),
            written(#Predicate { $0.friends.filter { $0.isGood }.count > limit }),
            written(#Predicate { $0.friends.filter { $0.isGood && $0.age > 1 }.isEmpty }),
            written(#Predicate { $0.friends.count > limit }), written(#Predicate { $0.friends.first?.name == "Rex" }),
            written(#Predicate { $0.friends.last?.age == 2 }), written(#Predicate { $0.friends[0].age > limit }),
            written(#Predicate { $0.rivals.contains { $0.friend?.name == "Rex" } }),
            written(#Predicate { $0.knownBy.count > limit }), written(#Predicate { $0.knownBy.contains { $0.isGood } }),
            written(#Predicate { $0.friends.contains { $0.scores.contains { $0 > 7 } } }),
            written(#Predicate { $0.friends.contains { $0.friends.allSatisfy { $0.age > 0 } } }),
            written(#Predicate { ($0.friend?.friends.contains { $0.isGood }) == true }),
            written(#Predicate { $0.petsByName["Rex"].flatMap { $0?.name } == "Rex" }),
        ]
    }

    @Test("a predicate that where can say makes the same query")
    func sameAsTyped() throws {
        func expect(_ predicate: Foundation.Predicate<ForeseenPet>, _ isIncluded: (Query<ForeseenPet>) -> Query<Bool>)
            throws
        {
            let translated = try CausewayQuery.Predicate(translating: predicate)
            #expect(translated == isIncluded(._constructForTesting()).condition)
        }
        try expect(#Predicate { $0.age > 2 && $0.name == "Rex" }) { $0.age > 2 && $0.name == "Rex" }
        try expect(#Predicate { $0.friend?.name == "Rex" }) { $0.friend.name == "Rex" }
        try expect(#Predicate { $0.scores.contains(3) }) { $0.scores.contains(3) }
        try expect(#Predicate { $0.name.starts(with: "R") || $0.isGood }) { $0.name.starts(with: "R") || $0.isGood }
        try expect(#Predicate { $0.marks["a"] == 3 }) { $0.marks["a"] == 3 }
        try expect(#Predicate { $0.scores.max() == 3 }) { $0.scores.max == 3 }
        try expect(#Predicate { $0.friends.count > 2 }) { $0.friends.count > 2 }
        try expect(#Predicate { $0.friends.contains { $0.age > 1 && $0.isGood } }) {
            ($0.friends.age > 1 && $0.friends.isGood).count > 0
        }
    }

    @Test("the values of a map are filtered, and positions found")
    func others() throws {
        let pets = try pets(1)
        let named = pets.filter(#Predicate<ForeseenPet> { $0.petsByName.count == 1 })
        let pet = try #require(named.first)
        let age = try #require(pet.petsByName["Rex"]??.age)
        #expect(pet.petsByName.filter(#Predicate<ForeseenPet?> { $0?.age == age }).count == 1)
        #expect(pet.petsByName.filter(#Predicate<ForeseenPet?> { $0.flatMap { $0.age > age } ?? true }).isEmpty)
        #expect(pets.index(matching: #Predicate<ForeseenPet> { $0.id == 7 }) == 7)
        #expect(pets.index(matching: #Predicate<ForeseenPet> { $0.id == 700 }) == nil)
        let list = List<ForeseenPet>()
        list.append(objectsIn: [ForeseenPet(value: ["id": 1]), ForeseenPet(value: ["id": 2, "name": "Rex"])])
        #expect(list.index(matching: #Predicate<ForeseenPet> { $0.name == "Rex" }) == 1)
    }

    @Test("results of a predicate are live, and can be described")
    func live() throws {
        let pets = try pets(2)
        let found = pets.filter(#Predicate<ForeseenPet> { $0.name == "nobody has this name" })
        #expect(found.isEmpty)
        try pets.realm?.write { pets[3].name = "nobody has this name" }
        #expect(found.map(\.id) == [3])
        let predicate = #Predicate<ForeseenPet> { $0.marks["a"] == 1 && $0.name.localizedStandardContains("x") }
        #expect("\(predicate)".contains("Predicate"))
    }

    @Test("a part that no query has is refused by its name")
    func refusals() throws {
        let kind = ForeseenMood.calm
        let refused: [(Foundation.Predicate<ForeseenPet>, String)] = [
            (#Predicate { $0.age % 2 == 0 }, "'%'"), (#Predicate { $0.name.count > 2 }, "'count'"),
            (#Predicate { $0.height * 2 > 1 }, "Float"), (#Predicate { $0.doubledAge > 3 }, "'age'"),
            (#Predicate { $0.mood < kind }, "the order of 'ForeseenMood'"),
            (#Predicate { $0.scores.contains { $0 > 1 && $0 != 3 } }, "&&"),
            (#Predicate { $0.scores.allSatisfy { $0 > 1 || $0 == 0 } }, "||"),
            (#Predicate { pet in pet.friends.contains { $0.age > pet.age } }, "two objects"),
            (#Predicate { $0.scores.filter { $0 > 1 }.count > 2 }, "one of values"),
            (#Predicate { "Rexona".contains($0.name) }, "needs a property"),
            (#Predicate { $0.friends.filter { $0.isGood }.count > $0.age }, "not compared with a constant"),
        ]
        for (predicate, part) in refused {
            let refusal = #expect(throws: PredicateRefusal.self) {
                _ = try CausewayQuery.Predicate(translating: predicate)
            }
            #expect(refusal?.description.contains(part) == true, "\(refusal?.description ?? "none") for \(part)")
        }
    }

    @Test("filter stops the program with the sentence that names the part")
    func stops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: UUID().uuidString, objectTypes: [ForeseenPet.self, ForeseenHome.self]))
            _ = realm.objects(ForeseenPet.self).filter(#Predicate<ForeseenPet> { $0.age % 2 == 0 })
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains(
                "This #Predicate cannot be run over a Realm: the remainder '%' has no counterpart in a query."))
    }
}
