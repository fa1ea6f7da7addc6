import CausewayIdentity
import Synchronization

/// The verifiers of other issuers' tokens, one for each database: what was learnt of a token in one says nothing in
/// another. Replaced as a whole when the keys are read again.
final class TokenVerifiers: Sendable {
    struct Content: Sendable {
        /// By the names of databases; nil for one that accepts no such tokens.
        var ofDatabases: [String: TokenVerifier?] = [:]
        /// Of the section `tokens`: for databases without a section of their own, and for names of no database.
        var shared: TokenVerifier?
    }

    private let content: Mutex<Content>

    init(_ content: Content) {
        self.content = Mutex(content)
    }

    var all: Content { content.withLock { $0 } }

    func replace(by new: Content) {
        content.withLock { $0 = new }
    }

    /// Takes the verifier of a database that is about to be served.
    func take(_ verifier: TokenVerifier?, of database: String) {
        content.withLock { $0.ofDatabases[database] = .some(verifier) }
    }

    /// Forgets a database that is not served any more, so that the next one of its name does not accept its tokens.
    func forget(_ database: String) {
        content.withLock { _ = $0.ofDatabases.removeValue(forKey: database) }
    }

    /// Of a database that is served. One whose keys are not known accepts no tokens: it never falls back to those of all.
    subscript(database: String) -> TokenVerifier? {
        content.withLock { $0.ofDatabases[database] ?? nil }
    }

    /// The same for a name that may be of no database: whoever holds a good token is told that there is no such database.
    subscript(orShared database: String) -> TokenVerifier? {
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
