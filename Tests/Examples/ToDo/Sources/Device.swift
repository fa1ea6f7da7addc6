import RealmSwift

/// One user's device: a Realm in a file of its own. Different files are different devices, also in one process.
@MainActor
final class Device {
    let userID: String
    private let realm: Realm

    /// It subscribes to all lists. Which of them come is for the server's rules to say.
    init(token: String, app: App, folder: URL) async throws {
        let user = try await app.login(credentials: .jwt(token: token))
        var configuration = user.flexibleSyncConfiguration(initialSubscriptions: {
            $0.append(QuerySubscription<ToDoList>())
        })
        configuration.fileURL = folder.appendingPathComponent("\(user.id).realm")
        configuration.objectTypes = [ToDoList.self, ToDoTask.self]
        userID = user.id
        realm = try await Realm.open(configuration: configuration, downloadBeforeOpen: .once)
    }

    // MARK: - Lists

    var listCount: Int { realm.objects(ToDoList.self).count }

    func list(_ id: ObjectId) -> ToDoList? {
        realm.object(ofType: ToDoList.self, forPrimaryKey: id)
    }

    func makeList(_ name: String, tasks: [String]) throws -> ObjectId {
        try realm.write {
            let list = realm.create(ToDoList.self, value: ["name": name, "owner": userID])
            list.tasks.append(objectsIn: tasks.map { ToDoTask(value: ["title": $0]) })
            return list.id
        }
    }

    func change(_ id: ObjectId, _ body: (ToDoList) -> Void) throws {
        guard let list = list(id) else { throw Unexpected(description: "\(userID) does not have the list") }
        try realm.write { body(list) }
    }

    /// What the server refused, until the app decides about it.
    var unsyncedChanges: UnsyncedChanges { realm.unsyncedChanges }

    /// Prints the tasks of a list as the user sees them, and throws if they are others.
    func show(_ id: ObjectId, _ expected: [String]) throws {
        guard let list = list(id) else { throw Unexpected(description: "\(userID) does not have the list") }
        let tasks: [String] = list.tasks.map { "[\($0.isDone ? "x" : " ")] \($0.title)" }
        let sight = "\(userID) sees \(tasks.joined(separator: ", "))"
        guard tasks == expected else {
            throw Unexpected(description: "\(sight), and should see \(expected.joined(separator: ", "))")
        }
        print("   \(sight)")
    }

    // MARK: - The connection

    func loseConnection() {
        realm.syncSession?.suspend()
    }

    func findConnection() {
        realm.syncSession?.resume()
    }

    /// Waits until the server has everything that was written here.
    func upload() async throws {
        try await realm.syncSession?.wait(for: .upload)
    }

    /// Waits until everything that the server had is here.
    func download() async throws {
        try await realm.syncSession?.wait(for: .download)
        realm.refresh()
    }
}
