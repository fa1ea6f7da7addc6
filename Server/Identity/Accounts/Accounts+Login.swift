import CausewayEnvironment
import CausewayLimits
import CausewayModel
import Foundation
import Synchronization

/// The answer to a login, and to everything that renews a part of it.
struct AccountView: Encodable, Sendable {
    var userId: ExactString
    var accessToken: String?
    var refreshToken: String?
    var provider: ExactString?
    var identities: [AccountRecord.Identity]
    var profile: [String: ClaimValue]
    var customData: [String: ClaimValue]

    init(_ account: AccountRecord) {
        userId = account.id
        identities = account.identities
        profile = account.profile
        customData = account.customData
    }
}

/// Credentials that were found right.
struct ProvenIdentity: Sendable {
    var identity: AccountRecord.Identity
    /// The id of the account that is made if there is none.
    var newAccount: ExactString
    var profile: [String: ClaimValue] = [:]
    /// The address that is proven to be theirs.
    var email: ExactString?
    /// The API key, if they logged in with one.
    var key: String?
}

extension Accounts {
    func login(_ request: AccountRequest, _ peer: String) async throws(AccountError) -> AccountView {
        let proven = try await prove(request, peer)
        let secret = Secret(random)
        let now = clock.now()
        let (expires, overflow) = now.addingReportingOverflow(rules.refreshTokenMilliseconds)
        let account = try await writing { [self, mailRecord] tables throws(AccountError) in
            var known = try tables.account(of: proven.identity)
            if known == nil { known = try tables.account(proven.newAccount) }
            // With an address and a password the registration was counted.
            if known == nil, proven.identity.provider != Provider.password { try takeNewAccount(peer) }
            var account = known ?? AccountRecord(id: proven.newAccount, identities: [], created: now)
            guard !account.isDisabled else { throw Self.disabled }
            if !account.identities.contains(proven.identity) { account.identities.append(proven.identity) }
            account.learn(proven)
            try tables.save(account)
            try mailRecord(proven.identity, account.id, tables)
            // A user's expired logins are removed when the user logs in again.
            try tables.endExpiredSessions(of: account.id, at: now, near: secret.id)
            try tables.save(
                SessionRecord(
                    account: account.id, provider: proven.identity.provider, key: proven.key, digest: secret.digest,
                    created: now, expires: overflow ? .max : expires), secret.id)
            return account
        }
        var view = AccountView(account)
        view.provider = proven.identity.provider
        view.refreshToken = secret.text
        view.accessToken = try await accessToken(account, proven.identity.provider)
        return view
    }

    private func accessToken(_ account: AccountRecord, _ provider: ExactString) async throws(AccountError) -> String {
        try await mint.token(
            for: account, provider: provider, now: clock.now(),
            lifetimeMilliseconds: rules.accessTokenMilliseconds)
    }

    static let disabled = AccountError(.userDisabled, "The operator of the server has shut this user out.")

    /// A password belongs to the account that first logs in with it.
    private var mailRecord: @Sendable (AccountRecord.Identity, ExactString, AccountTables) throws(AccountError) -> Void
    {
        { identity, account, tables throws(AccountError) in
            guard identity.provider == Provider.password, var record = try tables.password(identity.id),
                record.account != account
            else { return }
            record.account = account
            try tables.save(record, of: identity.id)
        }
    }

    // MARK: - Renewing

    private static let sessionOver = AccountError(
        .invalidSession, "The login is over: it was ended, has expired, or was never one of this server. Log in again.")

    func refresh(_ request: AccountRequest) async throws(AccountError) -> AccountView {
        let text = try request.required(\.refreshToken, "refreshToken")
        guard let secret = Secret(text) else { throw Self.sessionOver }
        let now = clock.now()
        let (account, session) = try await reading { tables throws(AccountError) in
            guard let session = try tables.session(secret.id), Secret.areEqual(session.digest, secret.digest),
                session.expires > now, let account = try tables.account(session.account)
            else { throw Self.sessionOver }
            guard !account.isDisabled else { throw Self.disabled }
            return (account, session)
        }
        var view = AccountView(account)
        view.accessToken = try await accessToken(account, session.provider)
        return view
    }

    /// Ends a login. Does not reveal whether it existed, and writes nothing if it did not: anybody may call.
    func logOut(_ request: AccountRequest) async throws(AccountError) {
        guard let secret = Secret(try request.required(\.refreshToken, "refreshToken")) else { return }
        let session = try await reading { tables throws(AccountError) in try tables.session(secret.id) }
        guard let session, Secret.areEqual(session.digest, secret.digest) else { return }
        try await writing { tables throws(AccountError) in try tables.removeSession(secret.id, of: session.account) }
    }

    // MARK: - The user

    /// The caller's account. A user of another issuer gets one when they first need it. A token of ours whose account
    /// is gone brings nothing back.
    func account(of caller: Caller, in tables: AccountTables) throws(AccountError) -> AccountRecord {
        if let account = try tables.account(caller.user) {
            guard !account.isDisabled else { throw Self.disabled }
            return account
        }
        guard caller.claims["iss"]?.string?.isSame(as: TokenMint.issuer(of: database)) != true else {
            throw AccountError(.userNotFound, "The user does not exist any more.")
        }
        return AccountRecord(
            id: caller.user, identities: [.init(provider: Provider.token, id: caller.user)], created: clock.now())
    }

    func profile(_ caller: Caller) async throws(AccountError) -> AccountView {
        try await reading { [self] tables throws(AccountError) in AccountView(try account(of: caller, in: tables)) }
    }

    func link(_ request: AccountRequest, _ caller: Caller, _ peer: String) async throws(AccountError) -> AccountView {
        guard request.provider.map({ ExactString($0) }) != Provider.anonymous else {
            throw AccountError(.badRequest, "A user cannot be linked with nobody. Link credentials that say who it is.")
        }
        let proven = try await prove(request, peer)
        return try await writing { [self, mailRecord] tables throws(AccountError) in
            var account = try account(of: caller, in: tables)
            if let owner = try tables.account(of: proven.identity), owner.id != account.id {
                throw AccountError(
                    .accountNameInUse,
                    "Another user logs in with these credentials already. Log in with them, or link others.")
            }
            if !account.identities.contains(proven.identity) { account.identities.append(proven.identity) }
            account.learn(proven)
            try tables.save(account)
            try mailRecord(proven.identity, account.id, tables)
            return AccountView(account)
        }
    }

    func delete(_ caller: Caller) async throws(AccountError) {
        try await writing { [self] tables throws(AccountError) in
            try tables.delete(try account(of: caller, in: tables))
        }
    }

    // MARK: - Who is it?

    private func prove(_ request: AccountRequest, _ peer: String) async throws(AccountError) -> ProvenIdentity {
        let provider = ExactString(try request.required(\.provider, "provider"))
        switch provider {
        case Provider.anonymous where rules.anonymous:
            try begin(.kind(.anonymous), peer)
            let id = ExactString(Secret.id(random))
            return ProvenIdentity(identity: .init(provider: provider, id: id), newAccount: id)
        case Provider.password where rules.emailPassword:
            return try await provePassword(request, peer)
        case Provider.key:
            return try await proveKey(request, peer)
        default:
            if provider == Provider.function, let function = rules.loginFunction {
                return try await proveByFunction(function, request, peer)
            }
            guard let verifier = providers[provider.string] else {
                throw AccountError(
                    .authProviderNotFound,
                    "There is no provider configured for '\(provider.string.prefix(40))'. Log in another way, or allow it in "
                        + "the server's configuration.")
            }
            return try proveToken(request, provider, verifier)
        }
    }

    /// A token of an issuer that the configuration names.
    private func proveToken(
        _ request: AccountRequest, _ provider: ExactString, _ verifier: TokenVerifier
    ) throws(AccountError) -> ProvenIdentity {
        guard let token = request.token else {
            throw AccountError(
                .authProviderNotFound,
                "There is no provider configured for codes of '\(provider)'. Send an id token of it.")
        }
        let caller: Caller
        do throws(IdentityError) {
            caller = try verifier.caller(for: token, at: clock.now())
        } catch {
            throw AccountError(.authError, error.message)
        }
        let told = ["name", "email", "picture", "given_name", "family_name", "gender", "birthdate"]
        return ProvenIdentity(
            identity: .init(provider: provider, id: caller.user),
            // The `sub` of our own tokens must be the issuer's: both name the same user to the database.
            newAccount: provider == Provider.token ? caller.user : ExactString(Secret.id(random)),
            profile: caller.claims.filter { told.contains($0.key) },
            email: Self.provenAddress(caller.claims, isTrusted: provider == Provider.token))
    }

    /// The address of an id token, if its issuer has verified that it is the user's.
    ///
    /// - Parameter isTrusted: whether an address counts of which the issuer does not say so.
    private static func provenAddress(_ claims: [String: ClaimValue], isTrusted: Bool) -> ExactString? {
        guard let email = claims["email"]?.string.map(normalized), email.string.utf8.count <= AccountRules.emailBytesMax
        else {
            return nil
        }
        switch claims["email_verified"] {
        // Apple writes strings.
        case .bool(true)?, .string("true")?: return email
        case nil: return isTrusted ? email : nil
        default: return nil
        }
    }

    private static let wrongPassword = AccountError(
        .invalidPassword, "Nobody has this address and password together. Check both, or set a new password.")

    private func provePassword(
        _ request: AccountRequest, _ peer: String
    ) async throws(AccountError) -> ProvenIdentity {
        let email = Self.normalized(try request.required(\.email, "email"))
        let password = try request.required(\.password, "password")
        guard password.utf8.count <= AccountRules.passwordBytesMax,
            email.string.utf8.count <= AccountRules.emailBytesMax
        else { throw Self.wrongPassword }
        try begin(.name(email), peer)
        let known: PasswordRecord?
        let isRight: Bool
        do throws(AccountError) {
            known = try await reading { tables throws(AccountError) in try tables.password(email) }
            let hash = known?.hash ?? nobodysPassword
            isRight = try await hasher.run { () throws(AccountError) in try hash.matches(password) }
        } catch {
            withdraw(.name(email), peer)
            throw error
        }
        guard let known, let hash = known.hash, isRight else { throw Self.wrongPassword }
        withdraw(.name(email), peer)
        guard known.isConfirmed else {
            throw AccountError(
                .authError, "The address is not confirmed yet. Confirm it with the message that was sent to it.")
        }
        attempts.withLock { $0.succeeded(email, from: peer) }
        if hash.cost != rules.passwordCost { try await rehash(email, password, hash) }
        return ProvenIdentity(
            identity: .init(provider: Provider.password, id: email),
            newAccount: known.account ?? ExactString(Secret.id(random)), profile: ["email": .string(email.string)],
            email: known.isProven == true ? email : nil)
    }

    /// Hashes the password again after the operator has changed the cost, now that the password is at hand.
    private func rehash(_ email: ExactString, _ password: String, _ old: PasswordHash) async throws(AccountError) {
        let hash = try await newHash(of: password)
        try await writing { tables throws(AccountError) in
            guard var record = try tables.password(email), record.hash == old else { return }
            record.hash = hash
            try tables.save(record, of: email)
        }
    }

    func newHash(of password: String) async throws(AccountError) -> PasswordHash {
        let (cost, random) = (rules.passwordCost, random)
        return try await hasher.run { () throws(AccountError) in
            try PasswordHash(of: password, cost: cost, random: random)
        }
    }

    private static let wrongKey = AccountError(.authError, "The API key is not one of this server, or is disabled.")

    private func proveKey(_ request: AccountRequest, _ peer: String) async throws(AccountError) -> ProvenIdentity {
        let text = try request.required(\.key, "key")
        try begin(.kind(.key), peer)
        let secret = Secret(text)
        let id = secret?.id ?? ""
        let key = try await reading { tables throws(AccountError) in try tables.key(id) }
        guard let key, let secret, Secret.areEqual(key.digest, secret.digest), !key.isDisabled else {
            throw Self.wrongKey
        }
        withdraw(.kind(.key), peer)
        return ProvenIdentity(
            identity: .init(provider: Provider.key, id: ExactString(key.id)), newAccount: key.account, key: key.id)
    }

    // MARK: - Failures

    /// Counts an account that is about to be made.
    func takeNewAccount(_ peer: String) throws(AccountError) {
        do throws(LimitReached) {
            try rates.take(
                .init(.accountsPerHourOfAddress, of: peer), .init(.accountsPerHourOfDatabase), from: peer)
        } catch {
            throw AccountError(.tooManyAttempts, error.message, retryAfterSeconds: error.waitSeconds)
        }
    }

    /// Counts an attempt, before its outcome is known.
    func begin(_ subject: Attempts.Subject, _ peer: String) throws(AccountError) {
        let now = clock.now()
        try attempts.withLock { attempts throws(AccountError) in try attempts.begin(subject, from: peer, at: now) }
    }

    /// The attempt succeeded, or was none.
    func withdraw(_ subject: Attempts.Subject, _ peer: String) {
        attempts.withLock { $0.withdraw(subject, from: peer) }
    }

    /// The form in which addresses are compared: without regard to case, and otherwise by their bytes.
    ///
    /// No other letter becomes one of ASCII. The Kelvin sign has "k" as its small letter, but whoever owns the address
    /// with the sign does not own the one with the letter.
    static func normalized(_ email: String) -> ExactString {
        var address = String.UnicodeScalarView()
        for scalar in email.trimmingCharacters(in: .whitespacesAndNewlines).unicodeScalars {
            let small = scalar.properties.lowercaseMapping.unicodeScalars
            let becomesASCII = !scalar.isASCII && small.contains(where: \.isASCII)
            if becomesASCII { address.append(scalar) } else { address.append(contentsOf: small) }
        }
        return ExactString(String(address))
    }
}

extension AccountRecord {
    /// Takes over what credentials say of their user. Only short texts of a profile are kept, because the record is
    /// read at every login. Longer ones from before there was a limit go with the next login.
    fileprivate mutating func learn(_ proven: ProvenIdentity) {
        func isKept(_ value: ClaimValue) -> Bool {
            value.string.map { $0.utf8.count <= AccountRules.profileTextBytesMax } ?? false
        }
        profile = profile.merging(proven.profile.filter { isKept($0.value) }) { $1 }.filter { isKept($0.value) }
        if let address = proven.email { email = address }
    }
}
