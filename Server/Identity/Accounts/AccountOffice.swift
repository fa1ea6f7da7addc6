package import CausewayEnvironment
import CausewayModel
import Foundation

/// The operator's work on the accounts of a database, whether the server runs or not.
package struct AccountOffice {
    private let home: any AccountHome
    private let clock: any WallClock
    private let random: any RandomSource

    /// - Throws: When there are no accounts in the folder.
    package init(
        folder: String, clock: any WallClock = SystemClock(), random: any RandomSource = SystemRandom()
    ) throws {
        guard AccountFile.exists(inFolder: folder) else {
            throw IdentityError(
                .requestInvalid,
                "There are no accounts in \(folder) yet. They are made when a server with `accounts` in its "
                    + "configuration first serves the database.")
        }
        self.init(try AccountFile(folder: folder), clock: clock, random: random)
    }

    /// - Parameter home: closed with this.
    package init(
        _ home: any AccountHome, clock: any WallClock = SystemClock(), random: any RandomSource = SystemRandom()
    ) {
        self.home = home
        self.clock = clock
        self.random = random
    }

    package func close() {
        home.close()
    }

    /// All users, one line of JSON each.
    package func list() throws -> [String] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try reading { tables in
            try tables.accountIDs().compactMap { id in
                try tables.account(id).map { String(decoding: try encoder.encode($0), as: UTF8.self) }
            }
        }
    }

    /// Makes a key with which a program logs in as a user of its own. Returns the key and the user's id.
    package func makeServerKey(named name: String) throws -> (key: String, user: String) {
        guard !name.isEmpty, name.utf8.count <= AccountRules.nameBytesMax else {
            throw IdentityError(
                .requestInvalid, "A key's name has 1 to \(AccountRules.nameBytesMax) bytes. Name it with --name.")
        }
        let secret = Secret(random)
        let identity = AccountRecord.Identity(provider: Provider.key, id: ExactString(secret.id))
        let account = AccountRecord(
            id: ExactString(Secret.id(random)), identities: [identity], profile: ["name": .string(name)],
            created: clock.now())
        try change { tables in
            try tables.save(account)
            try tables.save(
                KeyRecord(
                    id: secret.id, name: name, account: account.id, digest: secret.digest, isServer: true,
                    created: clock.now()))
        }
        return (secret.text, account.id.string)
    }

    /// Shuts a user out and ends their logins, or lets them in again.
    package func setDisabled(_ isDisabled: Bool, user: String) throws {
        try change(user) { account, tables in try tables.setDisabled(isDisabled, &account) }
    }

    /// Stores data for a user's apps: a JSON object.
    package func setCustomData(_ json: String, user: String) throws {
        let data: [String: ClaimValue]
        do throws(ClaimReadingError) {
            data = try [String: ClaimValue](json: json.utf8, within: .customData)
        } catch {
            throw IdentityError(
                .requestInvalid, "The custom data cannot be taken: \(error). Write --json '{\"name\": …}'.")
        }
        try change(user) { account, _ in account.customData = data }
    }

    /// Sets a user's roles: none, one or several.
    package func setRoles(_ roles: [String], user: String) throws {
        let areGood =
            roles.count <= AccountRules.rolesMax
            && roles.allSatisfy { !$0.isEmpty && $0.utf8.count <= AccountRules.nameBytesMax }
        guard areGood else {
            throw IdentityError(
                .requestInvalid,
                "A user has at most \(AccountRules.rolesMax) roles, of 1 to \(AccountRules.nameBytesMax) bytes each.")
        }
        try change(user) { account, _ in account.roles = roles.isEmpty ? nil : roles }
    }

    func reading<Value>(_ body: (AccountTables) throws -> Value) throws -> Value {
        try home.read { try body(AccountTables($0)) }
    }

    private func change(_ user: String, _ body: (inout AccountRecord, AccountTables) throws -> Void) throws {
        try change { tables in
            guard var account = try tables.account(ExactString(user)) else {
                throw IdentityError(.requestInvalid, "There is no user '\(user)'. List them with: accounts list")
            }
            try body(&account, tables)
            try tables.save(account)
        }
    }

    private func change(_ body: (AccountTables) throws -> Void) throws {
        try home.write { try body(AccountTables($0)) }
    }
}
