// The access token of a session that goes on:
//
//   none ── tokenLasts ──▶ due ── timer ──▶ asked ── tokenLasts, of the new one ──▶ due
//     ▲                     ▲                 │
//     └─ too late, no way ──┴─ renewalFailed ─┘
//
// Every request carries the newest token. The server lets a session live as long as the longest-lived token it was
// shown, so a new one is shown at once: by a credit, of zero bytes if necessary. Without a new one in time the server
// ends the session, which then renews.

extension Conversation {
    /// When a connected session asks for the next token.
    package enum Renewal: Hashable, Sendable {
        case none
        case due(Moment)
        case asked
    }

    /// How long before its end a token is replaced: a minute, or a quarter of the time that is left if that is less.
    static let renewalLeadMilliseconds: UInt64 = 60_000
    /// With less left there is no time to ask before the server ends the session.
    static let renewalLeastMilliseconds: UInt64 = 1_000

    /// Notes when the token of calls from now on expires; nil if unknown.
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

    /// Handles a failed renewal while the session still lives.
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
