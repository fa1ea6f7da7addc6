import Causeway
import Foundation
import Testing

private enum Before {
    class Evolving: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name = ""
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum After {
    class Evolving: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name = ""
        @Persisted(indexed: true) var age = 7
        @Persisted var nickname: String?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Contradicting {
    class Evolving: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name = 0
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite("A file meets other classes")
struct SchemaEvolutionTests {
    private func withFile(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("evolving.realm")
        try create(url)
        try body(url)
    }

    private func create(_ url: URL) throws {
        let realm = try Realm(
            configuration: Realm.Configuration(fileURL: url, schemaVersion: 3, objectTypes: [Before.Evolving.self]))
        try realm.write { realm.create(Before.Evolving.self, value: ["id": 1, "name": "old"]) }
    }

    @Test("added properties need a newer schema version, and old objects get zero values")
    func additions() throws {
        try withFile { url in
            var configuration = Realm.Configuration(
                fileURL: url, schemaVersion: 3, objectTypes: [After.Evolving.self])
            let error = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.message.contains("- Property 'Evolving.age' has been added.") == true)
            configuration.schemaVersion = 4
            let realm = try Realm(configuration: configuration)
            let old = try #require(realm.objects(After.Evolving.self).first)
            #expect(old.name == "old" && old.age == 0 && old.nickname == nil)
            try realm.write { old.age = 3 }
            #expect(realm.objects(After.Evolving.self).filter("age == 3").count == 1)
        }
    }

    @Test("an older schema version is refused")
    func downgrade() throws {
        try withFile { url in
            let error = #expect(throws: Realm.Error.self) {
                _ = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: url, schemaVersion: 2, objectTypes: [Before.Evolving.self]))
            }
            #expect(
                error?.message.contains("Provided schema version 2 is less than last set version 3.") == true)
        }
    }

    @Test("a contradiction names every difference; the file is deleted only when that was asked for")
    func contradiction() throws {
        try withFile { url in
            var configuration = Realm.Configuration(
                fileURL: url, schemaVersion: 4, objectTypes: [Contradicting.Evolving.self])
            let error = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
            #expect(
                error?.message.contains("- Property 'Evolving.name' has been changed from 'string' to 'int'.") == true)
            configuration.deleteRealmIfMigrationNeeded = true
            let fresh = try Realm(configuration: configuration)
            #expect(fresh.isEmpty)
        }
    }
}
