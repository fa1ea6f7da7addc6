import Causeway
import Foundation

final class PeerDogOfVersionTwo: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var b: Int
    @Persisted var c: String

    override class func _realmObjectName() -> String? { "PeerDog" }
}

/// A program whose class `PeerDog` has lost `a`, got an index of `b`, and got `c`. It migrates the file when it starts, and
/// says `migrated <dogs> <when>`.
///
///     count 7      answers `counted <dogs whose b is 7, by the index>`
///     name 3 Rex   sets `c` of dog 3; answers `named <what c was>`
enum NewerProgram {
    static func run(_ file: URL) throws {
        var configuration = Realm.Configuration(fileURL: file, schemaVersion: 2)
        configuration.objectTypes = [PeerDogOfVersionTwo.self]
        configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "PeerDog") { old, new in
                new?["c"] = "a was \(old?["a"] as? Int ?? -1)"
            }
        }
        let realm = try Realm(configuration: configuration)
        let dogs = realm.objects(PeerDogOfVersionTwo.self)
        say("migrated \(dogs.count)")
        while let line = readLine() {
            let words = line.split(separator: " ")
            guard words.count > 1, let number = Int(words[1]) else { continue }
            realm.refresh()
            if words[0] == "count" {
                say("counted \(dogs.where { $0.b == number }.count)")
            } else if words[0] == "name",
                let dog = realm.object(ofType: PeerDogOfVersionTwo.self, forPrimaryKey: number)
            {
                let before = dog.c
                try realm.write { dog.c = String(words[2]) }
                say("named \(before.replacing(" ", with: "-"))")
            }
        }
    }
}
