import Causeway

// The models of the documents' page on filtering, as they stand there. They live in a namespace, because the language has
// a Task of its own.

enum FilterPage {
    class Task: Object {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var name = ""
        @Persisted var isComplete = false
        @Persisted var assignee: String?
        @Persisted var priority = 0
        @Persisted var progressMinutes = 0
        @Persisted var labels: MutableSet<String>
        @Persisted var ratings: List<Int>
    }

    class Project: Object {
        @Persisted var name = ""
        @Persisted var tasks: List<Task>
    }
}
