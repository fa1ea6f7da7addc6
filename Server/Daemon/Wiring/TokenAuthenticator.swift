import CausewayEndpoint
import CausewayEnvironment
import CausewayIdentity
import CausewayModel
import CausewaySession
import CausewayWire

/// Knows callers by tokens of the database's own accounts, or of the issuers that the configuration names for it.
/// Permissions decide what callers may see.
struct TokenAuthenticator: Authenticator {
    let verifiers: TokenVerifiers
    var accounts: [String: Accounts] = [:]
    /// By database; those without are not in it.
    var offices: [String: PermissionOffice] = [:]
    let clock: any WallClock

    func caller(for token: String, database: String) throws(SyncFailure) -> KnownCaller {
        do throws(IdentityError) {
            let now = clock.now()
            if let caller = try accounts[database]?.caller(for: token, at: now) {
                return known(caller, database)
            }
            guard let verifier = verifiers[database] else {
                throw IdentityError(
                    .tokenInvalid, "The token is not one of this database's accounts. Sign in again at this app.")
            }
            let caller = try verifier.caller(for: token, at: now)
            return known(caller, database)
        } catch {
            throw SyncFailure(error.code == .tokenExpired ? .tokenExpired : .tokenInvalid, error.message)
        }
    }

    private func known(_ caller: Caller, _ database: String) -> KnownCaller {
        let access = offices[database].map { office in
            Access(expires: caller.expires, claims: caller.claimsHash) { office.permissions(of: caller) }
        }
        return KnownCaller(user: caller.user.string, expires: caller.expires, access: access)
    }
}

/// The accounts of one database, as the endpoint calls them.
struct AccountCounter: AccountService {
    let accounts: Accounts

    func admit(_ call: String, token: String?) -> AccountAdmission {
        do throws(AccountError) {
            return .body(bytesMax: try accounts.bodyBytesMax(of: call, token: token))
        } catch {
            let reply = AccountReply(error)
            return .refused(AccountServiceAnswer(reply))
        }
    }

    func answer(_ call: String, body: [UInt8], token: String?, peer: String) async -> AccountServiceAnswer {
        let reply = await accounts.answer(call, body: body, token: token, peer: peer)
        return AccountServiceAnswer(reply)
    }
}

extension AccountServiceAnswer {
    fileprivate init(_ reply: AccountReply) {
        self.init(status: reply.status, body: reply.body, code: reply.code?.rawValue, user: reply.user)
    }
}
