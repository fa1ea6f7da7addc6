import Causeway
import CausewayModel
import CausewayObjectStore
import Foundation
import Testing

private class Walker: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var dog: WalkedDog?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class WalkedDog: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var age = 0
    @Persisted var weight = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Leash: Object {
    @Persisted var length = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class gets its table when it is first used. Another program may have migrated the file by then.
@Suite("Classes that another program migrates before they are used")
struct UnusedClassesTests {
    enum Change: CaseIterable {
        case anotherType
        case optional
        case propertyRemoved
        case classRemoved
    }

    private func withFile(_ body: (Realm.Configuration) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("walks.realm"), schemaVersion: 1,
            objectTypes: [Walker.self, WalkedDog.self, Leash.self])
        try fill(configuration)
        try body(configuration)
    }

    private func fill(_ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<100 {
                let dog = realm.create(WalkedDog.self, value: ["id": id, "age": id % 10, "weight": 1000 + id])
                realm.create(Walker.self, value: ["id": id, "dog": dog])
            }
            realm.create(Leash.self, value: ["length": 3])
        }
    }

    /// What another program does, with a handle of its own.
    private func migrate(_ configuration: Realm.Configuration, _ change: Change) throws {
        let store = try ObjectStore.open(path: try #require(configuration.fileURL).path)
        let transaction = try store.write()
        defer { transaction.end() }
        if change == .classRemoved {
            transaction.removeClass("Leash")
        } else {
            let schema = CausewayModel.Schema(
                transaction.schema.classes.map { old in
                    guard old.name == "WalkedDog" else { return old }
                    return ClassSchema(name: old.name, properties: old.properties.compactMap { changed($0, change) })
                })
            let before = try transaction.frozenCopy()
            try transaction.restructure(to: schema, before: before)
            try transaction.finishRestructuring(to: schema)
            before.end()
        }
        try transaction.commit()
    }

    private func changed(_ property: CausewayModel.Property, _ change: Change) -> CausewayModel.Property? {
        guard property.name == "age" else { return property }
        switch change {
        case .anotherType: return CausewayModel.Property(name: "age", type: .string)
        case .optional: return CausewayModel.Property(name: "age", type: .int, isOptional: true)
        case .propertyRemoved, .classRemoved: return nil
        }
    }

    private func checkStays(_ realm: Realm, naming words: String) {
        #expect(!realm.refresh())
        let error = #expect(throws: Realm.Error.self) { try realm.write {} }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.localizedDescription.contains(words) == true, "\(error?.localizedDescription ?? "")")
    }

    private static func words(_ change: Change) -> String {
        switch change {
        case .anotherType, .optional: "'WalkedDog.age' has been changed from int to"
        case .propertyRemoved: "'WalkedDog.age' has been removed"
        case .classRemoved: "'Leash' has been removed"
        }
    }

    @Test(
        "a Realm that has not used the class stays where it stands, says what has changed, and reads what was there",
        arguments: Change.allCases)
    func firstUse(change: Change) throws {
        try withFile { configuration in
            let realm = try Realm(configuration: configuration)
            let walkers = realm.objects(Walker.self)
            #expect(walkers.count == 100)
            try migrate(configuration, change)
            for _ in 0..<2 {
                checkStays(realm, naming: Self.words(change))
                #expect(realm.objects(WalkedDog.self).where { $0.age == 3 }.count == 10)
                #expect(walkers[27].dog?.age == 7 && walkers[27].dog?.weight == 1027)
                #expect(realm.freeze().objects(Leash.self).map(\.length) == [3])
            }
            #expect(try realm.verify().problems == [])
        }
    }

    @Test(
        "queries and orders through a link to the class stay right",
        arguments: Change.allCases.filter { $0 != .classRemoved })
    func throughLinks(change: Change) throws {
        try withFile { configuration in
            let realm = try Realm(configuration: configuration)
            let threes = realm.objects(Walker.self).where { $0.dog.age == 3 }
            let heavy = realm.objects(Walker.self).where { $0.dog.weight >= 1090 }
            let byAge = realm.objects(Walker.self).sorted(byKeyPath: "dog.age", ascending: false)
            #expect(threes.count == 10)
            try migrate(configuration, change)
            for _ in 0..<2 {
                checkStays(realm, naming: Self.words(change))
                // The second and third are asked for the first time after the migration.
                #expect(threes.map(\.id) == (0..<10).map { $0 * 10 + 3 })
                #expect(heavy.map(\.id) == Array(90..<100))
                #expect(byAge.prefix(10).map { $0.id % 10 } == Array(repeating: 9, count: 10))
                #expect(realm.objects(Walker.self).filter("dog.age == 3 AND dog.weight > 1050").count == 5)
            }
        }
    }

    @Test("after invalidate() a Realm compares its classes again, and holds them again")
    func invalidated() throws {
        try withFile { configuration in
            let realm = try Realm(configuration: configuration)
            realm.invalidate()
            #expect(realm.objects(Walker.self).count == 100)
            try migrate(configuration, .anotherType)
            checkStays(realm, naming: Self.words(.anotherType))
            #expect(realm.objects(WalkedDog.self).where { $0.age == 3 }.count == 10)
        }
    }

    @Test("new classes of another program, and classes that this one does not declare, hold nobody back")
    func classesOfOthers() throws {
        try withFile { configuration in
            var narrow = configuration
            narrow.objectTypes = [Walker.self, WalkedDog.self]
            let realm = try Realm(configuration: narrow)
            let threes = realm.objects(Walker.self).where { $0.dog.age == 3 }
            try migrate(configuration, .classRemoved)
            #expect(realm.refresh())
            #expect(threes.count == 10)
            try realm.write { threes[0].dog?.age = 4 }
            #expect(threes.count == 9)
            #expect(try realm.verify().problems == [])
        }
    }
}
