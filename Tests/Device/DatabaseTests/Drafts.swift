import Causeway
import Dispatch
import Foundation

class DraftPerson: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var age = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DraftPlace: EmbeddedObject {
    @Persisted var city = ""
    @Persisted var rooms: List<String>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Has no primary key: a draft that comes back is another row.
class DraftRemark: Object {
    @Persisted var text = ""
    @Persisted var author: DraftPerson?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DraftTask: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var title = ""
    @Persisted(indexed: true) var priority = 0
    @Persisted var note: String?
    @Persisted var votes: Counter
    @Persisted var body: Text
    @Persisted var anything: AnyRealmValue
    @Persisted var owner: DraftPerson?
    @Persisted var place: DraftPlace?
    @Persisted var steps: List<String>
    @Persisted var helpers: List<DraftPerson>
    @Persisted var stops: List<DraftPlace>
    @Persisted var labels: MutableSet<String>
    @Persisted var links: Map<String, String>
    @Persisted var remarks: List<DraftRemark>
    @Persisted var friends: MutableSet<DraftPerson>
    @Persisted var places: Map<String, DraftPlace?>
    @Persisted var items: List<AnyRealmValue>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension Realm {
    /// A file in memory, whose writes are recorded for undo.
    static func recordingDrafts(
        _ types: [ObjectBase.Type] = [DraftTask.self, DraftPerson.self, DraftPlace.self, DraftRemark.self]
    ) throws -> Realm {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
        realm.undo.isRecording = true
        return realm
    }
}

/// Tests of undo, with somebody else who has the same file open.
protocol DraftSuite {
    var realm: Realm { get }
    /// Where the others write.
    var queue: DispatchQueue { get }
}

extension DraftSuite {
    /// Writes what undo is to know nothing of.
    func unrecorded<Result>(_ write: () throws -> Result) throws -> Result {
        realm.undo.isRecording = false
        defer { realm.undo.isRecording = true }
        return try realm.write(write)
    }

    /// A task that was there before anything was recorded.
    func task(_ fill: (DraftTask) -> Void = { _ in }) throws -> DraftTask {
        try unrecorded {
            let task = realm.create(DraftTask.self, value: ["id": 1, "title": "old", "priority": 1])
            fill(task)
            return task
        }
    }

    /// What somebody else writes, who has the same file open.
    func others(_ change: @escaping @Sendable (Realm, DraftTask?) -> Void) throws {
        let (configuration, queue) = (realm.configuration, queue)
        try queue.sync {
            let other = try Realm(configuration: configuration, queue: queue)
            other.refresh()
            try other.write { change(other, other.object(ofType: DraftTask.self, forPrimaryKey: 1)) }
        }
        realm.refresh()
    }
}
