/// The content of a header slot: one committed state, and how much of it is known to be on the disk. The state is what
/// the pages below its roots say, with the carried changes over it.
///
/// A file has four slots, pages 0 to 3. A commit writes one of them after its pages. `HeaderSlots` chooses the slot.
struct FileHeader: Sendable {
    /// The newest format, in which every header is written. Format 1 carries no changes.
    static let format: UInt16 = 2
    static let oldestFormat: UInt16 = 1
    static let slotCount = 4
    /// The transaction of the state that a new file has.
    static let firstTransaction: UInt64 = 1

    /// Identifies the file for as long as it exists. A copy has another one.
    var fileID: FileID
    /// The transaction that wrote the header. Transaction numbers ascend and are never used twice, but may be skipped.
    var transaction: UInt64
    /// The version that users of the storage see. Each of their commits raises it by one; compacting and closing keep
    /// it.
    var version: UInt64
    /// A state that was known to survive a power loss when this header was written. Its slot and its pages are kept
    /// until a later state is durable.
    var durableTransaction: UInt64
    /// Pages born up to this transaction were synced before this header was written. Recovery checks only younger ones
    /// before it accepts the header.
    var syncedTransaction: UInt64
    var state: CommittedState
    var freeSpace: FreeSpaceRecord
    /// The table of encryption sessions; none in a plain file.
    var sessions: PagePointer = .none
    /// The changes over the state's pages. Nil when there are none.
    var carried: CarriedChanges?
}

/// The roots of all pages of one committed state.
struct CommittedState: Sendable, Equatable {
    /// The root of the trees.
    var trees: PagePointer
    /// The root of the leaf directory.
    var directory: PagePointer
    /// The pages of the state: those below the two roots, the segments of the free space and the table of sessions.
    var livePages: UInt32

    static let empty = CommittedState(trees: .none, directory: .none, livePages: 0)
}

/// Sixteen random bytes.
struct FileID: Sendable, Hashable {
    var low: UInt64
    var high: UInt64
}
