import CausewayModel
import CausewayObjectStore
import Foundation

/// The records of one database's accounts, within one transaction of their file.
///
/// | Tree | Key | Value |
/// |---|---|---|
/// | accounts.meta | `key` | the PEM text of the key that access tokens are signed with |
/// | accounts.users | account id | `AccountRecord` |
/// | accounts.identities | provider, 0, id | account id |
/// | accounts.passwords | address | `PasswordRecord` |
/// | accounts.sessions | session id | `SessionRecord` |
/// | accounts.sessionsOf | account id, 0, session id | – |
/// | accounts.keys | key id | `KeyRecord` |
/// | accounts.keysOf | account id, 0, key id | – |
/// | accounts.tokens | token id | `MessageTokenRecord` |
struct AccountTables {
    private let transaction: Transaction

    init(_ transaction: Transaction) {
        self.transaction = transaction
    }

    // MARK: - Records

    private func get<Record: Decodable>(_ tree: String, _ key: String) throws(AccountError) -> Record? {
        guard let bytes = transaction.tree("accounts." + tree).get(Array(key.utf8)) else { return nil }
        do {
            return try JSONDecoder().decode(Record.self, from: Data(bytes))
        } catch {
            throw AccountError(
                .internalServerError, "A record of the server's accounts cannot be read. Its log says which.")
        }
    }

    private func put(_ tree: String, _ key: String, _ record: some Encodable) throws(AccountError) {
        do {
            transaction.tree("accounts." + tree).put(Array(key.utf8), [UInt8](try JSONEncoder().encode(record)))
        } catch {
            throw AccountError(.internalServerError, "A record of the server's accounts cannot be written.")
        }
    }

    private func remove(_ tree: String, _ key: String) {
        transaction.tree("accounts." + tree).remove(Array(key.utf8))
    }

    private func keys(
        _ tree: String, from: [UInt8] = [], upTo: [UInt8]? = nil, dropping: Int = 0, countMax: Int = .max
    ) -> [String] {
        var keys: [String] = []
        transaction.tree("accounts." + tree).scan(from: from, upTo: upTo) { key, _ in
            keys.append(String(decoding: key.dropFirst(dropping), as: UTF8.self))
            return keys.count < countMax
        }
        return keys
    }

    /// The second halves of the keys that begin with an account.
    private func members(_ tree: String, of account: ExactString) -> [String] {
        let prefix = Array(account.string.utf8)
        return keys(tree, from: prefix + [0], upTo: prefix + [1], dropping: prefix.count + 1)
    }

    // MARK: - The key

    var signingKey: String? {
        get { transaction.tree("accounts.meta").get(Array("key".utf8)).map { String(decoding: $0, as: UTF8.self) } }
        nonmutating set {
            if let newValue { transaction.tree("accounts.meta").put(Array("key".utf8), Array(newValue.utf8)) }
        }
    }

    // MARK: - Accounts

    func account(_ id: ExactString) throws(AccountError) -> AccountRecord? { try get("users", id.string) }

    var accountIDs: [ExactString] { keys("users").map { ExactString($0) } }

    /// The first ones behind an id, in the order of their bytes.
    func accountIDs(after id: ExactString?, countMax: Int) -> [ExactString] {
        keys("users", from: id.map { Array($0.string.utf8) + [0] } ?? [], countMax: countMax).map { ExactString($0) }
    }

    /// Disables an account and ends its logins, or enables it again. The caller saves it.
    func setDisabled(_ isDisabled: Bool, _ account: inout AccountRecord) throws(AccountError) {
        account.isDisabled = isDisabled
        if isDisabled { try endSessions(of: account.id) }
    }

    func account(of identity: AccountRecord.Identity) throws(AccountError) -> AccountRecord? {
        guard let bytes = transaction.tree("accounts.identities").get(Self.key(identity)) else { return nil }
        return try account(ExactString(String(decoding: bytes, as: UTF8.self)))
    }

    func save(_ account: AccountRecord) throws(AccountError) {
        try put("users", account.id.string, account)
        for identity in account.identities {
            transaction.tree("accounts.identities").put(Self.key(identity), Array(account.id.string.utf8))
        }
    }

    private static func key(_ identity: AccountRecord.Identity) -> [UInt8] {
        Array(identity.provider.string.utf8) + [0] + Array(identity.id.string.utf8)
    }

    func remove(_ identity: AccountRecord.Identity) {
        transaction.tree("accounts.identities").remove(Self.key(identity))
    }

    /// Deletes an account with all ways to log in to it.
    func delete(_ account: AccountRecord) throws(AccountError) {
        try endSessions(of: account.id)
        for id in members("keysOf", of: account.id) { removeKey(id, of: account.id) }
        for identity in account.identities {
            remove(identity)
            if identity.provider == Provider.password { removePassword(identity.id) }
        }
        remove("users", account.id.string)
    }

    // MARK: - Passwords

    func password(_ email: ExactString) throws(AccountError) -> PasswordRecord? { try get("passwords", email.string) }

    func removePassword(_ email: ExactString) { remove("passwords", email.string) }

    func save(_ password: PasswordRecord, of email: ExactString) throws(AccountError) {
        try put("passwords", email.string, password)
    }

    // MARK: - Sessions

    func session(_ id: String) throws(AccountError) -> SessionRecord? { try get("sessions", id) }

    func save(_ session: SessionRecord, _ id: String) throws(AccountError) {
        try put("sessions", id, session)
        transaction.tree("accounts.sessionsOf").put(Array(session.account.string.utf8) + [0] + Array(id.utf8), [])
    }

    func removeSession(_ id: String, of account: ExactString) {
        remove("sessions", id)
        transaction.tree("accounts.sessionsOf").remove(Array(account.string.utf8) + [0] + Array(id.utf8))
    }

    /// Ends logins of an account: all of them, those made with one key, or those that have expired.
    func endSessions(
        of account: ExactString, where isMeant: (SessionRecord) -> Bool = { _ in true }
    ) throws(AccountError) {
        for id in members("sessionsOf", of: account) {
            guard let session = try session(id) else { continue }
            if isMeant(session) { removeSession(id, of: account) }
        }
    }

    // MARK: - Keys

    func key(_ id: String) throws(AccountError) -> KeyRecord? { try get("keys", id) }

    func keys(of account: ExactString) throws(AccountError) -> [KeyRecord] {
        var keys: [KeyRecord] = []
        for id in members("keysOf", of: account) {
            if let key = try key(id) { keys.append(key) }
        }
        return keys.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    func save(_ key: KeyRecord) throws(AccountError) {
        try put("keys", key.id, key)
        transaction.tree("accounts.keysOf").put(Array(key.account.string.utf8) + [0] + Array(key.id.utf8), [])
    }

    func removeKey(_ id: String, of account: ExactString) {
        remove("keys", id)
        transaction.tree("accounts.keysOf").remove(Array(account.string.utf8) + [0] + Array(id.utf8))
    }

    // MARK: - Tokens of messages

    func messageToken(_ id: String) throws(AccountError) -> MessageTokenRecord? { try get("tokens", id) }

    func save(_ token: MessageTokenRecord, _ id: String) throws(AccountError) { try put("tokens", id, token) }

    func removeMessageToken(_ id: String) { remove("tokens", id) }

    /// Removes expired tokens, and all of one purpose and address: only the newest message is good.
    func removeMessageTokens(_ purpose: AccountMessage.Kind, of email: ExactString, at now: UInt64) throws(AccountError)
    {
        for id in keys("tokens") {
            guard let token = try messageToken(id) else { continue }
            if token.expires <= now || (token.purpose == purpose && token.email == email) { removeMessageToken(id) }
        }
    }
}

/// The providers' names, as devices write them.
enum Provider {
    static let anonymous: ExactString = "anon-user"
    static let password: ExactString = "local-userpass"
    static let key: ExactString = "api-key"
    static let token: ExactString = "custom-token"
    static let function: ExactString = "custom-function"
}
