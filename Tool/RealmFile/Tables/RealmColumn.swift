package import CausewayModel

/// A column of a table that has a name, which is a property of its class.
package struct RealmColumn {
    package let name: String
    let type: ColumnType
    package let collection: CollectionKind
    package let isNullable: Bool
    package let isIndexed: Bool
    package let isFullTextIndexed: Bool
    /// Whether distinct values are stored once, and rows hold their numbers.
    package let isEnumerated: Bool
    /// The place of the table that links lead to.
    package let target: Int?
    /// The number that a table knows it by, for ever.
    let key: UInt64
    /// Where clusters have it.
    let place: Int
    let kind: LeafKind

    package var propertyType: PropertyType {
        switch type {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .mixed: .mixed
        case .timestamp: .date
        case .float: .float
        case .double: .double
        case .decimal: .decimal128
        case .link: .object
        case .objectId: .objectId
        case .uuid: .uuid
        }
    }
}
