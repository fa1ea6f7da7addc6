// The access token of a session that goes on:
//
//   none ── tokenLasts ──▶ due ── timer ──▶ asked ── tokenLasts, of the new one ──▶ due
//     ▲                     ▲                 │
//     └─ too late, no way ──┴─ renewalFailed ─┘
//
// Every request carries the newest token. The server lets a session live as long as the longest-lived token it was
// shown, so that a new one is shown at once: by a credit, of nothing if need be. Without a new one in time the server
// ends the session, which then renews.

extension Conversation {
    /// When a connected session asks for the next token.
    package enum Renewal: Hashable, Sendable {
        case none
        case due(Moment)
        case asked
    }

    /// How long before its end a token is replaced, at most; of one that lives for a short time a quarter.
    static let renewalLeadMilliseconds: UInt64 = 60_000
    /// With less left there is no time to ask before the server ends the session.
    static let renewalLeastMilliseconds: UInt64 = 1_000

    /// What the calls carry from now on lasts until then; nil when nobody knows.
    mutating func tokenLasts(until expires: UInt64?, at now: Moment) {
        guard tokenExpires != expires else { return }
        tokenExpires = expires
        guard case .connected(var session) = phase else { return }
        tokenUnshown = true
        session.renewal = renewal(of: session, at: now)
        phase = .connected(session)
    }

    /// - Parameter pause: how long to wait, given how long the token lasts.
    func renewal(
        of session: Session, at now: Moment,
        pause: (UInt64) -> UInt64 = { $0 - min(Conversation.renewalLeadMilliseconds, $0 / 4) }
    ) -> Renewal {
        guard let tokenExpires else { return .none }
        let serverTime = session.serverTime &+ (now.milliseconds &- session.since.milliseconds)
        guard tokenExpires > serverTime, tokenExpires - serverTime >= Self.renewalLeastMilliseconds else {
            return .none
        }
        return .due(now + pause(tokenExpires - serverTime))
    }

    mutating func renewIfDue(at now: Moment, into actions: inout [Action]) {
        guard case .connected(var session) = phase, case .due(let moment) = session.renewal, now >= moment else {
            return
        }
        session.renewal = .asked
        phase = .connected(session)
        actions.append(.renewToken)
    }

    /// The session still lives, and may for a while.
    mutating func earlyRenewalFailed(_ failure: TransportFailure?, at now: Moment, into actions: inout [Action]) {
        guard case .connected(var session) = phase, session.renewal == .asked else { return }
        guard let failure else {
            session.renewal = .none
            phase = .connected(session)
            return
        }
        switch failure {
        case .unreachable, .timeout, .unintelligible, .cancelled:
            session.renewal = renewal(of: session, at: now) { max($0 / 4, Self.renewalLeastMilliseconds / 2) }
            phase = .connected(session)
        case .refused, .untrusted, .unusable:
            stop(failure, into: &actions)
        }
    }
}
