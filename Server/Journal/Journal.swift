/// The one ordered record of everything that changes a database. Every node appends to it, and every node applies all of
/// it in its order.
///
/// 1. Positions have no gaps, and begin with 1. What was read at a position is never something else later, except after
///    the journal has lost entries.
/// 2. An append is durable when it returns, whole or not at all.
/// 3. **A journal that may have lost entries goes on under another incarnation**, and refuses appends under the one before.
///    Runs of versions are named by it (`Lineage`), so a lost version and the one that takes its number differ.
///
/// All calls block, so callers bring a thread of their own. `JOURNAL.md` says what fails how.
package protocol Journal: Sendable {
    func head() throws(JournalFailure) -> JournalHead

    /// Appends entries behind everything that is there.
    ///
    /// - Parameters:
    ///   - entries: encoded entries, which name `incarnation` as theirs.
    ///   - incarnation: the one that the caller knows; another one refuses them.
    /// - Returns: the position of the last one.
    /// - Throws: `uncertain` when the answer was lost: the entries are in the journal, or they are not, or they will be.
    func append(_ entries: [[UInt8]], in incarnation: UInt64) throws(JournalFailure) -> UInt64

    /// The next entries in their order.
    ///
    /// - Parameter limit: the most that are wanted, at least one.
    /// - Throws: `forgotten` when the entry after `position` is behind a snapshot, and is not kept any more.
    func read(after position: UInt64, limit: Int) throws(JournalFailure) -> [StoredEntry]

    /// Compares a node's digest with what is known of a position, and keeps it if it is the first.
    ///
    /// - Returns: the digest that is kept.
    func note(_ digest: JournalHash, at position: UInt64) throws(JournalFailure) -> JournalHash
}

/// Where a journal ends.
package struct JournalHead: Hashable, Sendable {
    /// The epoch of the database; drawn with the journal.
    package var database: UInt64
    package var incarnation: UInt64
    /// Zero for a journal without entries.
    package var position: UInt64
    package var chain: JournalHash

    package init(database: UInt64, incarnation: UInt64, position: UInt64, chain: JournalHash) {
        self.database = database
        self.incarnation = incarnation
        self.position = position
        self.chain = chain
    }
}

/// An entry as the journal keeps it.
package struct StoredEntry: Hashable, Sendable {
    package var position: UInt64
    package var chain: JournalHash
    package var bytes: [UInt8]

    package init(position: UInt64, chain: JournalHash, bytes: [UInt8]) {
        self.position = position
        self.chain = chain
        self.bytes = bytes
    }
}

package struct JournalFailure: Error, Hashable, Sendable {
    /// One for each thing a caller does differently.
    package enum Code: Hashable, Sendable {
        /// It cannot be reached. Nothing was appended.
        case away
        /// The answer was lost.
        case uncertain
        /// It goes on under another incarnation: look at its head, and append under that.
        case otherIncarnation
        /// The entry is not kept any more. A replica begins from a snapshot.
        case forgotten
    }

    package var code: Code
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
