import CausewayEnvironment
import CausewayModel
import Foundation
import Synchronization

// Addresses and passwords: registering, confirming, resetting.

extension Accounts {
    private func checkAllowed(_ isAllowed: Bool = true) throws(AccountError) {
        guard rules.emailPassword, isAllowed else {
            throw AccountError(
                .authProviderNotFound,
                "This server does not take this call for addresses and passwords. Its configuration decides.")
        }
    }

    private func email(_ request: AccountRequest) throws(AccountError) -> ExactString {
        let address = Self.normalized(try request.required(\.email, "email"))
        let email = address.string
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        let isAddress =
            parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && email.utf8.count <= AccountRules.emailBytesMax
            && email.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7f }
        guard isAddress else {
            throw AccountError(.invalidParameter, "This is not an e-mail address.")
        }
        return address
    }

    private func newPassword(_ request: AccountRequest) throws(AccountError) -> String {
        let password = try request.required(\.password, "password")
        guard password.count >= rules.passwordLengthMin, password.utf8.count <= AccountRules.passwordBytesMax else {
            throw AccountError(
                .invalidParameter,
                "A password has \(rules.passwordLengthMin) characters or more, and \(AccountRules.passwordBytesMax) "
                    + "bytes at most.")
        }
        return password
    }

    // MARK: - Registering

    /// What a registration has found.
    private enum Registration {
        case new
        /// The address was registered before, and nobody has confirmed it.
        case again
        case known
    }

    func register(_ request: AccountRequest, _ peer: String) async throws(AccountError) {
        try checkAllowed()
        let (email, password) = (try email(request), try newPassword(request))
        // A registration counts as an attempt: otherwise it would reveal of any number of addresses whether they are
        // known.
        try begin(.kind(.register), peer)
        // Of a known address too, for the same reason.
        try takeNewAccount(peer)
        let hash = try await newHash(of: password)
        // For an unknown address too, so that it takes as long.
        let before = try await reading { tables throws(AccountError) in try tables.password(email) }
        let old = before?.hash ?? nobodysPassword
        let isOld = try await hasher.run { () throws(AccountError) in try old.matches(password) }
        let registration = try await writing { [self] tables throws(AccountError) in
            try note(hash, of: email, samePasswordAs: isOld ? before?.hash : nil, tables)
        }
        switch (rules.confirmation, registration) {
        case (.message, .new), (.message, .again):
            afterwards { [self] () async throws(AccountError) in try await sendToken(.confirm, to: email) }
        case (.message, .known):
            messenger.send(AccountMessage(kind: .alreadyRegistered, database: database, email: email.string))
        case (_, .known), (_, .again):
            throw AccountError(.accountNameInUse, "The address is registered already. Log in, or set a new password.")
        case (.program, .new):
            try await decideConfirmation(email)
        case (.automatic, .new):
            break
        }
    }

    /// Records a registration. Until somebody confirms an address, nobody knows whose password it was registered with.
    /// Of two passwords that differ none counts: otherwise whoever confirms the address would confirm the password of
    /// whoever came first, or last.
    ///
    /// - Parameter same: the hash that the new password was found to match.
    private func note(
        _ hash: PasswordHash, of email: ExactString, samePasswordAs same: PasswordHash?, _ tables: AccountTables
    ) throws(AccountError) -> Registration {
        let now = clock.now()
        let new = PasswordRecord(hash: hash, isConfirmed: rules.confirmation == .automatic, account: nil, created: now)
        guard var known = try tables.password(email) else {
            try tables.save(new, of: email)
            return .new
        }
        if known.isConfirmed, known.hash != nil || canReset {
            // Written unchanged: a transaction without changes would take less time, and reveal that.
            try tables.save(known, of: email)
            return .known
        }
        let isOver = now >= known.created && now - known.created >= rules.messageTokenMilliseconds
        // Nobody can log in with what is there, so the new registration replaces it.
        if known.isConfirmed || (isOver && rules.confirmation == .message) {
            // The old messages' tokens would confirm what is gone.
            try tables.removeMessageTokens(.confirm, of: email, at: now)
            try tables.save(new, of: email)
            return .new
        }
        if known.hash == nil || known.hash != same { known.hash = nil }
        try tables.save(known, of: email)
        return .again
    }

    private func sendToken(_ kind: AccountMessage.Kind, to email: ExactString) async throws(AccountError) {
        let secret = Secret(random)
        let now = clock.now()
        let record = MessageTokenRecord(
            purpose: kind, email: email, digest: secret.digest, expires: now + rules.messageTokenMilliseconds)
        try await writing { tables throws(AccountError) in
            try tables.removeMessageTokens(kind, of: email, at: now)
            try tables.save(record, secret.id)
        }
        messenger.send(
            AccountMessage(
                kind: kind, database: database, email: email.string, token: secret.secretText, tokenId: secret.id))
    }

    private func decideConfirmation(_ email: ExactString) async throws(AccountError) {
        let decision = await messenger.decide(
            AccountQuestion(kind: .decideConfirmation, database: database, email: email.string))
        switch decision {
        case .yes: try await confirm(email)
        case .later: break
        case .no:
            throw AccountError(.authError, "The address was not accepted by the operator of the server.")
        }
    }

    private var canReset: Bool { rules.passwordReset != .off }

    private func confirm(_ email: ExactString) async throws(AccountError) {
        let canReset = canReset
        try await writing { tables throws(AccountError) in
            guard let record = try tables.password(email) else { return }
            try Self.confirm(email, record, canReset: canReset, tables)
        }
    }

    private static func confirm(
        _ email: ExactString, _ record: PasswordRecord, canReset: Bool, _ tables: AccountTables
    ) throws(AccountError) {
        guard record.hash != nil || canReset else {
            // Nobody could ever log in: the registration is removed, and the next one is the first.
            try tables.removePassword(email)
            return
        }
        var record = record
        try prove(email, &record, tables)
        try tables.save(record, of: email)
    }

    /// Records that somebody has proven an address to be theirs. If it was not proven before, whoever used it may have
    /// been somebody else: their logins end, and so do the other ways into the account that they may have left behind.
    private static func prove(
        _ email: ExactString, _ record: inout PasswordRecord, _ tables: AccountTables
    ) throws(AccountError) {
        let isNews = record.isProven != true
        record.isConfirmed = true
        record.isProven = true
        guard isNews, let id = record.account, var account = try tables.account(id) else { return }
        let address = AccountRecord.Identity(provider: Provider.password, id: email)
        try tables.endSessions(of: id)
        let first = account.identities.first { $0.provider != Provider.anonymous }
        guard first == address else {
            // Somebody else began the account and added the address: it goes on without the address.
            account.identities.removeAll { $0 == address }
            try tables.remove(address)
            try tables.save(account)
            record.account = nil
            return
        }
        for key in try tables.keys(of: id) { try tables.removeKey(key.id, of: id) }
        for identity in account.identities where identity != address { try tables.remove(identity) }
        account.identities = [address]
        try tables.save(account)
    }

    // MARK: - Confirming

    private static let wrongToken = AccountError(
        .badRequest, "The token is not one of a message that is still good. Ask for a new message.")

    /// Uses up a message's token, for the address that it was sent to.
    ///
    /// - Parameter made: prepares what is needed and costs much. It runs only for a good token, so that nobody else
    ///   makes the server work.
    private func useToken<Made: Sendable>(
        _ kind: AccountMessage.Kind, _ request: AccountRequest, _ peer: String,
        making made: () async throws(AccountError) -> Made,
        _ body: @escaping @Sendable (Made, ExactString, AccountTables) throws(AccountError) -> Void
    ) async throws(AccountError) {
        let (id, text) = (try request.required(\.tokenId, "tokenId"), try request.required(\.token, "token"))
        try begin(.kind(.messageToken), peer)
        let now = clock.now()
        let record: @Sendable (AccountTables) throws(AccountError) -> MessageTokenRecord = {
            tables throws(AccountError) in
            guard let secret = Secret(id: id, secret: text), let record = try tables.messageToken(secret.id),
                record.purpose == kind, Secret.areEqual(record.digest, secret.digest), record.expires > now
            else { throw Self.wrongToken }
            return record
        }
        do throws(AccountError) {
            _ = try await reading(record)
            let made = try await made()
            // Another call may have used the token meanwhile.
            try await writing { tables throws(AccountError) in
                let email = try record(tables).email
                try tables.removeMessageToken(id)
                try body(made, email, tables)
            }
        } catch {
            // Only the caller's own mistakes count.
            if error.code != Self.wrongToken.code { withdraw(.kind(.messageToken), peer) }
            throw error
        }
        withdraw(.kind(.messageToken), peer)
    }

    func confirm(_ request: AccountRequest, _ peer: String) async throws(AccountError) {
        try checkAllowed(rules.confirmation == .message)
        let canReset = canReset
        try await useToken(.confirm, request, peer, making: {}) { _, email, tables throws(AccountError) in
            guard let record = try tables.password(email) else { throw Self.wrongToken }
            try Self.confirm(email, record, canReset: canReset, tables)
        }
    }

    /// The request's address, and what is known of it. Counts as an attempt, so that nobody asks for messages without
    /// end.
    private func countedAddress(
        _ request: AccountRequest, _ peer: String
    ) async throws(AccountError) -> (email: ExactString, record: PasswordRecord?) {
        let email = try email(request)
        try begin(.kind(.message), peer)
        return (email, try await reading { tables throws(AccountError) in try tables.password(email) })
    }

    func resend(_ request: AccountRequest, _ peer: String) async throws(AccountError) {
        try checkAllowed(rules.confirmation == .message)
        let (email, record) = try await countedAddress(request, peer)
        guard let record, !record.isConfirmed else { return }
        afterwards { [self] () async throws(AccountError) in try await sendToken(.confirm, to: email) }
    }

    func retryConfirmation(_ request: AccountRequest, _ peer: String) async throws(AccountError) {
        try checkAllowed(rules.confirmation == .program)
        let (email, record) = try await countedAddress(request, peer)
        if let record, !record.isConfirmed { try await decideConfirmation(email) }
    }

    // MARK: - Setting a new password

    func sendReset(_ request: AccountRequest, _ peer: String) async throws(AccountError) {
        try checkAllowed(rules.passwordReset == .message)
        let (email, record) = try await countedAddress(request, peer)
        guard record != nil else { return }
        afterwards { [self] () async throws(AccountError) in try await sendToken(.reset, to: email) }
    }

    func reset(_ request: AccountRequest, _ peer: String) async throws(AccountError) {
        try checkAllowed(rules.passwordReset == .message)
        let password = try newPassword(request)
        try await useToken(
            .reset, request, peer, making: { () async throws(AccountError) in try await newHash(of: password) }
        ) { hash, email, tables throws(AccountError) in
            guard try Self.setPassword(hash, of: email, tables) else { throw Self.wrongToken }
        }
    }

    func callReset(_ request: AccountRequest, _ peer: String) async throws(AccountError) {
        try checkAllowed(rules.passwordReset == .program)
        let (email, password) = (try email(request), try newPassword(request))
        try begin(.name(email), peer)
        let hash = try await newHash(of: password)
        let decision = await messenger.decide(
            AccountQuestion(
                kind: .decideReset, database: database, email: email.string, arguments: request.arguments ?? []))
        var isSet = false
        if decision == .yes {
            isSet = try await writing { tables throws(AccountError) in
                try Self.setPassword(hash, of: email, tables)
            }
        }
        guard isSet else {
            throw AccountError(.authError, "The password was not set: the server did not accept the request.")
        }
        withdraw(.name(email), peer)
    }

    /// Sets a password. Whoever sets it owns the address: the address is confirmed, and all logins of the user end.
    private static func setPassword(
        _ hash: PasswordHash, of email: ExactString, _ tables: AccountTables
    ) throws(AccountError) -> Bool {
        guard var record = try tables.password(email) else { return false }
        record.hash = hash
        try prove(email, &record, tables)
        try tables.save(record, of: email)
        if let account = record.account { try tables.endSessions(of: account) }
        return true
    }
}
