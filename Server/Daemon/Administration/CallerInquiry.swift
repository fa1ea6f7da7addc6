import CausewayAdmin
import CausewayEnvironment
import CausewayIdentity
import CausewayJSON
import CausewayModel

/// Whom an operator asks about: a user with claims, the bearer of a token, or a user of the accounts.
enum CallerInquiry: Sendable {
    case claims(user: String, [String: ClaimValue])
    case token(String)
    case account(String)

    /// A caller, and how they are known.
    struct Finding: Sendable {
        var caller: Caller
        var source: Source
        /// Why a token is not accepted; nil where it is, and for callers without one.
        var problem: String?

        enum Source: String, Sendable {
            case claims
            case token
            case account
        }

        var isVerified: Bool { source != .claims && problem == nil }

        func append(to json: inout JSONWriter) {
            json.name("caller")
            json.object { json in
                json.field("user", caller.user.string)
                json.field("source", source.rawValue)
                json.name("isVerified")
                json.write(isVerified)
                if let problem { json.field("problem", problem) }
            }
        }
    }

    /// - Throws: a sentence, when the question names nobody or more than one.
    init(user: String?, claims: JSON?, token: String?, account: String?) throws(AdminError) {
        switch (user, claims, token, account) {
        case (_, _, nil, nil) where user != nil || claims != nil:
            self = .claims(user: user ?? "", try Self.read(claims ?? .object([])))
        case (nil, nil, let token?, nil): self = .token(token)
        case (nil, nil, nil, let account?): self = .account(account)
        default:
            throw AdminError(
                .requestInvalid,
                "Say about whom: a user, claims or both, or a token, or a user of the accounts.")
        }
    }

    private static func read(_ json: JSON) throws(AdminError) -> [String: ClaimValue] {
        var writer = JSONWriter()
        writer.write(json)
        do throws(ClaimReadingError) {
            return try [String: ClaimValue](json: writer.bytes, within: .claims)
        } catch {
            throw AdminError(.requestInvalid, "The claims cannot be taken: \(error). Send them as an object.")
        }
    }
}

/// What is needed to find callers of one database.
struct CallerDirectory: Sendable {
    typealias AccountSearch = @Sendable (String) async throws(AdminError) -> Caller?

    /// Of other issuers' tokens; nil where none are accepted.
    let verifier: TokenVerifier?
    /// The bearer of a token of the database's accounts; nil for other tokens.
    var ofAccounts: @Sendable (_ token: String, _ now: UInt64) throws(IdentityError) -> Caller? = { _, _ in nil }
    var now: @Sendable () -> UInt64 = { SystemClock().now() }
    /// A user of the accounts; nil where there is no such user.
    let account: AccountSearch

    init(verifier: TokenVerifier?, account: @escaping AccountSearch) {
        self.verifier = verifier
        self.account = account
    }

    /// Of a database that is served.
    init(verifier: TokenVerifier?, accounts: Accounts?, now: @escaping @Sendable () -> UInt64) {
        self.verifier = verifier
        self.now = now
        ofAccounts = { token, now throws(IdentityError) in try accounts?.caller(for: token, at: now) }
        account = { user throws(AdminError) in
            guard let accounts else { throw AdminError(.requestInvalid, "The database has no accounts.") }
            do throws(AccountError) {
                return try await accounts.caller(ofAccount: user)
            } catch {
                throw AdminError(.serverFault, error.message)
            }
        }
    }

    func find(_ inquiry: CallerInquiry) async throws(AdminError) -> CallerInquiry.Finding {
        switch inquiry {
        case .claims(let user, let claims):
            return .init(caller: Caller(user: user, claims: claims, expires: .max), source: .claims)
        case .token(let token): return try bearer(of: token)
        case .account(let user):
            guard let caller = try await account(user) else {
                throw AdminError(.requestInvalid, "There is no user “\(user.prefix(80))” among the accounts.")
            }
            return .init(caller: caller, source: .account)
        }
    }

    private func bearer(of token: String) throws(AdminError) -> CallerInquiry.Finding {
        var problem =
            "The token is not one of this database's accounts, and no other issuer's tokens are accepted here."
        do throws(IdentityError) {
            if let caller = try ofAccounts(token, now()) { return .init(caller: caller, source: .token) }
            if let caller = try verifier?.caller(for: token, at: now()) {
                return .init(caller: caller, source: .token)
            }
        } catch {
            problem = error.message
        }
        do throws(IdentityError) {
            let caller = try Caller(unverified: token, userClaim: verifier?.userClaim ?? "sub")
            return .init(caller: caller, source: .token, problem: problem)
        } catch {
            throw AdminError(.requestInvalid, error.message)
        }
    }
}
