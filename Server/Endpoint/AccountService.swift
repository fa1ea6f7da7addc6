/// What answers the account calls of one database: JSON in, JSON out. An endpoint knows nothing of what they mean.
package protocol AccountService: Sendable {
    /// Looks at a call before its body: how many bytes that may have. Asked on the thread of the connection: to be quick
    /// and not to block.
    ///
    /// - Parameter token: what stands behind `Bearer`, if anything.
    func admit(_ call: String, token: String?) -> AccountAdmission
    /// - Parameters:
    ///   - call: the last part of the path.
    ///   - token: what stands behind `Bearer`, if anything.
    ///   - peer: the address of the machine that calls.
    func answer(_ call: String, body: [UInt8], token: String?, peer: String) async -> AccountServiceAnswer
}

package enum AccountAdmission: Hashable, Sendable {
    case body(bytesMax: Int)
    /// No body would help.
    case refused(AccountServiceAnswer)
}

package struct AccountServiceAnswer: Hashable, Sendable {
    package var status: Int
    /// JSON.
    package var body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}
