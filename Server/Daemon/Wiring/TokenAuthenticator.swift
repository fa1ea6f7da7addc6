import CausewayEndpoint
import CausewayEnvironment
import CausewayIdentity
import CausewayModel
import CausewaySession
import CausewayWire

/// Knows callers by tokens of the database's own accounts, or of the issuers that the configuration names for it.
/// Permissions decide what callers may see, and users that are shut out are not known.
struct TokenAuthenticator: Authenticator {
    let verifiers: TokenVerifiers
    var tenants = Tenants()
    let clock: any WallClock

    func caller(for token: String, database: String) throws(SyncFailure) -> KnownCaller {
        try find(token, database).caller
    }

    /// The caller, and the database in which they were found: whoever asks more of it asks this one, for another of the same
    /// name may come at any time.
    func find(_ token: String, _ database: String) throws(SyncFailure) -> (caller: KnownCaller, tenant: Tenant) {
        let found = tenants[database]
        // Before the token, which may be one of the database's accounts: a device must not take it for bad.
        if found == nil, let outage = tenants.outage(of: database) { throw outage.failure }
        let caller: Caller
        do throws(SyncFailure) {
            caller = try identify(token, database, found)
        } catch {
            // Its keys go with a database: a device whose database has just been dropped must not take its token for bad.
            guard tenants[database] === found else { return try find(token, database) }
            throw error
        }
        // Whoever holds a good token is told that there is no such database. Nobody is a caller without one, because its
        // rules decide what they may do.
        guard let tenant = found else { throw .databaseUnknown(database) }
        guard !caller.user.string.isSame(as: AdminDesk.editor) else {
            throw SyncFailure(
                .tokenInvalid,
                "The token is of the user “\(AdminDesk.editor)”, and so the history calls administrators. Use another name."
            )
        }
        if let failure = tenant.shutOuts.failure(user: caller.user.string) { throw failure }
        let office = tenant.office
        let access = Access(expires: caller.expires, claims: caller.claimsHash) { office.permissions(of: caller) }
        return (
            KnownCaller(
                user: caller.user.string, expires: caller.expires, access: access, opening: tenant.conversations.opening
            ),
            tenant
        )
    }

    func identify(_ token: String, _ database: String, _ tenant: Tenant?) throws(SyncFailure) -> Caller {
        do throws(IdentityError) {
            let now = clock.now()
            if let caller = try tenant?.accounts?.caller(for: token, at: now) { return caller }
            let verifier = tenant == nil ? verifiers[orShared: database] : verifiers[database]
            guard let verifier else {
                throw IdentityError(
                    .tokenInvalid, "The token is not one of this database's accounts. Sign in again at this app.")
            }
            return try verifier.caller(for: token, at: now)
        } catch {
            throw SyncFailure(error.code == .tokenExpired ? .tokenExpired : .tokenInvalid, error.message)
        }
    }
}

/// The accounts of one database, as the endpoint calls them.
struct AccountCounter: AccountService {
    let accounts: Accounts
    /// Of the accounts' database.
    let uses: WorkCount

    func admit(_ call: String, token: String?) -> AccountAdmission {
        do throws(AccountError) {
            return .body(bytesMax: try accounts.bodyBytesMax(of: call, token: token))
        } catch {
            let reply = AccountReply(error)
            return .refused(AccountServiceAnswer(reply))
        }
    }

    func answer(_ call: String, body: [UInt8], token: String?, peer: String) async -> AccountServiceAnswer {
        guard uses.begin() else { return .dropped }
        defer { uses.end() }
        let reply = await accounts.answer(call, body: body, token: token, peer: peer)
        return AccountServiceAnswer(reply)
    }
}

extension AccountServiceAnswer {
    fileprivate static let dropped = maintenance("The operator takes this database off the server.")

    /// - Parameter message: without what JSON escapes.
    static func maintenance(_ message: String, retryAfterSeconds: UInt64? = nil) -> AccountServiceAnswer {
        AccountServiceAnswer(
            status: 503, body: Array(#"{"code":"maintenanceInProgress","message":"\#(message)"}"#.utf8),
            code: "maintenanceInProgress", retryAfterSeconds: retryAfterSeconds)
    }

    fileprivate init(_ reply: AccountReply) {
        self.init(
            status: reply.status, body: reply.body, code: reply.code?.rawValue, user: reply.user,
            retryAfterSeconds: reply.retryAfterSeconds)
    }
}
