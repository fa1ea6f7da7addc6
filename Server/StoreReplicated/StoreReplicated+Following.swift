import CausewayJournal
import CausewayOperations
import CausewayStore

/// Where a replica stands between the journal and those who wait for it.
struct Following {
    var mark: JournalMark
    /// Under which the node appends; nil until it has seen the head.
    var incarnation: UInt64?
    var end: ReplicaEnd?
    /// Whether no session is open in this turn.
    var isAlone = false
    /// Whether an entry that needs this waited when the journal was followed last.
    var isHeldUp = false

    init(mark: JournalMark) { self.mark = mark }

    func refuseIfEnded() throws(StoreFailure) {
        if let end { throw StoreFailure(.closed, end.message) }
    }

    mutating func ends(_ remedy: ReplicaEnd.Remedy, _ message: String) -> StoreFailure {
        end = ReplicaEnd(remedy, message)
        return StoreFailure(.closed, message)
    }
}

extension StoreReplicated {
    /// After how long a device comes again when the journal did not answer.
    private static let waitMilliseconds: UInt64 = 1_000
    private static let appendsMax = 3
    private static let readAtOnce = 64

    // MARK: - Appending

    /// An entry in the journal, as its node appended it.
    private struct Appended {
        var position: UInt64
        var bytes: [UInt8]
        /// Made of the bytes, as other nodes do.
        var entry: JournalEntry
    }

    /// Appends an entry, applies the journal up to it, and returns what came of it.
    ///
    /// - Parameter isRepeatable: whether it may be in the journal twice.
    func journaled(
        _ body: JournalEntry.Body, isRepeatable: Bool = true, _ state: inout Following
    ) throws(StoreFailure) -> EntryOutcome {
        // What would wait behind such an entry does not come into the journal first.
        if state.isHeldUp { try follow(&state) }
        let appended = try append(body, isRepeatable: isRepeatable, &state)
        let outcome: EntryOutcome
        do throws(StoreFailure) {
            outcome = try applied(appended, &state)
        } catch {
            // It is in the journal, and is applied later.
            throw isRepeatable ? error : Self.outcomeUnknown
        }
        if case .refused(let failure) = outcome { throw failure }
        return outcome
    }

    /// Applies what lies before an entry, and the entry.
    private func applied(_ appended: Appended, _ state: inout Following) throws(StoreFailure) -> EntryOutcome {
        try read(&state, upTo: appended.position - 1)
        guard state.mark.position == appended.position - 1 else {
            throw state.ends(.beginAgain, "Entry \(appended.position) was in the journal, and is not any more.")
        }
        // Nobody changes what is in the journal, so it need not be read. Had it lost what lies before, it would have refused.
        let stored = StoredEntry(
            position: appended.position,
            chain: state.mark.chain.followed(by: appended.bytes, at: appended.position), bytes: appended.bytes)
        return try apply(appended.entry, stored, &state)
    }

    private func append(
        _ body: JournalEntry.Body, isRepeatable: Bool, _ state: inout Following
    ) throws(StoreFailure) -> Appended {
        for _ in 0..<Self.appendsMax {
            let incarnation: UInt64
            if let known = state.incarnation {
                incarnation = known
            } else {
                incarnation = try head(&state).incarnation
            }
            let (bytes, entry) = try Self.encoded(body, incarnation, state.mark.generation)
            do throws(JournalFailure) {
                return Appended(
                    position: try journal.append([bytes], in: incarnation), bytes: bytes, entry: entry)
            } catch {
                note(error)
                switch error.code {
                case .otherIncarnation: state.incarnation = nil
                case .uncertain where isRepeatable: break
                case .uncertain: throw Self.outcomeUnknown
                case .away, .forgotten: throw Self.unreachable
                }
            }
        }
        throw Self.unreachable
    }

    /// What is appended can be read: an entry that cannot would stop all nodes.
    private static func encoded(
        _ body: JournalEntry.Body, _ incarnation: UInt64, _ generation: UInt64
    ) throws(StoreFailure) -> ([UInt8], JournalEntry) {
        var entry = JournalEntry(oldestGeneration: generation, incarnation: incarnation, body: body)
        // Older software stops at the switch itself.
        if case .generation(let wanted) = body { entry.oldestGeneration = max(generation, wanted) }
        let bytes = entry.encoded
        do throws(EncodingError) {
            return (bytes, try JournalEntry(encoded: bytes))
        } catch {
            throw StoreFailure(
                .operationInvalid, "It is too large for an entry of the journal. Send less at once. (\(error))")
        }
    }

    /// What devices and back ends are told. Where PostgreSQL is, and what it says, is the operator's: the log has it.
    private static let unreachable = StoreFailure(
        .busy, "The journal of the database does not answer. Nothing that is unsent is lost. Try again.",
        retryAfterMilliseconds: waitMilliseconds)

    private static let outcomeUnknown = StoreFailure(
        .outcomeUnknown,
        "The journal of the database did not answer in time: the write may have been made. Read before you write again, or send an "
            + "Idempotency-Key, with which it is made once.", retryAfterMilliseconds: waitMilliseconds)

    // MARK: - Applying

    /// Applies what is in the journal, at most so many entries.
    func follow(_ state: inout Following, atMost countMax: Int = .max) throws(StoreFailure) {
        state.isHeldUp = false
        let end = try head(&state).position
        try read(&state, upTo: min(end, state.mark.position + UInt64(countMax)))
    }

    /// Applies what is in the journal up to a position, or as far as it goes.
    private func read(_ state: inout Following, upTo end: UInt64) throws(StoreFailure) {
        while state.mark.position < end {
            let left = Int(clamping: end - state.mark.position)
            let entries = try next(&state, limit: min(left, Self.readAtOnce))
            // The journal has lost entries since.
            guard !entries.isEmpty else { return }
            for entry in entries { try apply(entry, &state) }
        }
    }

    /// The journal's head. Ends a replica that has what the journal has not.
    private func head(_ state: inout Following) throws(StoreFailure) -> JournalHead {
        let head: JournalHead
        do throws(JournalFailure) {
            head = try journal.head()
        } catch {
            note(error)
            throw Self.unreachable
        }
        guard head.database == replica.epoch else {
            throw state.ends(.operatorNeeded, "The journal is another database's. Correct the configuration.")
        }
        guard head.position >= state.mark.position,
            head.position > state.mark.position || head.chain == state.mark.chain
        else { throw journalLost(&state) }
        state.incarnation = head.incarnation
        return head
    }

    private func journalLost(_ state: inout Following) -> StoreFailure {
        state.ends(
            .beginAgain,
            "The journal has lost entries that this node has applied, up to \(state.mark.position): it was restored from an "
                + "older copy, or failed over. The node makes its replica anew, and devices fill the gap from what they "
                + "keep.")
    }

    private func next(_ state: inout Following, limit: Int) throws(StoreFailure) -> [StoredEntry] {
        do throws(JournalFailure) {
            return try journal.read(after: state.mark.position, limit: limit)
        } catch {
            guard error.code == .forgotten else {
                note(error)
                throw Self.unreachable
            }
            throw state.ends(.beginAgain, "The replica is older than the journal: \(error.message)")
        }
    }

    private func apply(_ stored: StoredEntry, _ state: inout Following) throws(StoreFailure) {
        guard stored.position == state.mark.position + 1,
            stored.chain == state.mark.chain.followed(by: stored.bytes, at: stored.position)
        else { throw journalLost(&state) }
        _ = try apply(try decoded(stored, &state), stored, &state)
    }

    /// What other nodes have appended may need that nobody is here.
    private static let heldUp = StoreFailure(
        .busy, "An operator changes the schema on all nodes. Nothing that is unsent is lost. Try again.",
        retryAfterMilliseconds: waitMilliseconds)

    private func apply(
        _ entry: JournalEntry, _ stored: StoredEntry, _ state: inout Following
    ) throws(StoreFailure) -> EntryOutcome {
        if case .act(let act) = entry.body, act.needsNobody, !state.isAlone {
            state.isHeldUp = true
            throw Self.heldUp
        }
        let mark = state.mark.followed(by: entry, stored)
        let outcome = try replica.apply(entry, to: mark)
        state.mark = mark
        isApplied(through: mark.position)
        if case .act(let act) = entry.body { note(act) }
        try compareDigest(&state)
        return outcome
    }

    private func decoded(_ stored: StoredEntry, _ state: inout Following) throws(StoreFailure) -> JournalEntry {
        let unreadable: EncodingError
        do throws(EncodingError) {
            let oldest = try JournalEntry.oldestGeneration(of: stored.bytes)
            if oldest <= options.generation { return try JournalEntry(encoded: stored.bytes) }
            throw EncodingError(
                .unsupportedVersion,
                "It needs software of generation \(oldest), and this program is of \(options.generation).", offset: 0)
        } catch {
            unreadable = error
        }
        throw state.ends(
            .operatorNeeded,
            "Entry \(stored.position) of the journal cannot be applied: \(unreadable.message) Update this program; if that does "
                + "not help, report it.")
    }

    /// Stops when another node found another state at this position. Not every position is compared.
    ///
    /// - Parameter isFirst: whether the replica begins here. One that was stopped stands where it differed, so it does not begin
    ///   while the journal does not answer. Later there is nothing to compare with then, and the next position is compared.
    func compareDigest(isFirst: Bool = false, _ state: inout Following) throws(StoreFailure) {
        let position = state.mark.position
        guard position > 0, position.isMultiple(of: options.digestEvery) else { return }
        let digest = try replica.digest()
        let known: JournalHash
        do throws(JournalFailure) {
            known = try journal.note(digest, at: position)
        } catch {
            note(error)
            if isFirst { throw Self.unreachable }
            return
        }
        guard known != digest else { return }
        throw state.ends(
            .stateDiffers,
            "The state of this node at entry \(position) is not that of the others (\(digest), \(known)). It stops serving the "
                + "database.")
    }
}
