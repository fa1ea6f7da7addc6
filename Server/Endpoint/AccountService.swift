/// Answers the account calls of one database: JSON in, JSON out. An endpoint knows nothing of what they mean.
package protocol AccountService: Sendable {
    /// Says, before the body of a call is read, how many bytes it may have. Called on the thread of the connection:
    /// must be quick and must not block.
    ///
    /// - Parameter token: what follows `Bearer`, if anything.
    func admit(_ call: String, token: String?) -> AccountAdmission
    /// Answers a call.
    ///
    /// - Parameters:
    ///   - call: the last part of the path.
    ///   - token: what follows `Bearer`, if anything.
    ///   - peer: the address of the machine that calls.
    func answer(_ call: String, body: [UInt8], token: String?, peer: String) async -> AccountServiceAnswer
}

package enum AccountAdmission: Hashable, Sendable {
    case body(bytesMax: Int)
    /// Refused, whatever the body is.
    case refused(AccountServiceAnswer)
}

package struct AccountServiceAnswer: Hashable, Sendable {
    package var status: Int
    /// JSON.
    package var body: [UInt8]
    /// The name of the error; nil where nothing failed.
    package var code: String?
    /// The user that calls, or has logged in.
    package var user: String?
    /// For the header `retry-after`, where the call is good at another time.
    package var retryAfterSeconds: UInt64?

    package init(
        status: Int, body: [UInt8], code: String? = nil, user: String? = nil, retryAfterSeconds: UInt64? = nil
    ) {
        self.retryAfterSeconds = retryAfterSeconds
        self.status = status
        self.body = body
        self.code = code
        self.user = user
    }
}
