import RealmSwift

/// A list that its owner shares. The rules in `permissions.yaml` go by `owner` and `members`.
class ToDoList: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    /// The id of the user who made the list.
    @Persisted var owner = ""
    /// The ids of the users with whom the list is shared.
    @Persisted var members: MutableSet<String>
    @Persisted var tasks: List<ToDoTask>
}

/// A part of its list: who may see the list sees its tasks.
class ToDoTask: EmbeddedObject {
    @Persisted var title = ""
    @Persisted var isDone = false
}
