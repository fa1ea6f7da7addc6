import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewayStore

/// A snapshot that counts the rows it was asked to find or to look at.
final class CountingSnapshot: StoreSnapshot {
    private let snapshot: any StoreSnapshot
    private(set) var rows = 0
    private(set) var boundQueries = 0

    init(_ snapshot: any StoreSnapshot) {
        self.snapshot = snapshot
    }

    var version: ServerVersion { snapshot.version }
    var schema: Schema { snapshot.schema }
    var historyStart: ServerVersion { snapshot.historyStart }

    func acknowledgement(of client: ClientID) throws(StoreFailure) -> (sequence: UInt64, opening: UInt64) {
        try snapshot.acknowledgement(of: client)
    }

    func refusals(
        of client: ClientID, after acknowledged: UInt64, through last: UInt64, limit: Int
    ) throws(StoreFailure) -> [Refusal] {
        try snapshot.refusals(of: client, after: acknowledged, through: last, limit: limit)
    }

    func receipt(_ key: CallKey) throws(StoreFailure) -> CallReceipt? { try snapshot.receipt(key) }

    func rowsEnd(_ classNumber: Int) -> ObjectKey { snapshot.rowsEnd(classNumber) }

    /// Asked for each query that is bound.
    func classNumber(_ name: String) -> Int? {
        boundQueries += 1
        return snapshot.classNumber(name)
    }

    func className(_ number: Int) -> String { snapshot.className(number) }

    func keys(_ classNumber: Int, matching predicate: BoundPredicate) throws(StoreFailure) -> [ObjectKey] {
        rows += try snapshot.keys(classNumber, matching: .constant(true)).count
        return try snapshot.keys(classNumber, matching: predicate)
    }

    func keys(
        _ classNumber: Int, matching predicate: BoundPredicate, in range: ClosedRange<ObjectKey>
    ) throws(StoreFailure) -> [ObjectKey] {
        rows += try snapshot.keys(classNumber, matching: .constant(true), in: range).count
        return try snapshot.keys(classNumber, matching: predicate, in: range)
    }

    func matches(_ row: Row, _ predicate: BoundPredicate) throws(StoreFailure) -> Bool {
        rows += 1
        return try snapshot.matches(row, predicate)
    }

    func row(_ name: ObjectName) -> Row? { snapshot.row(name) }
    func name(of row: Row) -> ObjectName? { snapshot.name(of: row) }

    func appendWhole(
        _ classNumber: Int, _ keys: ArraySlice<ObjectKey>, to changes: inout [ObjectContent]
    ) throws(StoreFailure) {
        try snapshot.appendWhole(classNumber, keys, to: &changes)
    }

    func runs(
        _ classNumber: Int, _ keys: ArraySlice<ObjectKey>, bytesMax: Int, singlesMax: Int
    ) throws(StoreFailure) -> ObjectRuns? {
        try snapshot.runs(classNumber, keys, bytesMax: bytesMax, singlesMax: singlesMax)
    }

    func appendPart(_ row: Row, _ columns: PropertyNumbers, to changes: inout [ObjectContent]) throws(StoreFailure) {
        try snapshot.appendPart(row, columns, to: &changes)
    }

    func embedded(in row: Row) throws(StoreFailure) -> [Row] { try snapshot.embedded(in: row) }
    func holder(of row: Row) -> Row? { snapshot.holder(of: row) }
    func life(of row: Row) throws(StoreFailure) -> UInt32 { try snapshot.life(of: row) }
    func value(of column: Int, in row: Row) -> Value { snapshot.value(of: column, in: row) }
    func elements(of column: Int, in row: Row) -> [Value] { snapshot.elements(of: column, in: row) }

    func history(after start: ServerVersion, for client: ClientID, _ pace: Pace) throws(StoreFailure) -> History {
        try snapshot.history(after: start, for: client, pace)
    }

    func image(_ reference: ImageReference) throws(StoreFailure) -> ObjectState { try snapshot.image(reference) }
    func imageFields(_ reference: ImageReference) throws(StoreFailure) -> ObjectState {
        try snapshot.imageFields(reference)
    }

    func life(in image: ImageReference) throws(StoreFailure) -> UInt32 { try snapshot.life(in: image) }

    func edits(_ reference: EditsReference, of column: Int) throws(StoreFailure) -> KeptEdits? {
        try snapshot.edits(reference, of: column)
    }

    func endedLife(_ name: ObjectName) throws(StoreFailure) -> UInt32? { try snapshot.endedLife(name) }
    func lineage() throws(StoreFailure) -> Lineage { try snapshot.lineage() }
    func record(of version: ServerVersion) throws(StoreFailure) -> VersionRecord? { try snapshot.record(of: version) }
    func user(of client: ClientID) throws(StoreFailure) -> String? { try snapshot.user(of: client) }

    func arrivals(after sequence: UInt64, countMax: Int) throws(StoreFailure) -> [OneWayArrival] {
        try snapshot.arrivals(after: sequence, countMax: countMax)
    }
}
