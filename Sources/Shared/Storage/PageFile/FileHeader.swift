/// What a header slot says: one committed state, and how far the disk is known to hold it.
///
/// A file has four slots, pages 0 to 3. A commit writes one of them, after its pages; which one, `HeaderSlots` decides.
struct FileHeader: Sendable, Equatable {
    static let format: UInt16 = 1
    static let slotCount = 4
    /// Of the state that a file is made with.
    static let firstTransaction: UInt64 = 1

    /// Names the file for as long as it lives; a copy has another one.
    var fileID: FileID
    /// The transaction that wrote the header. Transaction numbers ascend and are never used twice, but may be skipped.
    var transaction: UInt64
    /// One larger with each commit: what the storage's users call the version.
    var version: UInt64
    /// A state known to survive a power loss when this header was written; its slot and its pages are kept until a
    /// later one is known to.
    var durableTransaction: UInt64
    /// Pages born up to here were synced before this header was written: only younger ones have to be looked at
    /// before the header is believed.
    var syncedTransaction: UInt64
    var state: CommittedState
    var freeSpace: FreeSpaceRecord
    /// The table of encryption sessions; none in a plain file.
    var sessions: PagePointer = .none
}

/// The roots of everything in one committed state.
struct CommittedState: Sendable, Equatable {
    /// The node above all trees.
    var trees: PagePointer
    /// The node above all leaves.
    var directory: PagePointer
    /// Pages reachable from the two roots.
    var livePages: UInt32

    static let empty = CommittedState(trees: .none, directory: .none, livePages: 0)
}

/// Sixteen random bytes.
struct FileID: Sendable, Hashable {
    var low: UInt64
    var high: UInt64
}
