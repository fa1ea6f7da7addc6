package import CausewayModel

/// How many classes and properties a database may have, and how many of them the devices of one user may add to an
/// otherwise empty database, see ``share(_:of:besides:)``.
///
/// Elements that were there before additions were counted belong to nobody: they count for the database alone.
package struct SchemaBounds: Hashable, Sendable {
    package var classes: Int
    package var properties: Int
    package var classesOfUser: Int
    package var propertiesOfUser: Int

    /// How much of a bound a user may add when `others` of it are taken, by other users or by nobody. It is the same
    /// fraction of what they leave as of an empty database, rounded up. So a few users cannot fill the database, and a
    /// user who is alone has the whole share.
    package static func share(_ ofUser: Int, of bound: Int, besides others: Int) -> Int {
        guard ofUser < bound else { return ofUser }
        return (ofUser * max(bound - others, 0) + bound - 1) / bound
    }

    package init(
        classes: Int = 1_000, properties: Int = 20_000, classesOfUser: Int = 250, propertiesOfUser: Int = 5_000
    ) {
        self.classes = classes
        self.properties = properties
        self.classesOfUser = classesOfUser
        self.propertiesOfUser = propertiesOfUser
    }
}

/// What a schema has added to the record's.
package struct SchemaAdditions: Hashable, Sendable {
    /// Classes, and properties of classes that were there, as messages name them.
    package var names: [String] = []
    /// Classes and properties, those of new classes included.
    package var count = 0

    package init() {}
}

/// Whose device declares a schema, and when, in milliseconds since 1970.
package struct Declarer: Hashable, Sendable {
    package var user: String
    package var time: UInt64

    package init(user: String, time: UInt64) {
        self.user = user
        self.time = time
    }
}

/// A class, or a property of one, with where it comes from.
package struct SchemaElement: Hashable, Sendable {
    package var className: String
    /// Of the class.
    package var kind: ClassKind
    /// Nil for the class itself.
    package var form: Property?
    /// What it is, in words: “a class of objects”, “optional string”.
    package var words: String { form?.words ?? kind.words }
    /// Whose device added it; nil for what was there before this was noted.
    package var addedBy: String?
    /// In milliseconds since 1970; zero where nobody noted it. `declared` is when a device last had the element in its
    /// schema, to the day.
    package var added: UInt64
    package var declared: UInt64
    /// How many objects the class has.
    package var objects: Int

    /// Nil for the class itself.
    package var property: String? { form?.name }

    package init(
        className: String, kind: ClassKind, form: Property? = nil, addedBy: String?, added: UInt64,
        declared: UInt64,
        objects: Int
    ) {
        self.className = className
        self.kind = kind
        self.form = form
        self.addedBy = addedBy
        self.added = added
        self.declared = declared
        self.objects = objects
    }
}
