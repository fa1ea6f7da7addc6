package import CausewayMerge
package import CausewayModel
package import CausewayQuery

/// The record at one version: standing queries are answered from it.
///
/// Rows are named by class number and key, which have a meaning only inside this record. For many rows use the calls
/// that take many at once.
package protocol StoreSnapshot: AnyObject {
    var version: ServerVersion { get }
    var schema: Schema { get }
    /// The oldest version from which `history(after:)` still tells everything.
    var historyStart: ServerVersion { get }

    /// The last changeset of the client that this version includes, and the opening of its file that made it; zero when
    /// nobody knows.
    func acknowledgement(of client: ClientID) throws(StoreFailure) -> (sequence: UInt64, opening: UInt64)
    /// The refusals of the client's changesets after one and through another, in their order. Only whole changesets,
    /// until there are at least `limit` refusals.
    func refusals(
        of client: ClientID, after acknowledged: UInt64, through last: UInt64, limit: Int
    ) throws(StoreFailure) -> [Refusal]

    /// What a call with this key has committed; nil when there was none, or it is forgotten.
    func receipt(_ key: CallKey) throws(StoreFailure) -> CallReceipt?

    // MARK: Classes

    func classNumber(_ name: String) -> Int?
    func className(_ number: Int) -> String

    // MARK: Which objects

    /// Ascending.
    func keys(_ classNumber: Int, matching predicate: BoundPredicate) throws(StoreFailure) -> [ObjectKey]
    /// Those of a range of rows, ascending.
    ///
    /// - Complexity: that of the rows of the range, however many there are beside them.
    func keys(
        _ classNumber: Int, matching predicate: BoundPredicate, in rows: ClosedRange<ObjectKey>
    ) throws(StoreFailure) -> [ObjectKey]
    /// No row of the class has this key or a later one.
    func rowsEnd(_ classNumber: Int) -> ObjectKey
    func matches(_ row: Row, _ predicate: BoundPredicate) throws(StoreFailure) -> Bool
    /// Nil when no object with this name is alive.
    func row(_ name: ObjectName) -> Row?
    func name(of row: Row) -> ObjectName?

    // MARK: What they hold

    /// Appends the whole state of each object, its embedded objects before it.
    func appendWhole(
        _ classNumber: Int, _ keys: ArraySlice<ObjectKey>, to changes: inout [ObjectContent]
    ) throws(StoreFailure)
    /// The objects as columns, and separately the few that differ from the others. Nil where most differ, where too
    /// much lies around them for a part of so many bytes, or where the class cannot be written as columns: then use
    /// `appendWhole`.
    func runs(
        _ classNumber: Int, _ keys: ArraySlice<ObjectKey>, bytesMax: Int, singlesMax: Int
    ) throws(StoreFailure) -> ObjectRuns?
    /// Appends one object with the given properties only, without its embedded objects.
    func appendPart(_ row: Row, _ columns: PropertyNumbers, to changes: inout [ObjectContent]) throws(StoreFailure)
    /// The objects embedded in one, at every depth, parents before children.
    func embedded(in row: Row) throws(StoreFailure) -> [Row]
    /// The object or part that an embedded one is directly in; nil for one that nothing holds.
    func holder(of row: Row) -> Row?
    /// The causal length of an alive object.
    func life(of row: Row) throws(StoreFailure) -> UInt32
    /// One property of an alive object, links by primary key.
    func value(of column: Int, in row: Row) -> Value
    /// The elements of one of its lists, links by primary key.
    func elements(of column: Int, in row: Row) -> [Value]

    // MARK: What happened

    /// Everything committed after a version, seen from one client.
    ///
    /// - Throws: `interrupted` when that is more than the pace allows.
    func history(after start: ServerVersion, for client: ClientID, _ pace: Pace) throws(StoreFailure) -> History
    /// The state in which a commit found an object, as far as the commit touched it.
    func image(_ reference: ImageReference) throws(StoreFailure) -> ObjectState
    /// The same without lists, sets, maps and texts, which are not read.
    func imageFields(_ reference: ImageReference) throws(StoreFailure) -> ObjectState
    /// The causal length in an image, without the rest of it.
    func life(in image: ImageReference) throws(StoreFailure) -> UInt32
    /// What a commit did to a list, set, map or text; nil where the record does not keep it.
    ///
    /// - Complexity: that of what the commit did, however large the collection is.
    func edits(_ reference: EditsReference, of column: Int) throws(StoreFailure) -> KeptEdits?
    /// The life that a deleted object reached; nil for one that was never deleted.
    func endedLife(_ name: ObjectName) throws(StoreFailure) -> UInt32?
    /// Which runs of the server made which versions.
    func lineage() throws(StoreFailure) -> Lineage
    /// What one version did; nil for a version that the history does not have.
    func record(of version: ServerVersion) throws(StoreFailure) -> VersionRecord?
    /// Whose client it is; nil for one that nobody has registered.
    func user(of client: ClientID) throws(StoreFailure) -> String?

    // MARK: One-way objects

    /// One-way objects after a number, in the order of their arrival.
    ///
    /// - Complexity: O(countMax).
    func arrivals(after sequence: UInt64, countMax: Int) throws(StoreFailure) -> [OneWayArrival]
}

extension StoreSnapshot {
    /// Whether objects of a class are parts of others.
    package func isEmbedded(_ classNumber: Int) -> Bool {
        schema[className(classNumber)]?.kind == .embedded
    }

    package func history(after start: ServerVersion, for client: ClientID) throws(StoreFailure) -> History {
        try history(after: start, for: client, .unhurried)
    }

    /// All that was refused of the client's changesets after one and through another.
    package func refusals(
        of client: ClientID, after acknowledged: UInt64, through last: UInt64
    ) throws(StoreFailure) -> [Refusal] {
        try refusals(of: client, after: acknowledged, through: last, limit: .max)
    }
}

/// A row of this record.
package struct Row: Hashable, Comparable, Sendable {
    package var classNumber: Int
    package var key: ObjectKey

    package init(_ classNumber: Int, _ key: ObjectKey) {
        self.classNumber = classNumber
        self.key = key
    }

    package static func < (left: Row, right: Row) -> Bool {
        (left.classNumber, left.key) < (right.classNumber, right.key)
    }
}

/// An object by its primary key, which stays its name when its row goes and comes again.
package struct ObjectName: Hashable, Comparable, Sendable {
    package var classNumber: Int
    package var key: PrimaryKey

    package init(_ classNumber: Int, _ key: PrimaryKey) {
        self.classNumber = classNumber
        self.key = key
    }

    package static func < (left: ObjectName, right: ObjectName) -> Bool {
        left.classNumber == right.classNumber ? left.key < right.key : left.classNumber < right.classNumber
    }
}

/// Objects of one class, split into those that can be told as columns and those that cannot.
package struct ObjectRuns: Sendable {
    package var runs: [ObjectRun] = []
    /// Ascending.
    package var singles: [ObjectKey] = []

    package init() {}
}

extension StoreSnapshot {
    /// The last changeset of the client that this version includes.
    package func committed(by client: ClientID) throws(StoreFailure) -> UInt64 {
        try acknowledgement(of: client).sequence
    }
}
