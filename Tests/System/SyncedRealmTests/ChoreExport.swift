import Causeway
import Foundation
import Testing

/// An export of chores, each of which belongs to a person of its own and leads to the next one.
enum ChoreExport {
    static let all: @Sendable (SyncSubscriptionSet) -> Void = {
        $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
    }

    /// An entry a line: of so many chores, and as many people.
    static func text(_ count: Int) -> String {
        var lines = [
            #"{"causewayExport":1,"classes":[{"name":"Chore","kind":"object","properties":["#
                + #"{"name":"id","type":"int","primaryKey":true},{"name":"title","type":"string"},"#
                + #"{"name":"owner","type":"object","target":"Person","optional":true},"#
                + #"{"name":"labels","type":"string","collection":"set"},{"name":"details","type":"mixed","optional":true}]},"#
                + #"{"name":"Person","kind":"object","properties":[{"name":"name","type":"string","primaryKey":true},"#
                + #"{"name":"age_in_years","type":"int"}]}]}"#
        ]
        for id in 1...count {
            let next = id < count ? #"{"$ref":"Chore","$id":\#(id + 1)}"# : #"{"last":[true]}"#
            lines.append(
                #"{"class":"Chore","object":{"id":\#(id),"title":"t\#(id)","owner":{"$ref":"Person","$id":"p\#(id)"},"#
                    + #""labels":["a","b"],"details":\#(next)}}"#)
            lines.append(#"{"class":"Person","object":{"name":"p\#(id)","age_in_years":\#(id % 90)}}"#)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static func write(_ text: String, to folder: URL) throws -> String {
        let path = folder.appendingPathComponent("export").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    static func write(_ count: Int, to folder: URL) throws -> String { try write(text(count), to: folder) }

    /// Expects all of it, with its links.
    @MainActor
    static func check(_ realm: Realm, _ count: Int) throws {
        realm.refresh()
        #expect(realm.objects(Chore.self).count == count && realm.objects(Person.self).count == count)
        for id in [1, 999, 1_000, 1_001, count - 1] {
            let chore = try #require(realm.object(ofType: Chore.self, forPrimaryKey: id))
            #expect(chore.title == "t\(id)" && chore.owner?.name == "p\(id)" && chore.owner?.age == id % 90)
            #expect(Set(chore.labels) == ["a", "b"] && chore.details.object(Chore.self)?.id == id + 1)
        }
    }
}
