/// One stored value: what a property holds, an operation sets, a query compares.
///
/// A link exists in two forms. At rest, inside one file, it is `object`: the key of a row in the target class, which
/// costs eight bytes and resolves without a search. In motion, between devices, it is `link`: the target's primary
/// key, because row keys mean nothing elsewhere. The target class is no part of these; the schema knows it. A mixed
/// property may lead to any class: its links name the class, as `anyObject` at rest and as `anyLink` in motion.
///
/// Two values are equal if their representations are the same (`Value+Identity.swift`).
@usableFromInline
package enum Value: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    case timestamp(Timestamp)
    case objectId(ObjectIdentifier12)
    case uuid(UUID16)
    case decimal(DecimalNumber)
    case object(ObjectKey)
    case link(PrimaryKey)
    case anyObject(ClassedKey)
    indirect case anyLink(ClassedLink)
}

/// A row of any class of one file.
@usableFromInline
package struct ClassedKey: Hashable, Sendable {
    /// The number of the class in the file's catalog.
    package var classNumber: UInt32
    package var key: ObjectKey

    package init(_ classNumber: UInt32, _ key: ObjectKey) {
        self.classNumber = classNumber
        self.key = key
    }
}

/// An object of any class, named alike on every device and the server.
@usableFromInline
package struct ClassedLink: Sendable {
    @usableFromInline package var className: String
    @usableFromInline package var key: PrimaryKey

    package init(_ className: String, _ key: PrimaryKey) {
        self.className = className
        self.key = key
    }
}

extension Value {
    @inlinable package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The type of property that holds such values; nil for null and for links.
    package var type: PropertyType? {
        switch self {
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .string: .string
        case .bytes: .data
        case .timestamp: .date
        case .objectId: .objectId
        case .uuid: .uuid
        case .decimal: .decimal128
        case .null, .object, .link, .anyObject, .anyLink: nil
        }
    }

    package var isNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        default: false
        }
    }
}

/// A point in time as Realm stores it: seconds since 1970 in UTC and nanoseconds within the second, both of one sign.
@usableFromInline
package struct Timestamp: Hashable, Comparable, Sendable {
    @usableFromInline package var seconds: Int64
    @usableFromInline package var nanoseconds: Int32

    @inlinable
    package init(seconds: Int64, nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    @inlinable
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

/// The twelve bytes of an ObjectId: four of seconds, five of machine and process, three of counter, big-endian.
@usableFromInline
package struct ObjectIdentifier12: Hashable, Comparable, Sendable {
    @usableFromInline package var high: UInt64
    @usableFromInline package var low: UInt32

    @inlinable
    package init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    @inlinable
    package static func < (left: ObjectIdentifier12, right: ObjectIdentifier12) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// The sixteen bytes of a UUID, big-endian, ordered as bytes.
@usableFromInline
package struct UUID16: Hashable, Comparable, Sendable {
    @usableFromInline package var high: UInt64
    @usableFromInline package var low: UInt64

    @inlinable
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @inlinable
    package static func < (left: UUID16, right: UUID16) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
