import Causeway
import Foundation

// The models of the documents' page on defining objects: enumerations, ignored and renamed properties, as they stand
// there. `Task` lives in a namespace, because the language has one of its own.

enum TaskStatusEnum: String, PersistableEnum {
    case notStarted
    case inProgress
    case complete
}

enum StatusPage {
    class Task: Object {
        @Persisted var name: String = ""
        @Persisted var owner: String?

        // Required enum property
        @Persisted var status = TaskStatusEnum.notStarted

        // Optional enum property
        @Persisted var optionalTaskStatusEnum: TaskStatusEnum?

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum RatingEnum: Int, PersistableEnum {
    case poor = 1
    case fair = 2
    case good = 5
}

enum IgnoringPage {
    class Person: Object {
        @Persisted var tmpId = 0
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        @Persisted var rating: RatingEnum?
        var visits = 0

        // read-only properties are automatically ignored
        var name: String {
            return "\(firstName) \(lastName)"
        }

        override class func ignoredProperties() -> [String] {
            return ["tmpId"]
        }

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum RenamingPage {
    class Person: Object {
        @Persisted var firstName = ""
        @Persisted var lastName = ""

        override class public func propertiesMapping() -> [String: String] {
            [
                "firstName": "first_name",
                "lastName": "last_name",
            ]
        }

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// The same file, seen without the mapping.
    class StoredPerson: Object {
        @Persisted var first_name = ""
        @Persisted var last_name = ""

        override class func _realmObjectName() -> String? { "Person" }

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
