package import CausewayStore
import CausewayWire
import Synchronization

/// What the caller of a session may do, by what their token proves and by the current rules.
package struct Access: Sendable {
    /// When the token expires. Of two tokens of a user the newer is the one that expires later.
    package let expires: UInt64
    /// Tells tokens with different claims apart, within this process.
    package let claims: Int
    /// Asked again whenever the rules may have changed. Nil permits everything.
    package let permissions: @Sendable () -> Permissions?

    package init(expires: UInt64, claims: Int, permissions: @escaping @Sendable () -> Permissions?) {
        self.expires = expires
        self.claims = claims
        self.permissions = permissions
    }
}

extension Sessions {
    /// Adopts what the token of a request proves for its session, unless a newer token was seen already. A session that
    /// is unknown or not the caller's is ignored.
    package func adopt(_ access: Access, session: UInt64, user: String) {
        guard let open = try? find(session, user) else { return }
        let isNewer = open.access.withLock { known in
            if let known, known.claims == access.claims || known.expires > access.expires { return false }
            known = access
            return true
        }
        if isNewer { govern(open) }
    }

    /// Applies changed rules to every session.
    package func reconsider() {
        for open in table.withLock({ $0.all }) { govern(open) }
    }

    private func govern(_ open: OpenSession) {
        let permissions = open.access.withLock { $0 }?.permissions()
        open.conversation.withLock { $0.governed(by: permissions) }
        open.wake()
    }
}
