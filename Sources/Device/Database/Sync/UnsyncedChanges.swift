import CausewayModel
import CausewayOpLog
import CausewayOperations
import CausewaySyncedFile
public import Foundation

/// The writes that the server rejected permanently, kept in the file until the app decides about them.
///
/// ```swift
/// for change in realm.unsyncedChanges {
///     print(change.date, change.reason, change.operations.map(\.description))
///     try change.drop()
/// }
/// ```
///
/// Only the rejected write is set aside: other writes beside it reach the server, and the app sees the server's value
/// of what was rejected. Entries survive closing the file. They are removed only by `submitAgain()` and `drop()`, with
/// one exception: a change of an object that the server did not have (308) is submitted again by itself when the object
/// comes back. That happens while a server that was restored from an older copy is filled again.
///
/// The collection is a snapshot of the file's entries. New entries are in the file when the error handler of the
/// ``SyncManager`` is called with `SyncError.writeRejected`: read the property again then.
public struct UnsyncedChanges: RandomAccessCollection, Sendable {
    private let changes: [UnsyncedChange]

    init(_ changes: [UnsyncedChange]) {
        self.changes = changes
    }

    /// Zero.
    public var startIndex: Int { changes.startIndex }
    /// The number of changes.
    public var endIndex: Int { changes.endIndex }

    /// The change at a position; the oldest is first.
    ///
    /// ```swift
    /// if let oldest = realm.unsyncedChanges.first { print(oldest.reason) }
    /// ```
    public subscript(position: Int) -> UnsyncedChange { changes[position] }
}

/// The part of one write transaction that the server rejected for one reason.
///
/// ```swift
/// let forbidden = realm.unsyncedChanges.filter { $0.code == 103 }
/// for change in forbidden { try change.drop() }
/// ```
public struct UnsyncedChange: Identifiable, Sendable {
    private let change: QuarantinedChange
    private let file: SyncedFile

    init(_ change: QuarantinedChange, _ file: SyncedFile) {
        self.change = change
        self.file = file
    }

    /// A number that stays unique in this file.
    ///
    /// ```swift
    /// let shown = Set(realm.unsyncedChanges.map(\.id))
    /// ```
    public var id: Int { Int(clamping: change.number) }

    /// When this device learned of the rejection.
    public var date: Date { Date(timeIntervalSince1970: Double(change.time) / 1_000) }

    /// The server's number for the reason: 103 for a missing permission, 302 for a transaction of too many bytes, 303
    /// for one of too many operations, 307 for a write that does not fit the schema, 308 for an object that the server
    /// does not have.
    public var code: Int { Int(change.code) }

    /// A sentence of the server that names the cause.
    public var reason: String { change.reason }

    /// The affected objects, each once.
    ///
    /// ```swift
    /// for change in realm.unsyncedChanges {
    ///     for object in change.objects { print(object.className, object.primaryKey) }
    /// }
    /// ```
    public var objects: [AffectedObject] {
        var seen: Set<AffectedObject> = []
        return operations.map(\.object).filter { seen.insert($0).inserted }
    }

    /// The rejected writes, in the order in which the app made them.
    ///
    /// ```swift
    /// for write in realm.unsyncedChanges.flatMap(\.operations) { print(write) }    // set Dog 7.name to "Rex"
    /// ```
    public var operations: [RefusedWrite] { change.operations.flatMap(RefusedWrite.all) }

    /// Writes the change again, as a new change made now. The app sees it again, and it is uploaded like any other.
    ///
    /// ```swift
    /// try realm.unsyncedChanges.first?.submitAgain()
    /// ```
    ///
    /// Call it when the cause is gone, for example because the user got the permission or the server the property.
    /// Otherwise the change comes back under a new `id`. Does nothing if the change no longer exists.
    ///
    /// - Precondition: no write transaction is open on this thread; the call would wait for it forever.
    /// - Throws: `Realm.Error` when the file cannot be written.
    public func submitAgain() throws {
        _ = try file.submitQuarantined(change.number)
    }

    /// Deletes the change for good. Does nothing if it no longer exists.
    ///
    /// ```swift
    /// for change in realm.unsyncedChanges { try change.drop() }
    /// ```
    ///
    /// - Precondition: no write transaction is open on this thread; the call would wait for it forever.
    /// - Throws: `Realm.Error` when the file cannot be written.
    public func drop() throws {
        try file.dropQuarantined(change.number)
    }

    /// An object by its class and primary key, as the server names them.
    ///
    /// ```swift
    /// let objects: [UnsyncedChange.AffectedObject] = realm.unsyncedChanges.flatMap(\.objects)
    /// let isAboutRex = objects.contains { $0.className == "Dog" && $0.primaryKey == .string("Rex") }
    /// ```
    public struct AffectedObject: Sendable, Hashable {
        /// The class. For a list or map inside a mixed value, a name that begins with `#`.
        public let className: String
        /// The primary key; null for an embedded object, which has none.
        public let primaryKey: AnyBSON
    }
}

/// One value that the app wrote and the server refused.
///
/// ```swift
/// let writes: [RefusedWrite] = realm.unsyncedChanges.flatMap(\.operations)
/// for write in writes where write.property == "name" { print(write.object.primaryKey, write.value ?? .null) }
/// ```
public struct RefusedWrite: Sendable, Hashable, CustomStringConvertible {
    /// The affected object.
    public let object: UnsyncedChange.AffectedObject
    /// What the write does.
    public let kind: Kind
    /// The property; nil when the whole object was created or deleted.
    public let property: String?
    /// The written value; for a link, its primary key. Nil where a write has no value, such as a deletion.
    public let value: AnyBSON?

    /// What a write does.
    ///
    /// ```swift
    /// func verb(_ kind: RefusedWrite.Kind) -> String {
    ///     switch kind {
    ///     case .create: "made"
    ///     case .delete, .remove, .clear: "took away"
    ///     case .set, .insert: "wrote"
    ///     case .move: "moved"
    ///     }
    /// }
    /// ```
    public enum Kind: String, Sendable {
        /// Creates the object. Each of its initial values follows as a `set`.
        case create
        /// Deletes the object.
        case delete
        /// Gives a property a value.
        case set
        /// Puts an element into a collection, text into a text, or adds to a counter.
        case insert
        /// Takes something out of a collection or text.
        case remove
        /// Moves an element of a list.
        case move
        /// Empties a collection.
        case clear
    }

    /// The write in words.
    ///
    /// ```swift
    /// let words = realm.unsyncedChanges.first?.operations.map(\.description)    // ["set Dog 7.name to \"Rex\""]
    /// ```
    public var description: String {
        var words = "\(kind.rawValue) \(object.className) \(object.primaryKey.words)"
        if let property { words += ".\(property)" }
        if let value { words += kind == .set ? " to \(value.words)" : " \(value.words)" }
        return words
    }
}

extension RefusedWrite {
    /// An operation as writes of single values.
    static func all(_ operation: CausewayOperations.Operation) -> [RefusedWrite] {
        let object = UnsyncedChange.AffectedObject(operation.target)
        func write(_ kind: Kind, _ property: String? = nil, _ value: Value? = nil) -> RefusedWrite {
            RefusedWrite(object: object, kind: kind, property: property, value: value?.bson)
        }
        switch operation {
        case .create(_, _, let fields):
            return [write(.create)]
                + fields.filter { !$0.isDefault }.map { write(.set, $0.property, $0.value) }
        case .delete: return [write(.delete)]
        case .set(_, let field): return [write(.set, field.property, field.value)]
        case .list(_, let property, let change):
            switch change {
            case .insert(_, _, _, let value): return [write(.insert, property, value)]
            case .set(_, let value): return [write(.set, property, value)]
            case .delete: return [write(.remove, property)]
            case .move: return [write(.move, property)]
            case .clear: return [write(.clear, property)]
            }
        case .keyed(_, let property, let change):
            switch change {
            case .put(let key, let value):
                return [write(.insert, property, value.isNull ? key : value)]
            case .remove(let key): return [write(.remove, property, key)]
            }
        case .add(_, let property, let addition): return [write(.insert, property, .int(addition.amount))]
        case .text(_, let property, let change):
            switch change {
            case .insert(_, _, _, let text): return [write(.insert, property, .string(text))]
            case .delete: return [write(.remove, property)]
            }
        }
    }
}

extension UnsyncedChange.AffectedObject {
    init(_ reference: ObjectReference) {
        self.init(className: reference.className, primaryKey: reference.key.bson)
    }
}

extension PrimaryKey {
    fileprivate var bson: AnyBSON {
        switch self {
        case .null, .container: .null
        case .int(let value): .int64(value)
        case .string(let value): .string(value)
        case .objectId(let value): .objectId(ObjectId(value))
        case .uuid(let value): .uuid(UUID(value))
        }
    }
}

extension Value {
    fileprivate var bson: AnyBSON {
        switch self {
        case .null, .object, .anyObject: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int64(value)
        case .float(let value): .double(Double(value))
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .bytes(let value): .binary(Data(value))
        case .timestamp(let value): .datetime(Date(value))
        case .objectId(let value): .objectId(ObjectId(value))
        case .uuid(let value): .uuid(UUID(value))
        case .decimal(let value): .decimal128(Decimal128(value))
        case .link(let key): key.bson
        case .anyLink(let link): link.key.bson
        }
    }
}

extension AnyBSON {
    fileprivate var words: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .objectId(let id): "\(id)"
        case .uuid(let id): id.uuidString
        case .decimal128(let number): "\(number)"
        case .datetime(let date): "\(date)"
        case .binary(let data): "\(data.count) bytes"
        default: "null"
        }
    }
}

// MARK: - From the Realm and in errors

extension Realm {
    /// The writes that the server rejected permanently; empty for a local Realm.
    ///
    /// ```swift
    /// app.syncManager.errorHandler = { error, session in
    ///     guard (error as? SyncError)?.code == .writeRejected else { return }
    ///     Task { @MainActor in print(try Realm().unsyncedChanges.map(\.reason)) }
    /// }
    /// ```
    ///
    /// Each read reads the file. The oldest change is first.
    public var unsyncedChanges: UnsyncedChanges {
        guard let driver = instance.driver else { return UnsyncedChanges([]) }
        do {
            return UnsyncedChanges(try driver.file.quarantined().map { UnsyncedChange($0, driver.file) })
        } catch {
            misuse("The refused changes of the Realm cannot be read: \(SyncedFile.message(of: error))")
        }
    }
}

extension SyncError {
    init(_ change: QuarantinedChange) {
        var seen: Set<UnsyncedChange.AffectedObject> = []
        let all = change.operations.map(\.target)
        let named = all.filter { if case .container = $0.key { false } else { true } }
        // Embedded objects are named only when nothing else was written.
        let objects = (named.isEmpty ? all : named).map(UnsyncedChange.AffectedObject.init)
            .filter { seen.insert($0).inserted }
        self.init(
            .writeRejected, change.reason, serverCode: Int(change.code),
            compensating: objects.map {
                CompensatingWriteInfo(objectType: $0.className, primaryKey: $0.primaryKey, reason: change.reason)
            })
    }
}
