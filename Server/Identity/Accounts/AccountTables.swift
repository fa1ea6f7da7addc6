import CausewayModel
import Foundation

/// The records of one database's accounts, within one transaction of their home.
///
/// | Tree | Key | Value |
/// |---|---|---|
/// | meta | `key` | the PEM text of the key that access tokens are signed with |
/// | users | account id | `AccountRecord` |
/// | identities | provider, 0, id | account id |
/// | passwords | address | `PasswordRecord` |
/// | sessions | session id | `SessionRecord` |
/// | sessionsOf | account id, 0, session id | – |
/// | keys | key id | `KeyRecord` |
/// | keysOf | account id, 0, key id | – |
/// | tokens | token id | `MessageTokenRecord` |
struct AccountTables {
    private let trees: any AccountTrees

    init(_ trees: any AccountTrees) {
        self.trees = trees
    }

    // MARK: - Records

    private func get<Record: Decodable>(_ tree: String, _ key: String) throws(AccountError) -> Record? {
        try trees.get(Array(key.utf8), in: tree).map { bytes throws(AccountError) in try Self.read(bytes) }
    }

    /// Those of the keys that are there.
    private func records<Record: Decodable>(_ tree: String, _ keys: [String]) throws(AccountError) -> [(String, Record)]
    {
        var records: [(String, Record)] = []
        for (key, bytes) in zip(keys, try trees.values(of: keys.map { Array($0.utf8) }, in: tree)) {
            if let bytes { records.append((key, try Self.read(bytes))) }
        }
        return records
    }

    private static func read<Record: Decodable>(_ bytes: [UInt8]) throws(AccountError) -> Record {
        do {
            return try JSONDecoder().decode(Record.self, from: Data(bytes))
        } catch {
            throw AccountError(
                .internalServerError, "A record of the server's accounts cannot be read. Its log says which.")
        }
    }

    private func put(_ tree: String, _ key: String, _ record: some Encodable) throws(AccountError) {
        guard let bytes = try? JSONEncoder().encode(record) else {
            throw AccountError(.internalServerError, "A record of the server's accounts cannot be written.")
        }
        try trees.put([UInt8](bytes), Array(key.utf8), in: tree)
    }

    private func remove(_ tree: String, _ key: String) throws(AccountError) {
        try trees.remove(Array(key.utf8), in: tree)
    }

    private func keys(
        _ tree: String, from: [UInt8] = [], upTo: [UInt8]? = nil, dropping: Int = 0, countMax: Int = .max
    ) throws(AccountError) -> [String] {
        try trees.keys(in: tree, from: from, upTo: upTo, countMax: countMax)
            .map { String(decoding: $0.dropFirst(dropping), as: UTF8.self) }
    }

    /// The second halves of the keys that begin with an account.
    private func members(
        _ tree: String, of account: ExactString, from first: String = "", countMax: Int = .max
    ) throws(AccountError) -> [String] {
        let prefix = Array(account.string.utf8)
        return try keys(
            tree, from: prefix + [0] + Array(first.utf8), upTo: prefix + [1], dropping: prefix.count + 1,
            countMax: countMax)
    }

    // MARK: - Accounts

    func account(_ id: ExactString) throws(AccountError) -> AccountRecord? { try get("users", id.string) }

    func accountIDs() throws(AccountError) -> [ExactString] { try keys("users").map { ExactString($0) } }

    /// The first ones behind an id, in the order of their bytes.
    func accountIDs(after id: ExactString?, countMax: Int) throws(AccountError) -> [ExactString] {
        try keys("users", from: id.map { Array($0.string.utf8) + [0] } ?? [], countMax: countMax).map {
            ExactString($0)
        }
    }

    /// Disables an account and ends its logins, or enables it again. The caller saves it.
    func setDisabled(_ isDisabled: Bool, _ account: inout AccountRecord) throws(AccountError) {
        account.isDisabled = isDisabled
        if isDisabled { try endSessions(of: account.id) }
    }

    func account(of identity: AccountRecord.Identity) throws(AccountError) -> AccountRecord? {
        guard let bytes = try trees.get(Self.key(identity), in: "identities") else { return nil }
        return try account(ExactString(String(decoding: bytes, as: UTF8.self)))
    }

    func save(_ account: AccountRecord) throws(AccountError) {
        try put("users", account.id.string, account)
        for identity in account.identities {
            try trees.put(Array(account.id.string.utf8), Self.key(identity), in: "identities")
        }
    }

    private static func key(_ identity: AccountRecord.Identity) -> [UInt8] {
        Array(identity.provider.string.utf8) + [0] + Array(identity.id.string.utf8)
    }

    func remove(_ identity: AccountRecord.Identity) throws(AccountError) {
        try trees.remove(Self.key(identity), in: "identities")
    }

    /// Deletes an account with all ways to log in to it.
    func delete(_ account: AccountRecord) throws(AccountError) {
        try endSessions(of: account.id)
        for id in try members("keysOf", of: account.id) { try removeKey(id, of: account.id) }
        for identity in account.identities {
            try remove(identity)
            if identity.provider == Provider.password { try removePassword(identity.id) }
        }
        try remove("users", account.id.string)
    }

    // MARK: - Passwords

    func password(_ email: ExactString) throws(AccountError) -> PasswordRecord? { try get("passwords", email.string) }

    func removePassword(_ email: ExactString) throws(AccountError) { try remove("passwords", email.string) }

    func save(_ password: PasswordRecord, of email: ExactString) throws(AccountError) {
        try put("passwords", email.string, password)
    }

    // MARK: - Sessions

    func session(_ id: String) throws(AccountError) -> SessionRecord? { try get("sessions", id) }

    func save(_ session: SessionRecord, _ id: String) throws(AccountError) {
        try put("sessions", id, session)
        try trees.put([], Array(session.account.string.utf8) + [0] + Array(id.utf8), in: "sessionsOf")
    }

    func removeSession(_ id: String, of account: ExactString) throws(AccountError) {
        try remove("sessions", id)
        try trees.remove(Array(account.string.utf8) + [0] + Array(id.utf8), in: "sessionsOf")
    }

    /// Ends logins of an account: all of them, or those made with one key.
    func endSessions(
        of account: ExactString, where isMeant: (SessionRecord) -> Bool = { _ in true }
    ) throws(AccountError) {
        try endSessions(try members("sessionsOf", of: account), of: account, where: isMeant)
    }

    /// Ends logins of an account that have expired, of as many as a login can look at: one account may be that of a whole fleet.
    ///
    /// - Parameter id: of a new login, drawn at random. Those behind it are looked at, so that it is the turn of others each time.
    func endExpiredSessions(of account: ExactString, at now: UInt64, near id: String) throws(AccountError) {
        let count = Self.sessionsLookedAt
        var ids = try members("sessionsOf", of: account, from: id, countMax: count)
        if ids.count < count {
            ids += try members("sessionsOf", of: account, countMax: count - ids.count).filter { !ids.contains($0) }
        }
        try endSessions(ids, of: account) { $0.expires <= now }
    }

    private static let sessionsLookedAt = 50

    private func endSessions(
        _ ids: [String], of account: ExactString, where isMeant: (SessionRecord) -> Bool
    ) throws(AccountError) {
        let sessions: [(String, SessionRecord)] = try records("sessions", ids)
        for (id, session) in sessions where isMeant(session) { try removeSession(id, of: account) }
    }

    // MARK: - Keys

    func key(_ id: String) throws(AccountError) -> KeyRecord? { try get("keys", id) }

    func keys(of account: ExactString) throws(AccountError) -> [KeyRecord] {
        var keys: [KeyRecord] = []
        for id in try members("keysOf", of: account) {
            if let key = try key(id) { keys.append(key) }
        }
        return keys.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    func save(_ key: KeyRecord) throws(AccountError) {
        try put("keys", key.id, key)
        try trees.put([], Array(key.account.string.utf8) + [0] + Array(key.id.utf8), in: "keysOf")
    }

    func removeKey(_ id: String, of account: ExactString) throws(AccountError) {
        try remove("keys", id)
        try trees.remove(Array(account.string.utf8) + [0] + Array(id.utf8), in: "keysOf")
    }

    // MARK: - Tokens of messages

    func messageToken(_ id: String) throws(AccountError) -> MessageTokenRecord? { try get("tokens", id) }

    func save(_ token: MessageTokenRecord, _ id: String) throws(AccountError) { try put("tokens", id, token) }

    func removeMessageToken(_ id: String) throws(AccountError) { try remove("tokens", id) }

    /// Removes expired tokens, and all of one purpose and address: only the newest message is good.
    func removeMessageTokens(_ purpose: AccountMessage.Kind, of email: ExactString, at now: UInt64) throws(AccountError)
    {
        let tokens: [(String, MessageTokenRecord)] = try records("tokens", try keys("tokens"))
        for (id, token) in tokens
        where token.expires <= now || (token.purpose == purpose && token.email == email) {
            try removeMessageToken(id)
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
