package import CausewayStore

/// Who reads the feed: by their token, as a device.
package struct FeedCaller: Sendable {
    package var user: String
    /// When the token expires, in milliseconds since 1970.
    package var expires: UInt64
    /// What they may read now; asked again, because rules may change. Nil is everything.
    package var permissions: @Sendable () -> Permissions?
    /// Why they may not read any more; nil while they may. Asked again and again.
    package var refusal: @Sendable () -> FeedFailure?

    package init(
        user: String, expires: UInt64 = .max, permissions: @escaping @Sendable () -> Permissions? = { nil },
        refusal: @escaping @Sendable () -> FeedFailure? = { nil }
    ) {
        self.user = user
        self.expires = expires
        self.permissions = permissions
        self.refusal = refusal
    }
}

/// Knows callers by their tokens. Must be quick.
package protocol FeedCallers: Sendable {
    func caller(for token: String, database: String) throws(FeedFailure) -> FeedCaller
}
