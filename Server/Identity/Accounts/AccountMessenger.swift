/// Something a person must be told outside of the app.
package struct AccountMessage: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable {
        /// Confirm the address with the token.
        case confirm
        /// Set a new password with the token.
        case reset
        /// Somebody tried to register the address, which has an account already.
        case alreadyRegistered
    }

    package var kind: Kind
    package var database: String
    package var email: String
    package var token: String?
    package var tokenId: String?
}

/// A question that the operator's program decides.
package struct AccountQuestion: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable {
        case decideConfirmation
        case decideReset
    }

    package var kind: Kind
    package var database: String
    package var email: String
    /// What the app passed along with a reset.
    package var arguments: [ClaimValue]?
}

package enum AccountDecision: Hashable, Sendable {
    case yes
    /// Not now; the app may ask again.
    case later
    case no
}

/// How the server reaches people: it sends no mail by itself.
package protocol AccountMessenger: Sendable {
    /// Passes a message on. Returns at once, so that the time it takes does not reveal whether there was one.
    func send(_ message: AccountMessage)
    func decide(_ question: AccountQuestion) async -> AccountDecision
    /// Tells the operator what went wrong.
    func report(_ trouble: String)
    /// Called when the server ends. Returns when the messages passed on are sent, or were waited for long enough.
    func finish() async
}

extension AccountMessenger {
    /// For messengers that send at once.
    package func finish() async {}
}
