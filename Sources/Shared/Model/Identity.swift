// Equality and hashes that stand here are those that the compiler would make. Those do not inline into other modules.

/// The row of an object in its class, in one file: given once, in ascending order, never used again.
@usableFromInline
package struct ObjectKey: Hashable, Comparable, Sendable {
    @usableFromInline package var rawValue: Int64

    @inlinable
    package init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    @inlinable
    package static func == (left: ObjectKey, right: ObjectKey) -> Bool { left.rawValue == right.rawValue }

    @inlinable
    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    @inlinable
    package static func < (left: ObjectKey, right: ObjectKey) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// What names an object of a class everywhere: on every device and on the server.
///
/// `container` names an embedded object, which has no primary key of its own: the id of the operation that made it.
/// Two string keys are the same if and only if their bytes are.
@usableFromInline
package enum PrimaryKey: Sendable {
    case null
    case int(Int64)
    case string(String)
    case objectId(ObjectIdentifier12)
    case uuid(UUID16)
    case container(ElementID)
}

extension PrimaryKey: Comparable {
    /// A total order over keys of all kinds, so that anything keyed by them can be walked in one order everywhere.
    @usableFromInline
    package static func < (left: PrimaryKey, right: PrimaryKey) -> Bool {
        switch (left, right) {
        case (.int(let left), .int(let right)): left < right
        case (.string(let left), .string(let right)): left.precedes(right)
        case (.objectId(let left), .objectId(let right)): left < right
        case (.uuid(let left), .uuid(let right)): left < right
        case (.container(let left), .container(let right)): left < right
        default: left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .int: 1
        case .string: 2
        case .objectId: 3
        case .uuid: 4
        case .container: 5
        }
    }
}

extension PrimaryKey {
    /// The key as the value of the primary-key property; nil for a container, which no property holds.
    package var value: Value? {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let value): .string(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .container: nil
        }
    }

    /// The key that a value names; nil for a value whose type cannot be a primary key.
    package init?(_ value: Value) {
        switch value {
        case .null: self = .null
        case .int(let value): self = .int(value)
        case .string(let value): self = .string(value)
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .uuid(value)
        default: return nil
        }
    }
}

/// One device installation and file, as the server knows it: drawn at random when the file is made.
@usableFromInline
package struct ClientID: Hashable, Comparable, Sendable {
    @usableFromInline package var rawValue: UInt64

    @inlinable
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The id that no device has.
    package static let nobody = ClientID(0)

    @inlinable
    package static func == (left: ClientID, right: ClientID) -> Bool { left.rawValue == right.rawValue }

    @inlinable
    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    @inlinable
    package static func < (left: ClientID, right: ClientID) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension ClientID: CustomStringConvertible {
    /// The number alone: as the command line and the APIs name a client.
    @inlinable
    package var description: String { "\(rawValue)" }
}

/// Names one list element, list position or embedded object for ever: who made it, and its number there.
@usableFromInline
package struct ElementID: Hashable, Comparable, Sendable {
    @usableFromInline package var client: ClientID
    @usableFromInline package var counter: UInt64

    @inlinable
    package init(client: ClientID, counter: UInt64) {
        self.client = client
        self.counter = counter
    }

    @inlinable
    package static func == (left: ElementID, right: ElementID) -> Bool {
        left.counter == right.counter && left.client == right.client
    }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        hasher.combine(client)
        hasher.combine(counter)
    }

    /// By counter first: a later element of one writer sorts after all it can have seen.
    @inlinable
    package static func < (left: ElementID, right: ElementID) -> Bool {
        (left.counter, left.client) < (right.counter, right.client)
    }
}

/// When and by whom a value was written: a hybrid logical clock reading with the writer as the tie-break.
///
/// `time` holds milliseconds since 1970 in its upper 48 bits and a counter in its lower 16.
@usableFromInline
package struct Stamp: Hashable, Comparable, Sendable {
    @usableFromInline package var time: UInt64
    @usableFromInline package var client: ClientID

    @inlinable
    package init(time: UInt64, client: ClientID) {
        self.time = time
        self.client = client
    }

    /// The latest wall time of a stamp, in the year 6429. Half of all stamps are left for those that follow it one by
    /// one, so stamps never run out.
    package static let wallMillisecondsMax: UInt64 = (1 << 47) - 1

    /// Older than every real stamp.
    package static let zero = Stamp(time: 0, client: ClientID(0))

    @inlinable
    package static func < (left: Stamp, right: Stamp) -> Bool {
        (left.time, left.client) < (right.time, right.client)
    }
}

/// The number of a commit in the server's one order of commits. Zero is the empty database.
@usableFromInline
package struct ServerVersion: Hashable, Comparable, Sendable {
    @usableFromInline package var rawValue: UInt64

    @inlinable
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static let zero = ServerVersion(0)

    @inlinable
    package static func < (left: ServerVersion, right: ServerVersion) -> Bool {
        left.rawValue < right.rawValue
    }
}
