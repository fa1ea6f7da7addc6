package import CausewayModel

/// Who calls, and until when their token is good: passed along with every request.
package struct KnownCaller: Sendable {
    /// The user that clients belong to and permissions are about.
    package var user: ExactString
    /// Milliseconds since 1970.
    package var expires: UInt64
    /// What they may do; nil is everything.
    package var access: Access?
    /// The machine that calls, as limits count it; empty where nobody knows.
    package var address = ""
    /// The opening of the database that knows them; nil where there is only one.
    package var opening: DatabaseOpening?

    package init(user: String, expires: UInt64 = .max, access: Access? = nil, opening: DatabaseOpening? = nil) {
        self.user = ExactString(user)
        self.expires = expires
        self.access = access
        self.opening = opening
    }
}

extension Sessions {
    /// Notes what the token of a session's request proves, so that a refreshed token takes effect without a new
    /// connection.
    ///
    /// - Returns: the caller's name.
    func heard(_ caller: KnownCaller, in session: UInt64) -> String {
        let user = caller.user.string
        if let access = caller.access { adopt(access, session: session, user: user) }
        return user
    }
}
