import Causeway
import Foundation
import Testing

final class CodedDog: Object, Codable {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = "unnamed"
    @Persisted var age: Int?
    @Persisted var born: Date
    @Persisted var owner: CodedOwner?
    @Persisted var toys: List<String>
    @Persisted var cities: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var price: Decimal128
    @Persisted var color = CodedColor.tan
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class CodedOwner: EmbeddedObject, Codable {
    @Persisted var name = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum CodedColor: String, PersistableEnum, Codable { case tan, black }

/// Written by hand, so that managed objects are written as well.
final class HandCodedDog: Object, Encodable {
    @Persisted var name = ""
    @Persisted var friends: List<HandCodedDog>
    @Persisted(originProperty: "friends") var admirers: LinkingObjects<HandCodedDog>

    enum CodingKeys: CodingKey { case name }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Objects and collections as JSON")
struct CodableTests {
    private let json = """
        {"age":null,"born":0,"cities":["Boston"],"color":"black","id":7,"name":"Rex","owner":{"name":"Jane"},\
        "price":"1.50","scores":{"sit":3},"toys":["ball","bone"]}
        """

    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func read<T: Decodable>(_ json: String) throws -> T {
        try JSONDecoder().decode(T.self, from: Data(json.utf8))
    }

    @Test("an object comes from JSON, goes into a Realm, and unmanaged back to JSON")
    func objects() throws {
        let dog: CodedDog = try read(json)
        #expect(
            dog.name == "Rex" && dog.age == nil && dog.owner?.name == "Jane" && Array(dog.toys) == ["ball", "bone"])
        #expect(dog.cities.contains("Boston") && dog.scores["sit"] == 3 && dog.price == 1.5 && dog.color == .black)
        #expect(try text(dog) == json)
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [CodedDog.self, CodedOwner.self]))
        try realm.write { realm.add(dog) }
        #expect(realm.object(ofType: CodedDog.self, forPrimaryKey: 7)?.owner?.name == "Jane")
        let error = #expect(throws: EncodingError.self) { _ = try text(dog) }
        #expect("\(error!)".contains("Only unmanaged Realm objects can be encoded using automatic Codable synthesis."))
        // Collections hold their elements themselves, managed or not.
        #expect(try text(dog.toys) == #"["ball","bone"]"# && text(dog.cities) == #"["Boston"]"#)
        #expect(try text(dog.scores) == #"{"sit":3}"#)
    }

    @Test("a missing key leaves an optional empty, and is an error for anything else")
    func missing() throws {
        let partial = json.replacingOccurrences(of: #""age":null,"#, with: "")
            .replacingOccurrences(of: #","owner":{"name":"Jane"}"#, with: "")
        let dog: CodedDog = try read(partial)
        #expect(dog.age == nil && dog.owner == nil && dog.name == "Rex")
        #expect(throws: DecodingError.self) {
            let _: CodedDog = try read(json.replacingOccurrences(of: #""name":"Rex","#, with: ""))
        }
    }

    @Test("results, inverse relations, erased collections and sections are written in order")
    func results() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [HandCodedDog.self]))
        try realm.write {
            let dogs = ["Rex", "Bo", "Ben"].map { realm.create(HandCodedDog.self, value: ["name": $0]) }
            dogs[0].friends.append(dogs[1])
        }
        let dogs = realm.objects(HandCodedDog.self).sorted(byKeyPath: "name")
        #expect(try text(dogs) == #"[{"name":"Ben"},{"name":"Bo"},{"name":"Rex"}]"#)
        #expect(try text(dogs[1].admirers) == #"[{"name":"Rex"}]"# && text(dogs[2].friends) == #"[{"name":"Bo"}]"#)
        #expect(try text(AnyRealmCollection(dogs[2].friends)) == #"[{"name":"Bo"}]"#)
        let sections = dogs.sectioned(by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
        #expect(try text(sections) == #"[[{"name":"Ben"},{"name":"Bo"}],[{"name":"Rex"}]]"#)
        #expect(try text(sections[1]) == #"[{"name":"Rex"}]"#)
    }

    @Test("lists, sets and maps alone come from JSON")
    func collections() throws {
        let list: List<Int?> = try read("[1,null]")
        let set: MutableSet<String> = try read(#"["a","a"]"#)
        let map: Map<String, Double> = try read(#"{"a":1.5}"#)
        #expect(Array(list) == [1, nil] && set.count == 1 && map["a"] == 1.5)
    }
}
