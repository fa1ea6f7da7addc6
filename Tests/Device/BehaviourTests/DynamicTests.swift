import Causeway
import Foundation
import Testing

private enum Before {
    class Club: Object {
        @Persisted var name: String
        @Persisted var url: String

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite("The page about reading: types of the app's own, by name")
struct DynamicTests {
    private func clubs() throws -> Realm {
        let realm = try memoryRealm([Club.self, Location.self])
        try realm.write {
            realm.create(
                Club.self,
                value: [
                    "name": "American Kennel Club", "url": "https://akc.org",
                    "location": Coordinate(latitude: 47.6, longitude: -122.3),
                ])
        }
        return realm
    }

    @Test("S083 by name, a mapped property reads as what is persisted")
    func dynamicRead() throws {
        let club = try #require(try clubs().dynamicObjects("Club").first)
        #expect(club["url"] as? String == "https://akc.org")
        #expect(club.name as? String == "American Kennel Club")
        let location = try #require(club["location"] as? DynamicObject)
        #expect(location["latitude"] as? Double == 47.6)
    }

    @Test("S084 by name, a mapped value is written as what is persisted")
    func dynamicWrite() throws {
        let realm = try clubs()
        let club = realm.dynamicObjects("Club")[0]
        try realm.write {
            club["url"] = URL(string: "https://example.org")!
            club["mirrors"] = [URL(string: "https://a.example.org")!, URL(string: "https://b.example.org")!]
            club["archive"] = nil
        }
        #expect(realm.objects(Club.self)[0].url.host() == "example.org")
        #expect(realm.objects(Club.self)[0].mirrors.map { $0.host() } == ["a.example.org", "b.example.org"])
        #expect(club["url"] as? String == "https://example.org")
    }

    @Test("S085 in a migration, a mapped property reads as what is persisted")
    func migrationRead() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("clubs.realm")
            do {
                let realm = try Realm(
                    configuration: Realm.Configuration(fileURL: url, objectTypes: [Before.Club.self]))
                try realm.write {
                    realm.create(Before.Club.self, value: ["name": "AKC", "url": "https://akc.org"])
                }
            }
            let configuration = Realm.Configuration(
                fileURL: url, schemaVersion: 1,
                migrationBlock: { migration, oldSchemaVersion in
                    #expect(oldSchemaVersion == 0)
                    migration.enumerateObjects(ofType: "Club") { oldObject, newObject in
                        #expect(oldObject!["url"] as? String == "https://akc.org")
                        newObject!["archive"] = URL(string: "https://archive.akc.org")!
                        #expect(newObject!["archive"] as? String == "https://archive.akc.org")
                    }
                }, objectTypes: [Club.self, Location.self])
            let club = try #require(try Realm(configuration: configuration).objects(Club.self).first)
            #expect(club.url.host() == "akc.org")
            #expect(club.archive?.host() == "archive.akc.org")
        }
    }
}
