package import CausewayModel

/// What one version did to one object, as a reader of the feed is told.
package struct ChangeEvent: Hashable, Sendable {
    /// The position behind it.
    package var position: FeedPosition
    package var version: ServerVersion
    /// Milliseconds since 1970; zero where that was not noted.
    package var time: UInt64
    /// Who made the version. Nil for a version of the server's own, and for readers whom rules restrict.
    package var author: Author?
    package var className: String
    package var key: PrimaryKey
    package var kind: Kind
    /// For an update: the properties that were written, in the order of the schema. A write may have had no effect.
    package var changed: [String]
    /// The values, where they were asked for.
    package var before: ObjectValues?
    package var after: ObjectValues?

    package enum Kind: String, Hashable, Sendable {
        /// It was created, or has become visible to the reader.
        case created
        case updated
        /// It was deleted, or is not visible to the reader any more.
        case deleted
    }

    package struct Author: Hashable, Sendable {
        package var client: ClientID
        /// Nil when nobody knows.
        package var user: String?

        package init(client: ClientID, user: String?) {
            self.client = client
            self.user = user
        }
    }
}

/// What a reader of the feed wants to be told.
package struct FeedSelection: Hashable, Sendable {
    /// Nil is every class.
    package var classes: Set<ExactString>?
    package var tellsBefore: Bool
    package var tellsAfter: Bool

    package init(classes: Set<ExactString>? = nil, tellsBefore: Bool = false, tellsAfter: Bool = false) {
        self.classes = classes
        self.tellsBefore = tellsBefore
        self.tellsAfter = tellsAfter
    }

    func includes(_ className: String) -> Bool { classes?.contains(ExactString(className)) ?? true }
}
