import Causeway
import Foundation
import Testing

private class Todo: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var owner: String
    @Persisted var status: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private actor RealmActor {
    // An implicitly-unwrapped optional is used here to let us pass `self` to
    // `Realm(actor:)` within `init`
    var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    var count: Int {
        realm.objects(Todo.self).count
    }

    func createTodo(name: String, owner: String, status: String) async throws {
        try await realm.asyncWrite {
            realm.create(
                Todo.self,
                value: [
                    "_id": ObjectId.generate(),
                    "name": name,
                    "owner": owner,
                    "status": status,
                ])
        }
    }
}

@Suite("The page about reading: actors")
struct ActorTests {
    private let configuration = memoryConfiguration([Todo.self])

    @Test("S086 a function that is isolated to an actor reads its Realm and hands out values")
    func actorRead() async throws {
        let actor = try await RealmActor(configuration)
        try await actor.createTodo(name: "Keep it safe", owner: "Frodo", status: "In Progress")
        #expect(await actor.count == 1)

        // Read objects in functions isolated to the actor and pass primitive values to the caller
        func getObjectId(in actor: isolated RealmActor, forTodoNamed name: String) async -> ObjectId {
            let todo = actor.realm.objects(Todo.self).where {
                $0.name == name
            }.first!
            return todo._id
        }
        let objectId = await getObjectId(in: actor, forTodoNamed: "Keep it safe")

        func getStatus(in actor: isolated RealmActor, forTodoWith id: ObjectId) -> String? {
            actor.realm.object(ofType: Todo.self, forPrimaryKey: id)?.status
        }
        #expect(await getStatus(in: actor, forTodoWith: objectId) == "In Progress")
    }

    @Test("S087 asyncRefresh brings the Realm and its objects to the newest data and tells observers")
    @MainActor
    func asyncRefresh() async throws {
        let realm = try await Realm.open(configuration: configuration)
        realm.autorefresh = false
        let todos = realm.objects(Todo.self)
        #expect(todos.isEmpty)
        var heard: [Int] = []
        let token = todos.observe { changes in
            if case .update(let todos, _, _, _) = changes { heard.append(todos.count) }
        }
        let writer = try await RealmActor(configuration)
        try await writer.createTodo(name: "Keep it safe", owner: "Frodo", status: "In Progress")
        #expect(todos.isEmpty)
        #expect(await realm.asyncRefresh())
        #expect(todos.map(\.name) == ["Keep it safe"])
        #expect(heard == [1])
        #expect(await realm.asyncRefresh() == false)
        token.invalidate()
    }
}
