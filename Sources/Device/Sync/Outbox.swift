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

    package enum State: Hashable, Sendable {
        /// No session.
        case closed
        case idle
        case inFlight(after: UInt64, since: Moment)
        /// The server refused the entry after `committed`; trying again changes nothing until somebody acts.
        case blocked(SyncFailure)
    }

    /// Entries up to this one leave one by one: one of them had its whole batch refused.
    private var singlyThrough: UInt64 = 0
    /// The file is moving what was refused of an entry to its quarantine. It outlives a session.
    private var isSettingAside = false

    package init(logged: UInt64, dropped: UInt64) {
        self.logged = max(logged, dropped)
        self.dropped = dropped
        committed = dropped
    }

    package var isEmpty: Bool { committed >= logged }

    package var failure: SyncFailure? {
        if case .blocked(let failure) = state { failure } else { nil }
    }

    package mutating func grew(to last: UInt64) {
        logged = max(logged, last)
    }

    /// What the file says of its log.
    package mutating func begins(after last: UInt64) {
        dropped = last
        logged = max(logged, last)
    }

    package mutating func opened(committed confirmed: UInt64) {
        committed = confirmed
        state = .idle
    }

    package mutating func closed() {
        state = .closed
    }

    /// Where the next batch starts, when one should leave now, and whether its first entry leaves alone.
    package mutating func depart(at now: Moment) -> (after: UInt64, alone: Bool)? {
        guard state == .idle, !isEmpty, !isSettingAside else { return nil }
        state = .inFlight(after: committed, since: now)
        return (committed, isSingly)
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

    /// The entry after `committed` is refused, in whole or in part, and the file shall set that aside. Returns its number.
    package mutating func settingAside() -> UInt64 {
        state = .idle
        singlyThrough = 0
        isSettingAside = true
        return committed + 1
    }

    /// The file has done so, or could not.
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
        guard case .inFlight(let after, _) = state else { return true }
        committed = max(committed, confirmed)
        state = failure.map { .blocked($0) } ?? .idle
        return failure != nil || confirmed > after
    }

    /// A part of a batch was taken before the rest was refused.
    package mutating func acknowledged(_ through: UInt64) {
        committed = max(committed, through)
    }

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

    /// Whether the log can go on from where the server says it is.
    package func reaches(_ confirmed: UInt64) -> Bool {
        confirmed >= dropped && confirmed <= logged
    }

    package mutating func unblock() {
        if case .blocked = state { state = .idle }
    }

    /// When a batch in flight counts as lost.
    package func deadline(_ answerMilliseconds: UInt64) -> Moment? {
        if case .inFlight(_, let since) = state { since + answerMilliseconds } else { nil }
    }
}
