import Causeway
import Foundation

/// A page that two processes edit.
class PeerPage: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var lines: List<String>
    @Persisted var body: Text
}

/// Another process that edits page 1.
///
///     insert <place> <line>    answers `done`
///     remove <place>
///     type <place> <word>
enum Pages {
    static func run(_ file: URL) throws {
        var configuration = Realm.Configuration(fileURL: file)
        configuration.objectTypes = [PeerPage.self]
        let realm = try Realm(configuration: configuration)
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 1, let place = Int(words[1]) else { continue }
            realm.refresh()
            guard let page = realm.object(ofType: PeerPage.self, forPrimaryKey: 1) else { continue }
            try realm.write {
                switch words[0] {
                case "insert": page.lines.insert(words[2], at: place)
                case "remove": page.lines.remove(at: place)
                default: page.body.insert(words[2], at: place)
                }
            }
            say("done")
        }
    }
}
