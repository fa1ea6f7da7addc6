package import CausewayConversion
package import CausewayStore

/// A record that changes by applying the entries of a journal, and in no other way. The calls of `StoreBackend` that write
/// are refused.
///
/// 1. The mark is stored in the transaction that applies the entry, so each entry is applied once.
/// 2. The state is a function of the entries. `digest` is equal on all replicas at a position.
/// 3. A crash may lose the newest entries that were applied: they are applied again.
package protocol JournalReplica: StoreBackend {
    var mark: JournalMark { get throws(StoreFailure) }

    /// As the last `settings` entry left them; nil before the first.
    var settings: RecordSettings? { get throws(StoreFailure) }

    /// Applies the next entry.
    ///
    /// - Parameter mark: where the replica stands after it.
    /// - Throws: when the machine fails. The replica then stands where it stood, and the entry is applied later.
    func apply(_ entry: JournalEntry, to mark: JournalMark) throws(StoreFailure) -> EntryOutcome

    /// - Complexity: that of reading the whole state.
    func digest() throws(StoreFailure) -> JournalHash

    // MARK: - What needs no entry

    /// What is known of a client, if registering it would change nothing.
    func known(_ registration: JournalEntry.Registration) throws(StoreFailure) -> ClientRecord?

    /// What an entry would come to, if it would change nothing; nil if it would. Throws what the caller is told when it is
    /// refused.
    func outcomeWithoutEntry(_ body: JournalEntry.Body) throws(StoreFailure) -> EntryOutcome?

    // MARK: - What carriers read

    var newestArrival: UInt64 { get }

    func position(of name: String) throws(StoreFailure) -> [UInt8]?

    // MARK: - The machine

    /// Why this node has no room for what grows; nil when it has.
    func shortage(at time: UInt64) throws(StoreFailure) -> StorageShortage?
}

/// What came of an entry: what the node that appended it answers.
package enum EntryOutcome: Hashable, Sendable {
    case commits([CommitOutcome])
    case ingested(UInt64)
    case registered(ClientRecord)
    case additions(SchemaAdditions)
    /// Whether maintenance has more to do.
    case maintained(hasMore: Bool)
    /// What a conversion did, or why it did nothing.
    case converted(ConversionReport)
    /// What is left of the client; nil for one that is not known.
    case forgotten(ForgottenClient?)
    /// Whether the subject was shut out.
    case letIn(Bool)
    /// Where to go on with one-way objects that are due.
    case removed(next: UInt64?)
    case done
    /// It was refused, and changed nothing.
    case refused(StoreFailure)
}

extension StoreFailure {
    /// Whether it follows from an entry and the state, on every node. Otherwise the machine has failed.
    package var isOutcome: Bool {
        if reached != nil { return true }
        return [
            .permissionDenied, .schemaMismatch, .sequenceGap, .operationInvalid, .objectUnknown, .refusalsUnread,
            .queryInvalid, .conflict, .callKeyReused,
        ].contains(code)
    }
}
