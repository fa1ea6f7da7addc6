package import CausewayModel

/// A value of a Realm file.
package enum RealmValue: Sendable {
    /// Null, or a value that needs nothing else of the file.
    case plain(Value)
    /// Leads to an object, or holds an embedded one.
    case link(RealmLink)
    /// The elements of a list or a set.
    case list([RealmValue])
    case dictionary([RealmEntry])

    package static let null = RealmValue.plain(.null)

    /// How many bytes a string or a byte string has.
    var contentBytes: Int {
        guard case .plain(let value) = self else { return 0 }
        return switch value {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        default: 0
        }
    }
}

/// An entry of a dictionary.
package struct RealmEntry: Sendable {
    package var name: String
    package var value: RealmValue
}

/// An object of a Realm file.
package struct RealmLink: Hashable, Sendable {
    /// The place of its table in `RealmFile.tables`.
    package var table: Int
    package var key: Int64

    package init(table: Int, key: Int64) {
        self.table = table
        self.key = key
    }
}

/// An object: its key and its values, in the order of its table's columns.
package struct RealmRow: Sendable {
    package var key: Int64
    package var values: [RealmValue]
}
