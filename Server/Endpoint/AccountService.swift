/// What answers the account calls of one database: JSON in, JSON out. An endpoint knows nothing of what they mean.
package protocol AccountService: Sendable {
    /// - Parameters:
    ///   - call: the last part of the path.
    ///   - token: what stands behind `Bearer`, if anything.
    ///   - peer: the address of the machine that calls.
    func answer(_ call: String, body: [UInt8], token: String?, peer: String) async -> AccountServiceAnswer
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
