package import CausewayModel

/// What a mixed value holds, as `@type` names it.
package enum StoredType: UInt8, CaseIterable, Hashable, Sendable {
    case null, bool, int, float, double, decimal, string, binary, date, objectId, uuid, object
    case list, dictionary

    /// The type of a value by itself. A collection is a link here, like one to an object.
    package init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool: self = .bool
        case .int: self = .int
        case .float: self = .float
        case .double: self = .double
        case .decimal: self = .decimal
        case .string: self = .string
        case .bytes: self = .binary
        case .timestamp: self = .date
        case .objectId: self = .objectId
        case .uuid: self = .uuid
        case .object, .anyObject, .link, .anyLink: self = .object
        }
    }

    /// The types that a name stands for, in any letter case; nil for no name of a type.
    package static func named(_ name: String) -> Set<StoredType>? {
        switch name.lowercased() {
        case "null": [.null]
        case "bool", "boolean": [.bool]
        case "int", "integer", "int16", "int32", "int64", "short", "long", "byte", "char": [.int]
        case "float": [.float]
        case "double": [.double]
        case "decimal", "decimal128": [.decimal]
        case "string": [.string]
        case "binary", "bindata", "data", "bytearray", "byte[]": [.binary]
        case "date", "timestamp", "datetimeoffset": [.date]
        case "objectid": [.objectId]
        case "uuid", "guid": [.uuid]
        // Documents, of which a dictionary is one, are objects in the words of the query language.
        case "object": [.object, .dictionary]
        case "link", "objectlink": [.object]
        case "list", "array": [.list]
        case "dictionary": [.dictionary]
        case "collection": [.list, .dictionary]
        case "numeric", "number": [.int, .float, .double, .decimal]
        default: nil
        }
    }

    /// The names that an error lists, one for each.
    static let names =
        "null, bool, int, float, double, decimal, string, binary, date, objectid, uuid, object, list, dictionary, "
        + "collection and numeric"
}

/// Whether a mixed value holds one of some types.
package struct BoundTypeTest: Hashable, Sendable {
    package enum Right: Hashable, Sendable {
        case types(Set<StoredType>)
        /// The type that another mixed property holds.
        case path(BoundPath)
    }

    package var quantifier: Quantifier
    package var path: BoundPath
    /// Whether it is to hold none of them: `!=`.
    package var isNegated: Bool
    package var right: Right

    package init(quantifier: Quantifier, path: BoundPath, isNegated: Bool, right: Right) {
        self.quantifier = quantifier
        self.path = path
        self.isNegated = isNegated
        self.right = right
    }

    package var paths: [BoundPath] {
        if case .path(let other) = right { [path, other] } else { [path] }
    }
}
