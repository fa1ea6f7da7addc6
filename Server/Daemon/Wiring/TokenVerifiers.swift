import CausewayIdentity
import Synchronization

/// The verifiers of other issuers' tokens, one for each database: what was learnt of a token in one says nothing in
/// another. Replaced as a whole when the keys are read again.
final class TokenVerifiers: Sendable {
    struct Content: Sendable {
        /// By the names of all databases; nil for a database that accepts no such tokens.
        var ofDatabases: [String: TokenVerifier?] = [:]
        /// For names of no database: whoever holds a good token is told that there is no such database.
        var shared: TokenVerifier?
    }

    private let content: Mutex<Content>

    init(_ content: Content) {
        self.content = Mutex(content)
    }

    func replace(by new: Content) {
        content.withLock { $0 = new }
    }

    subscript(database: String) -> TokenVerifier? {
        content.withLock { $0.ofDatabases[database] ?? $0.shared }
    }
}

extension TokenVerifier {
    /// Nil without a key.
    init?(_ tokens: Configuration.Tokens, keys: [TrustedKey]) {
        guard !keys.isEmpty else { return nil }
        self.init(
            keys: keys,
            rules: TokenRules(
                issuers: tokens.issuers, audiences: tokens.audiences, userClaim: tokens.userClaim,
                notBeforeLeewayMilliseconds: UInt64(tokens.notBeforeLeewaySeconds) * 1_000))
    }
}

extension Configuration.Tokens {
    var hasNoKeys: Bool { keys.isEmpty && keySet == nil }

    /// Whether a token may be good under both.
    func sharesTokens(with other: Configuration.Tokens) -> Bool {
        func meet(_ left: [String], _ right: [String]) -> Bool {
            left.isEmpty || right.isEmpty || left.contains(where: right.contains)
        }
        let sharesKeys =
            keys.contains { key in other.keys.contains { $0.file == key.file } }
            || keySet != nil && keySet == other.keySet
        return sharesKeys && meet(issuers, other.issuers) && meet(audiences, other.audiences)
    }
}
