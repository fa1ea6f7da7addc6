import CausewayEnvironment
import CausewayModel
import Foundation

/// An API key as its owner sees it.
struct KeyView: Encodable, Sendable {
    var id: String
    var name: String
    var disabled: Bool
    /// The key itself, only when it is made.
    var key: String?

    init(_ record: KeyRecord) {
        id = record.id
        name = record.name
        disabled = record.isDisabled
    }
}

extension Accounts {
    func createKey(_ request: AccountRequest, _ caller: Caller) async throws(AccountError) -> KeyView {
        guard rules.userAPIKeys else {
            throw AccountError(.authProviderNotFound, "This server lets users make no API keys.")
        }
        let name = try request.required(\.name, "name")
        guard name.utf8.count <= AccountRules.nameBytesMax else {
            throw AccountError(.invalidParameter, "A key's name has \(AccountRules.nameBytesMax) bytes at most.")
        }
        let secret = Secret(random)
        let now = clock.now()
        let record = try await writing { [self] tables throws(AccountError) in
            var account = try account(of: caller, in: tables)
            let keys = try tables.keys(of: account.id)
            guard !keys.contains(where: { $0.name.isSame(as: name) }) else {
                throw AccountError(.apiKeyAlreadyExists, "You have a key of this name already.")
            }
            guard keys.count < AccountRules.keysPerUserMax else {
                throw AccountError(
                    .badRequest, "You have \(keys.count) keys, and \(AccountRules.keysPerUserMax) are the most.")
            }
            account.identities.append(.init(provider: Provider.key, id: ExactString(secret.id)))
            try tables.save(account)
            let record = KeyRecord(
                id: secret.id, name: name, account: account.id, digest: secret.digest, created: now)
            try tables.save(record)
            return record
        }
        var view = KeyView(record)
        view.key = secret.text
        return view
    }

    func keys(_ caller: Caller) async throws(AccountError) -> [KeyView] {
        try await reading { [self] tables throws(AccountError) in
            try tables.keys(of: try account(of: caller, in: tables).id).filter { !$0.isServer }.map(KeyView.init)
        }
    }

    func key(_ request: AccountRequest, _ caller: Caller) async throws(AccountError) -> KeyView {
        let id = try request.required(\.id, "id")
        return try await reading { tables throws(AccountError) in
            KeyView(try Self.key(id, of: caller, tables))
        }
    }

    /// A key of the caller's own; those of others do not exist for them.
    private static func key(
        _ id: String, of caller: Caller, _ tables: AccountTables
    ) throws(AccountError) -> KeyRecord {
        guard Secret.isID(id), let key = try tables.key(id), key.account == caller.user, !key.isServer else {
            throw AccountError(.valueNotFound, "You have no key of this id.")
        }
        return key
    }

    func setKey(_ request: AccountRequest, _ caller: Caller, isDisabled: Bool) async throws(AccountError) {
        let id = try request.required(\.id, "id")
        try await writing { [self] tables throws(AccountError) in
            _ = try account(of: caller, in: tables)
            var key = try Self.key(id, of: caller, tables)
            key.isDisabled = isDisabled
            try tables.save(key)
            if isDisabled { try tables.endSessions(of: key.account) { $0.key == id } }
        }
    }

    func deleteKey(_ request: AccountRequest, _ caller: Caller) async throws(AccountError) {
        let id = try request.required(\.id, "id")
        try await writing { [self] tables throws(AccountError) in
            var account = try account(of: caller, in: tables)
            let key = try Self.key(id, of: caller, tables)
            try tables.endSessions(of: account.id) { $0.key == id }
            try tables.removeKey(key.id, of: account.id)
            let identity = AccountRecord.Identity(provider: Provider.key, id: ExactString(key.id))
            account.identities.removeAll { $0 == identity }
            try tables.save(account)
            try tables.remove(identity)
        }
    }
}
