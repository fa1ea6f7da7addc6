/// The type of a property's value, or of the elements of its list, set or map.
package enum PropertyType: UInt8, Sendable, CaseIterable {
    case bool = 1
    case int = 2
    case float = 3
    case double = 4
    case string = 5
    case data = 6
    case date = 7
    case objectId = 8
    case uuid = 9
    /// A link to another object, or an embedded object, as the target class says.
    case object = 10
    case decimal128 = 11
    /// A value of any other type, or a link to an object of any class. Always optional; null is none of them.
    case mixed = 12
}

package enum CollectionKind: UInt8, Sendable {
    case none = 0
    case list = 1
    /// Distinct elements, in canonical order.
    case set = 2
    /// Values by string keys, in the order of the keys.
    case map = 3

    /// Whether it holds entries named by keys. The elements of a set are its keys.
    package var isKeyed: Bool { self == .set || self == .map }
}

/// What becomes of the objects that a property links to when the object that has the property is deleted.
package enum DeletionRule: UInt8, Sendable {
    /// Nothing: they stay.
    case none = 0
    /// They are deleted too.
    case cascade = 1
    /// They are deleted too, unless another object is left that links to them through a property with a rule.
    case cascadeWhenLast = 2
}

/// One persisted property, by its stored name. Names are the same if and only if their bytes are.
package struct Property: Hashable, Sendable {
    package var name: String
    package var type: PropertyType
    package var collection: CollectionKind
    /// Links and values of a map of objects are always optional; elements of a list or set of objects never are.
    package var isOptional: Bool
    package var isPrimaryKey: Bool
    package var isIndexed: Bool
    /// Whether the words of a string have an index of their own. Local to one file: it is not sent.
    package var isFullTextIndexed: Bool
    /// The class a link or a collection of objects points to; nil for other types.
    package var target: String?
    /// A required integer to which writers add: concurrent additions sum up. Stored as any integer.
    package var isCounter: Bool
    /// Local to the device: it is not sent, and no merge uses it.
    package var deletionRule: DeletionRule
    /// A string whose edits merge by character: stored and searched as a string, changed by edits.
    package var isText: Bool

    package init(
        name: String,
        type: PropertyType,
        collection: CollectionKind = .none,
        isOptional: Bool = false,
        isPrimaryKey: Bool = false,
        isIndexed: Bool = false,
        isFullTextIndexed: Bool = false,
        target: String? = nil,
        isCounter: Bool = false,
        isText: Bool = false,
        deletionRule: DeletionRule = .none
    ) {
        self.name = name
        self.type = type
        self.collection = collection
        self.isOptional = isOptional
        self.isPrimaryKey = isPrimaryKey
        self.isIndexed = isIndexed
        self.isFullTextIndexed = isFullTextIndexed
        self.target = target
        self.isCounter = isCounter
        self.deletionRule = deletionRule
        self.isText = isText
    }
}

package enum ClassKind: UInt8, Sendable {
    /// Queried by itself.
    case object = 0
    /// Owned by exactly one parent and deleted with it.
    case embedded = 1
    /// Written once, sent to the server, never read on the device.
    case asymmetric = 2
}

/// One class: a table, its properties in the order they were declared or added.
package struct ClassSchema: Hashable, Sendable {
    package var name: String
    package var kind: ClassKind
    package var properties: [Property]

    package init(name: String, kind: ClassKind = .object, properties: [Property]) {
        self.name = name
        self.kind = kind
        self.properties = properties
    }

    package var primaryKeyIndex: Int? {
        properties.firstIndex { $0.isPrimaryKey }
    }

    package func index(of property: String) -> Int? {
        properties.firstIndex { $0.name.isSame(as: property) }
    }

    /// A property whose name is canonically equivalent to this one but has other bytes.
    package func property(spelledUnlike name: String) -> Property? {
        properties.first { $0.name == name && !$0.name.isSame(as: name) }
    }
}

/// All classes of a database, ordered by name.
package struct Schema: Hashable, Sendable {
    package private(set) var classes: [ClassSchema]

    package init(_ classes: [ClassSchema] = []) {
        self.classes = classes.sorted { $0.name.precedes($1.name) }
    }

    package subscript(name: String) -> ClassSchema? {
        classes.first { $0.name.isSame(as: name) }
    }

    /// A class whose name is canonically equivalent to this one but has other bytes. A schema has no two such names,
    /// because nobody could tell them apart.
    package func someClass(spelledUnlike name: String) -> ClassSchema? {
        classes.first { $0.name == name && !$0.name.isSame(as: name) }
    }
}

extension PropertyType {
    /// What a required property of this type holds before anybody sets it.
    package var zero: Value {
        switch self {
        case .bool: .bool(false)
        case .int: .int(0)
        case .float: .float(0)
        case .double: .double(0)
        case .string: .string("")
        case .data: .bytes([])
        case .date: .timestamp(Timestamp(seconds: 0, nanoseconds: 0))
        case .objectId: .objectId(ObjectIdentifier12(high: 0, low: 0))
        case .uuid: .uuid(UUID16(high: 0, low: 0))
        case .object: .null
        case .decimal128: .decimal(.zero)
        case .mixed: .null
        }
    }
}

extension Property {
    /// What a new object holds here before anybody sets the property; null stands in for a collection.
    package var zero: Value {
        isOptional || collection != .none ? .null : type.zero
    }
}

extension Property {
    /// Whether setting it replaces it whole: neither a collection nor a text.
    package var isField: Bool { collection == .none && !isText }
}
