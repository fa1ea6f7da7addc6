package import CausewayWire

/// One lane of what this device did and the server has not confirmed: numbered without gaps, sent in order,
/// one batch in flight at a time.
///
/// The lane holds no data, only numbers: the log in the file is the data. Exactly once follows from two rules.
/// A batch always starts right after what the server confirmed, and after any doubt the server is asked again what
/// that is, in the answer to hello.
package struct Outbox: Hashable, Sendable {
    /// The last entry in the log of the file.
    package private(set) var logged: UInt64
    /// The last entry the server confirmed.
    package private(set) var committed: UInt64
    /// The last entry that is not in the log any more. Only a server that was restored can want one of these again.
    package private(set) var dropped: UInt64
    package private(set) var state = State.closed
    /// The most bytes of the next batch: half of a batch that was lost, and doubled for each full batch that is
    /// answered in good time. So it finds the size that a slow or broken network carries. It outlives a session.
    package private(set) var batchBytes: Int
    private let batchBytesMaximum: Int
    private let batchBytesMinimum: Int

    package enum State: Hashable, Sendable {
        /// No session.
        case closed
        case idle
        /// `bytes` is zero until the size is known.
        case inFlight(after: UInt64, since: Moment, bytes: Int)
        /// The server refused the entry after `committed`; trying again changes nothing until somebody acts.
        case blocked(SyncFailure)
        /// The server takes no more before a hello says that the file has what was refused so far.
        case held
        /// A server at its limits takes more from then on.
        case resting(until: Moment)
    }

    /// The last entry whose outcome is in the file, as the hello of this session said.
    private var greeted: UInt64
    /// Entries up to this one leave one by one: one of them had its whole batch refused.
    private var singlyThrough: UInt64 = 0
    /// The file is moving what was refused of an entry to its quarantine. It outlives a session.
    private var isSettingAside = false
    /// The lane has rested since it was last empty.
    private var hasRested = false

    /// - Parameters:
    ///   - batchBytes: what one batch may carry when none is lost.
    ///   - batchBytesMinimum: what it may carry however many are lost.
    package init(logged: UInt64, dropped: UInt64, batchBytes: Int, batchBytesMinimum: Int) {
        self.logged = max(logged, dropped)
        self.dropped = dropped
        committed = dropped
        self.batchBytes = batchBytes
        batchBytesMaximum = batchBytes
        self.batchBytesMinimum = batchBytesMinimum
        greeted = dropped
    }

    package var isEmpty: Bool { committed >= logged }

    package var failure: SyncFailure? {
        if case .blocked(let failure) = state { failure } else { nil }
    }

    package mutating func grew(to last: UInt64) {
        logged = max(logged, last)
    }

    /// Takes over what the file says of its log.
    package mutating func begins(after last: UInt64) {
        dropped = last
        logged = max(logged, last)
    }

    package mutating func opened(committed confirmed: UInt64) {
        committed = confirmed
        greeted = dropped
        state = .idle
    }

    package mutating func closed() {
        state = .closed
    }

    /// Where the next batch starts, when one should leave now, and whether its first entry leaves alone.
    package mutating func depart(at now: Moment) -> (after: UInt64, alone: Bool)? {
        if case .resting(let until) = state, now >= until { state = .idle }
        if isEmpty { hasRested = false }
        guard state == .idle, !isEmpty, !isSettingAside else { return nil }
        state = .inFlight(after: committed, since: now, bytes: 0)
        return (committed, isSingly)
    }

    /// The batch in flight has been read from the log; this is its size.
    package mutating func measured(bytes: Int) {
        guard case .inFlight(let after, let since, _) = state else { return }
        state = .inFlight(after: after, since: since, bytes: bytes)
    }

    private var isSingly: Bool { committed < singlyThrough }

    /// The batch in flight was refused as a whole. Returns the entry to blame; nil if it may be any of several, which
    /// leave one by one from now on.
    package mutating func refusedWhole() -> UInt64? {
        state = .idle
        if isSingly { return settingAside() }
        singlyThrough = logged
        return nil
    }

    /// The entry after `committed` is refused, in whole or in part, and the file is to set that aside. Returns its
    /// number.
    package mutating func settingAside() -> UInt64 {
        state = .idle
        singlyThrough = 0
        isSettingAside = true
        return committed + 1
    }

    /// The file has set the refused entry aside, or could not.
    package mutating func setAside() {
        isSettingAside = false
    }

    /// The log had nothing after `committed`: an entry was counted that is not there any more.
    package mutating func foundNothing() {
        guard case .inFlight = state else { return }
        logged = committed
        state = .idle
    }

    /// Returns false when the answer says neither that something was taken nor why not.
    package mutating func answered(committed confirmed: UInt64, failure: SyncFailure?) -> Bool {
        guard case .inFlight(let after, _, _) = state else { return true }
        committed = max(committed, confirmed)
        state = failure.map { .blocked($0) } ?? .idle
        return failure != nil || confirmed > after
    }

    /// A part of a batch was taken before the rest was refused.
    package mutating func acknowledged(_ through: UInt64) {
        committed = max(committed, through)
    }

    /// Holds the lane: the server keeps no more refusals, and the file must have those of this lane before more leaves.
    /// False if the file has them and the hello had said so: then another hello would bring nothing.
    package mutating func hold() -> Bool {
        guard dropped < committed || dropped > greeted else { return false }
        state = .held
        return true
    }

    /// The server is at its limits. What is in flight was not taken, and leaves again when the rest is over.
    ///
    /// - Returns: whether it is the first rest since the lane was empty.
    package mutating func rest(until: Moment) -> Bool {
        state = .resting(until: until)
        defer { hasRested = true }
        return !hasRested
    }

    package var restEnd: Moment? {
        if case .resting(let until) = state { until } else { nil }
    }

    /// Whether a held lane can go on after a new hello: the file has the outcome of all that the server has.
    package var hasWhatHeldIt: Bool { state == .held && dropped >= committed }

    /// Entries left the log: the server has them and the file no longer needs them.
    package mutating func dropped(through: UInt64) {
        dropped = max(dropped, through)
        committed = max(committed, through)
        logged = max(logged, through)
    }

    /// The server has lost entries that it had confirmed, and the file has put them back into the log.
    package mutating func refilled(after confirmed: UInt64) {
        dropped = confirmed
        committed = confirmed
    }

    /// The file goes on as another client, of which the server has nothing.
    package mutating func beganAgain(logged last: UInt64) {
        logged = last
        dropped = 0
        committed = 0
        greeted = 0
        singlyThrough = 0
    }

    /// Whether the log can go on from where the server says it is.
    package func reaches(_ confirmed: UInt64) -> Bool {
        confirmed >= dropped && confirmed <= logged
    }

    package mutating func unblock() {
        switch state {
        case .blocked, .resting: state = .idle
        case .closed, .idle, .inFlight, .held: break
        }
    }

    /// The bytes of the batch in flight.
    package var bytesInFlight: Int {
        if case .inFlight(_, _, let bytes) = state { bytes } else { 0 }
    }

    /// When a batch in flight counts as lost.
    ///
    /// - Parameter others: bytes of the other lane that are in flight at the same time.
    package func deadline(_ answerMilliseconds: UInt64, beside others: Int = 0) -> Moment? {
        guard case .inFlight(_, let since, let bytes) = state else { return nil }
        return since + RequestTime.milliseconds(bytes: bytes + others, answerMilliseconds: answerMilliseconds)
    }
}

// MARK: - How much at once

extension Outbox {
    /// Time or the connection ended before the batch in flight was answered.
    package mutating func lost() {
        guard case .inFlight(_, _, let bytes) = state else { return }
        // An entry sent alone may be larger than a batch. A batch that is small already was not lost for its size.
        let sent = min(bytes, batchBytes)
        if sent > batchBytesMinimum { batchBytes = max(sent / 2, batchBytesMinimum) }
    }

    /// The batch in flight reached the server, whatever the answer says of its content.
    package mutating func cameAcross(at now: Moment, answerMilliseconds: UInt64) {
        guard case .inFlight(_, let since, let bytes) = state else { return }
        // A batch that left room does not show how much can get across.
        guard batchBytes < batchBytesMaximum, bytes > batchBytes / 2 else { return }
        // The next batch must not be as good as lost: alternating growth and loss would waste half of what is sent.
        let (twice, overflow) = bytes.multipliedReportingOverflow(by: 2)
        let allowed = RequestTime.milliseconds(bytes: overflow ? .max : twice, answerMilliseconds: answerMilliseconds)
        let taken = now.milliseconds - min(now.milliseconds, since.milliseconds)
        guard taken <= allowed / 2 else { return }
        batchBytes = batchBytes > batchBytesMaximum / 2 ? batchBytesMaximum : batchBytes * 2
    }
}
