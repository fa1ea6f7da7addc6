/// What the operator allows of accounts.
package struct AccountRules: Hashable, Sendable {
    /// Whether anybody may become a user without saying who they are.
    package var anonymous = false
    /// Whether addresses and passwords may be registered and used.
    package var emailPassword = false
    package var confirmation = Confirmation.automatic
    package var passwordReset = PasswordReset.off
    package var passwordLengthMin = 8
    /// Whether users may make keys for themselves.
    package var userAPIKeys = false
    /// How long an access token is good. Until then it works, even if its login has ended.
    package var accessTokenMilliseconds: UInt64 = 30 * 60_000
    /// How long a login lasts without a new one.
    package var refreshTokenMilliseconds: UInt64 = 60 * 86_400_000
    /// How long the token of a message is good.
    package var messageTokenMilliseconds: UInt64 = 30 * 60_000
    /// Failed attempts of one caller at one name before they have to wait. Ten times as many count for one caller at
    /// all names, and for one name by all callers.
    package var failuresMax = 5
    /// How long failures count.
    package var failureWindowMilliseconds: UInt64 = 15 * 60_000
    /// New anonymous users of one machine in that time.
    package var anonymousMax = 100
    package var passwordCost = PasswordHash.Cost.standard
    /// The function that says who somebody is; nil when nobody logs in by a function.
    package var loginFunction: String?

    package init() {}

    /// Whether users with an address and a password get a proven address.
    package var provesAddresses: Bool { emailPassword && (confirmation != .automatic || passwordReset != .off) }

    package enum Confirmation: String, CaseIterable, Sendable {
        /// A registered address can log in at once.
        case automatic
        /// A message with a token goes to the address.
        case message
        /// The operator's program decides.
        case program
    }

    package enum PasswordReset: String, CaseIterable, Sendable {
        case off
        /// A message with a token goes to the address.
        case message
        /// The operator's program decides.
        case program
    }

    /// The bounds of what is accepted: lengths, and counts for one user.
    static let emailBytesMax = 254
    static let passwordBytesMax = 512
    static let keysPerUserMax = 20
    static let nameBytesMax = 64
    static let functionIDBytesMax = 256
    static let profileTextBytesMax = 2 << 10
    package static let rolesMax = 20
}
