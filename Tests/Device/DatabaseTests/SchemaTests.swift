import Causeway
import Foundation
import Testing

class ShownPart: EmbeddedObject {
    @Persisted var weight = 1.5
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ShownDog: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var name = ""
    @Persisted var age: Int?
    @Persisted var height: Float
    @Persisted var data: Data
    @Persisted var born: Date
    @Persisted var isGood: Bool
    @Persisted var price: Decimal128
    @Persisted var tag: UUID?
    @Persisted var anything: AnyRealmValue
    @Persisted var part: ShownPart?
    @Persisted var friends: List<ShownDog>
    @Persisted var cities: MutableSet<String?>
    @Persisted var byName: Map<String, ShownDog?>
    @Persisted(originProperty: "friends") var admirers: LinkingObjects<ShownDog>

    override class func propertiesMapping() -> [String: String] { ["name": "full_name"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Classes as they are shown")
struct SchemaTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [ShownDog.self, ShownPart.self]))
    }

    @Test("a Realm tells its classes with their properties")
    func properties() throws {
        let schema = try realm().schema
        #expect(schema.objectSchema.map(\.className) == ["ShownDog", "ShownPart"])
        #expect(schema["Other"] == nil)
        let part = try #require(schema["ShownPart"])
        #expect(part.isEmbedded && !part.isAsymmetric && part.primaryKeyProperty == nil)
        let dog = try #require(schema["ShownDog"])
        #expect(!dog.isEmbedded && dog.objectClass == ShownDog.self && dog.primaryKeyProperty?.name == "id")
        #expect(
            dog.properties.map(\.type) == [
                .objectId, .string, .int, .float, .data, .date, .bool, .decimal128, .UUID, .any, .object, .object,
                .string, .object,
            ])
        #expect(
            dog.properties.filter(\.isOptional).map(\.name) == ["age", "tag", "part", "cities", "byName"])
        #expect(dog.properties.filter(\.isIndexed).map(\.name) == ["id", "name"])
        #expect(dog["name"]?.columnName == "full_name" && dog["full_name"] == nil)
        #expect(dog["friends"]?.isArray == true && dog["friends"]?.objectClassName == "ShownDog")
        #expect(dog["cities"]?.isSet == true && dog["cities"]?.objectClassName == nil)
        #expect(dog["byName"]?.isMap == true && dog["part"]?.objectClassName == "ShownPart")
        // An inverse relation is asked for by its name; it is not stored.
        #expect(dog["admirers"]?.type == .linkingObjects && !dog.properties.contains { $0.name == "admirers" })
    }

    @Test("objects, classes and dynamic objects tell the same")
    func sources() throws {
        let realm = try realm()
        let dog = ShownDog()
        #expect(dog.objectSchema == realm.schema["ShownDog"] && ShownDog.sharedSchema() == dog.objectSchema)
        #expect(Object.sharedSchema() == nil)
        try realm.write { realm.add(dog) }
        #expect(dog.objectSchema == ShownDog.sharedSchema())
        let dynamic = realm.dynamicObjects("ShownDog")[0].objectSchema
        #expect(dynamic.className == "ShownDog" && dynamic.objectClass == DynamicObject.self)
        // What the file has: the stored names.
        #expect(dynamic["full_name"]?.type == .string && dynamic["friends"]?.objectClassName == "ShownDog")
        #expect(try realm.schema == self.realm().schema && realm.schema != Realm(configuration: other).schema)
    }

    private var other: Realm.Configuration {
        Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [RefusedOther.self])
    }

    @Test("numbers of types are RealmSwift's")
    func numbers() {
        let types: [PropertyType] = [
            .int, .bool, .string, .data, .date, .float, .double, .object, .linkingObjects, .any, .objectId, .decimal128,
            .uuid,
        ]
        #expect(types.map(\.rawValue) == Array(0...12))
        #expect(
            "\(PropertyType.any) \(PropertyType.linkingObjects) \(PropertyType.UUID)" == "mixed linking objects uuid")
    }

    @Test("as text they are laid out as in RealmSwift")
    func text() throws {
        let schema = try Realm(configuration: other).schema
        #expect(
            schema.description == """
                Schema {
                \tRefusedOther {
                \t\tnumber {
                \t\t\ttype = int;
                \t\t\tcolumnName = number;
                \t\t\tindexed = NO;
                \t\t\tisPrimary = NO;
                \t\t\tarray = NO;
                \t\t\tset = NO;
                \t\t\tdictionary = NO;
                \t\t\toptional = NO;
                \t\t}
                \t}
                }
                """)
        let part = try #require(ShownDog.sharedSchema()?["part"])
        #expect(part.description.contains("\tobjectClassName = ShownPart;\n\tlinkOriginPropertyName = (null);\n"))
        #expect(ShownDog().objectSchema["admirers"]!.description.contains("\tlinkOriginPropertyName = friends;\n"))
        #expect(ShownPart.sharedSchema()?.description.hasPrefix("ShownPart (embedded) {\n") == true)
    }
}
