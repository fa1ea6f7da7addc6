import Causeway
import Foundation

// The models of the documents' page on defining objects, as they stand there, and the mistakes it warns of. Each class
// stays out of the default schema: some have the same name as others, some are wrong on purpose.

enum DefinitionPage {
    class Dog: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name = ""
        @Persisted var breed: String?
        @Persisted var dateOfBirth = Date()

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Person: Object {
        // Required string property
        @Persisted var name = ""

        // Optional string property
        @Persisted var address: String?

        // Required numeric property
        @Persisted var ageYears = 0

        // Optional numeric property
        @Persisted var heightCm: Float?

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Project: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var name = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class LegacyProject: Object {
        @Persisted var id = 0
        @Persisted var name = ""

        override class func primaryKey() -> String? { "id" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Book: Object {
        @Persisted var priceCents = 0
        @Persisted(indexed: true) var title = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// A property of every type that an index takes.
    class Catalogued: Object {
        @Persisted(indexed: true) var title = ""
        @Persisted(indexed: true) var shelf = 0
        @Persisted(indexed: true) var isLent = false
        @Persisted(indexed: true) var bought: Date
        @Persisted(indexed: true) var uuid: UUID
        @Persisted(indexed: true) var objectId: ObjectId
        @Persisted(indexed: true) var any: AnyRealmValue

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// Mixes properties that the Realm manages with one that it does not.
    class Visitor: Object {
        @Persisted var name = ""
        var visitsToday = 0
        lazy var greeting = "Hello, \(name)"

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum Mistakes {
    class HouseWithAddress: Object {
        @Persisted var number = 0
        @Persisted var address: Address

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class TwoKeys: Object {
        @Persisted(primaryKey: true) var first = 0
        @Persisted(primaryKey: true) var second = 0

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class KeyedAddress: EmbeddedObject {
        @Persisted(primaryKey: true) var id = 0

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class KeyedAddressOwner: Object {
        @Persisted var address: KeyedAddress?

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    // The longest class name that fits, and one character more.
    class C57_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: Object {
        @Persisted var number = 0

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class C58_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: Object {
        @Persisted var number = 0

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class LongestPropertyName: Object {
        @Persisted var p63_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = 0

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class TooLongPropertyName: Object {
        @Persisted var p64_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = 0

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
