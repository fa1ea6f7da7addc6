package import CausewaySession
package import CausewayStore

/// Who reads the feed: by their token, as a device.
package struct FeedCaller: Sendable {
    package var user: String
    /// The opening of the database that knows them; nil where there is only one.
    package var opening: DatabaseOpening?
    /// When the token expires, in milliseconds since 1970.
    package var expires: UInt64
    /// What they may read now; asked again, because rules may change. Nil is everything.
    package var permissions: @Sendable () -> Permissions?
    /// Why they may not read any more; nil while they may. Asked again and again.
    package var refusal: @Sendable () -> FeedFailure?

    package init(
        user: String, expires: UInt64 = .max, opening: DatabaseOpening? = nil,
        permissions: @escaping @Sendable () -> Permissions? = { nil },
        refusal: @escaping @Sendable () -> FeedFailure? = { nil }
    ) {
        self.user = user
        self.opening = opening
        self.expires = expires
        self.permissions = permissions
        self.refusal = refusal
    }
}

/// Knows callers by their tokens. Must be quick.
package protocol FeedCallers: Sendable {
    func caller(for token: String, database: String) throws(FeedFailure) -> FeedCaller
}
