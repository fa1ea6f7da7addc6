package import CausewayModel
import CausewaySubscriptions
package import CausewayWire
import Synchronization

// What administrators see of the sessions, and how they end them.

/// One session, for administrators. It has no id: that is known to the two ends of the session only, and a client has one
/// session.
package struct SessionSummary: Hashable, Sendable {
    package var party: SessionParty
    /// In milliseconds since 1970.
    package var openedAt: UInt64
    package var protocolVersion: UInt32
    /// Of the classes that the device has declared.
    package var schemaFingerprint: UInt64
    package var state: SessionCensus.State
    /// Where the device stands when it has taken in all that it was told.
    package var version: ServerVersion
    package var queries: Int
}

extension Sessions {
    /// Who has a session.
    package func parties() -> [SessionParty] { table.withLock { $0.all }.map(\.party) }

    /// Nil when the client's session is over.
    package func summary(of party: SessionParty) -> SessionSummary? {
        guard let open = table.withLock({ $0[party.session] }) else { return nil }
        let isDownloading = open.isDownloading
        return open.conversation.withLock { conversation in
            SessionSummary(
                party: SessionParty(client: open.client, user: open.user, address: open.address),
                openedAt: open.openedAt, protocolVersion: conversation.protocolVersion,
                schemaFingerprint: conversation.schemaFingerprint,
                state: isDownloading ? conversation.state : .opened, version: conversation.position,
                queries: conversation.wanted.queries.count)
        }
    }

    /// What the device of a session subscribes to; nil when the session is over.
    package func queries(of party: SessionParty) -> [StandingQuery]? {
        table.withLock { $0[party.session] }?.conversation.withLock(\.wanted.queries)
    }

    /// Ends the sessions of some callers. Their devices are told why.
    ///
    /// - Returns: how many there were.
    package func end(_ failure: SyncFailure, where isMeant: (SessionParty) -> Bool) -> Int {
        let meant = table.withLock { $0.all }.filter { isMeant($0.party) }
        for open in meant { end(open, failure) }
        return meant.count
    }

    /// Ends one session. Its device is told why if it has a download.
    func end(_ open: OpenSession, _ failure: SyncFailure) {
        // First: a download that begins now finds it, and ends by itself.
        open.conversation.withLock { $0.ends(failure) }
        if open.isDownloading {
            open.end()
        } else if table.withLock({ $0.close(open.id) }) != nil {
            // No download sees to it.
            noteEnd(of: open, .failed(failure.code))
            audiences.withLock { $0.leave(open.id) }
        }
    }
}

extension Conversations {
    package func parties() -> [SessionParty] { sessions.parties() }

    package func summary(of party: SessionParty) -> SessionSummary? { sessions.summary(of: party) }

    package func queries(of party: SessionParty) -> [StandingQuery]? { sessions.queries(of: party) }

    /// Ends the sessions of some callers. Their devices are told why.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func end(_ failure: SyncFailure, where isMeant: (SessionParty) -> Bool) -> Int {
        sessions.end(failure, where: isMeant)
    }
}
