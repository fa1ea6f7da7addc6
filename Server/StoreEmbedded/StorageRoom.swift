import CausewayModel
import CausewayOperations
import CausewayStore

/// Whether a record may grow, by the bytes that its newest state takes and the operator's limit on them.
///
/// The bytes are measured at most once in `measuredMilliseconds`, because measuring costs as much as the list of free
/// pages is long. What is written in between may exceed the limit.
struct StorageRoom {
    private let bytesMax: UInt64
    private var usedBytes: UInt64 = 0
    private var measured: UInt64?

    static let measuredMilliseconds: UInt64 = 1_000

    init(bytesMax: UInt64) {
        self.bytesMax = bytesMax
    }

    /// Why nothing may be added at a time; nil when something may.
    ///
    /// - Parameter measure: the bytes in use.
    mutating func shortage(
        at time: UInt64, _ measure: () throws(StoreFailure) -> UInt64
    ) throws(StoreFailure) -> StorageShortage? {
        if let measured, time >= measured, time - measured < Self.measuredMilliseconds {
        } else {
            usedBytes = try measure()
            measured = time
        }
        guard usedBytes >= bytesMax else { return nil }
        return StorageShortage(usedMebibytes: usedBytes >> 20, mebibytesMax: bytesMax >> 20)
    }
}

extension Changeset {
    /// Whether applying it may need more space. What it removes goes on to take space until the history is trimmed.
    var mayGrow: Bool { !creations.isEmpty || others.contains(where: \.mayGrow) }
}

extension Operation {
    var mayGrow: Bool {
        switch self {
        case .create, .list(_, _, .insert), .list(_, _, .move), .list(_, _, .set), .keyed(_, _, .put),
            .text(_, _, .insert):
            true
        case .set(_, let field): field.value != .null
        case .delete, .list(_, _, .delete), .list(_, _, .clear), .keyed(_, _, .remove), .text(_, _, .delete), .add:
            false
        }
    }
}
