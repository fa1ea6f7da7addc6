import Causeway
import CausewayFolders
import Foundation
import Testing

/// A class with a property that no Realm can store.
private class PortedUnstorable: Object {
    @Persisted var dog: PortedDog?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What apps that come from RealmSwift meet when they open a Realm.
@Suite("Opening by an app that comes from RealmSwift")
struct PortedOpeningTests {
    @Test("a Realm's own file is named as what it is, and stays as it is")
    func realmFile() throws {
        let folder = try TemporaryFolder()
        let url = URL(filePath: folder.file("old.realm"))
        // The header of such a file: two references, its mark, and the version of the format.
        let content = Data(repeating: 0, count: 16) + Data("T-DB".utf8) + Data(repeating: 24, count: 4076)
        try content.write(to: url)
        let error = #expect(throws: Realm.Error.self) {
            _ = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: [PortedToy.self]))
        }
        #expect(error?.message.contains("it is a Realm file") == true)
        #expect(try Data(contentsOf: url) == content)
    }

    @Test("classes that cannot be stored leave no file behind")
    func refusedClasses() throws {
        let folder = try TemporaryFolder()
        let url = URL(filePath: folder.file("new.realm"))
        #expect(throws: Realm.Error.self) {
            _ = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: [PortedUnstorable.self]))
        }
        #expect(folder.names.isEmpty)
    }

    @Test("an error is made from its code alone")
    func errorFromCode() {
        let error = Realm.Error(.fail)
        #expect(error.code == .fail && error.message.isEmpty)
    }
}

/// Files of schemas that no program declares.
@Suite("Dynamic schemas")
struct DynamicSchemaTests {
    private static let old = Schema(objectSchema: [
        ObjectSchema(
            className: "PortedToy",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "title", type: .string),
                Property(name: "tags", type: .string, isOptional: true, isArray: true),
                Property(name: "box", type: .object, objectClassName: "Box"),
                Property(name: "others", type: .object, isMap: true, objectClassName: "PortedToy"),
            ]),
        ObjectSchema(className: "Box", properties: [Property(name: "size", type: .any)], isEmbedded: true),
    ])

    @Test("a file of an older schema is made, read as it is, and migrated")
    func olderFile() throws {
        let folder = try TemporaryFolder()
        let url = URL(filePath: folder.file("old.realm"))
        try {
            var configuration = Realm.Configuration(fileURL: url, schemaVersion: 1)
            configuration.dynamicSchema = Self.old
            let realm = try Realm(configuration: configuration)
            #expect(realm.schema == Self.old)
            try realm.write {
                realm.dynamicCreate(
                    "PortedToy",
                    value: ["id": 1, "title": "Ball", "tags": ["a", nil], "box": ["size": 3]] as [String: Any])
            }
        }()
        try {
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: []))
            #expect(realm.schema == Self.old && realm.schema["PortedToy"]?.primaryKeyProperty?.name == "id")
            let ball = try #require(realm.dynamicObject(ofType: "PortedToy", forPrimaryKey: 1))
            #expect(ball.title as? String == "Ball" && ball["tags"] as? List<String?> != nil)
            #expect((ball["box"] as? DynamicObject)?["size"] as? Int == 3)
            #expect(realm.dynamicObjects("PortedToy").filter("title == 'Ball' AND box.size == 3").count == 1)
            try realm.write { realm.dynamicCreate("PortedToy", value: ["id": 2]) }
        }()
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: url, schemaVersion: 2,
                migrationBlock: { migration, version in
                    #expect(version == 1)
                    migration.renameProperty(onType: "PortedToy", from: "title", to: "name")
                    migration.deleteData(forType: "Box")
                }, objectTypes: [PortedToy.self]))
        #expect(realm.objects(PortedToy.self).map(\.name).sorted() == ["", "Ball"])
        #expect(try schemaVersionAtURL(url) == 2)
    }

    @Test("the schema of a Realm whose classes have mixed properties makes another file, and opens its own")
    func schemaOfRealm() throws {
        let folder = try TemporaryFolder()
        let types: [ObjectBase.Type] = [PortedOwner.self, PortedAddress.self, PortedDog.self, PortedToy.self]
        let url = URL(filePath: folder.file("declared.realm"))
        let schema = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: types)).schema
        for name in ["declared.realm", "another.realm"] {
            let file = URL(filePath: folder.file(name))
            try {
                var configuration = Realm.Configuration(fileURL: file)
                configuration.dynamicSchema = schema
                let realm = try Realm(configuration: configuration)
                #expect(realm.schema["PortedOwner"] != nil)
            }()
            _ = try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: types))
        }
    }

    @Test("without classes an empty file has none")
    func noClasses() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: []))
        #expect(realm.schema.objectSchema.isEmpty && realm.isEmpty)
    }
}
