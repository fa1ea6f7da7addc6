import CausewayIdentity
import CausewayModel
import CausewayObjectStore
import CausewayTelemetry
import Foundation

/// A configuration checked against the disk: the keys and certificates that could be read, and everything that is
/// wrong.
struct Inspection {
    /// What keeps the server from starting.
    var problems: [ConfigurationProblem] = []
    /// What keeps single databases from being opened. The server serves the others.
    var databaseProblems: [ConfigurationProblem] = []
    var allProblems: [ConfigurationProblem] { problems + databaseProblems }
    var warnings: [ConfigurationProblem] = []
    var certificateChain = ""
    var certificateKey = ""
    var hosts: [String] = []
    /// When the server's certificate ends; nil where it cannot be read.
    var certificateEnd: Date?
    /// The keys of the section `tokens`.
    var keys: [TrustedKey] = []
    /// Those of databases with a section of their own, by name.
    var keysOfDatabases: [String: [TrustedKey]] = [:]
    var allKeys: [TrustedKey] { keys + keysOfDatabases.sorted { $0.key < $1.key }.flatMap(\.value) }
    /// The verifiers of the providers' id tokens, by the providers' names on the wire.
    var providers: [String: TokenVerifier] = [:]
    /// The admin listener's token, and the certificates of those who sign its clients' certificates.
    var adminToken: String?
    var adminAuthorities: String?

    /// What the files held that were read, by their paths.
    private(set) var digests: [String: KeyDigest] = [:]

    /// No key or certificate file is larger.
    static let keyFileBytesMax = 1 << 20

    /// - Parameter onlyKeys: whether to read certificates and keys only, and leave databases and programs alone.
    init(_ configuration: Configuration, now: Date, onlyKeys: Bool = false) async {
        inspectTLS(configuration.tls, now)
        // A section that every database replaces is no reason for a warning.
        let isInUse = configuration.databases.contains { $0.tokens == nil }
        keys = await inspectTokens(configuration.tokens, key: "tokens", isInUse: isInUse)
        for (index, database) in configuration.databases.enumerated() {
            guard let tokens = database.tokens else { continue }
            keysOfDatabases[database.name] = await inspectTokens(tokens, key: "databases[\(index)].tokens")
        }
        if let accounts = configuration.accounts { await inspectProviders(accounts) }
        if let admin = configuration.admin { inspectAdminKeys(admin) }
        if onlyKeys { return }
        inspectListening(configuration)
        if let admin = configuration.admin { inspectAdminListening(admin, configuration.listen) }
        if case .file(let path)? = configuration.log.audit {
            inspectAppending(path, key: "log.audit")
        }
        if let folder = configuration.databasesFolder { inspectDatabasesFolder(folder) }
        inspectSharedTokens(configuration)
        if let accounts = configuration.accounts { inspectAccounts(accounts) }
        for (index, database) in configuration.databases.enumerated() {
            inspectOpening(of: database, key: "databases[\(index)].folder")
            inspectPermissions(of: database, configuration, key: "databases[\(index)].permissions")
            inspectCarriers(database.carriers, key: "databases[\(index)]")
            inspectCarriedClasses(of: database, key: "databases[\(index)]")
        }
        inspectFoldersApart(configuration)
        inspectSinkFolders(configuration.databases)
        if let backups = configuration.backups { inspectBackups(backups, configuration.databases) }
        if let journal = configuration.journal { inspectJournal(journal) }
    }

    /// A database that comes while the server runs. Others are not looked at: they are open.
    init(adding database: Configuration.Database, to configuration: Configuration) async {
        let key = "databases.\(database.name)"
        if let tokens = database.tokens {
            keysOfDatabases[database.name] = await inspectTokens(tokens, key: "\(key).tokens")
        }
        if let accounts = configuration.accounts { await inspectProviders(accounts) }
        inspectFolder(database.folder, key: "\(key).folder")
        inspectCarriers(database.carriers, key: key)
        inspectCarriedClasses(of: database, key: key)
        inspectFoldersApart(configuration)
        inspectSinkFolders(configuration.databases)
        if let backups = configuration.backups { inspectBackups(backups, [database]) }
    }

    /// The verifiers of other issuers' tokens. Throws when anything is wrong.
    func verifiers(_ configuration: Configuration) throws(ConfigurationError) -> TokenVerifiers.Content {
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return verifiers(configuration, orKeeping: TokenVerifiers.Content())
    }

    /// The verifiers after a reload. Where a key has a problem, those stay that were in force.
    func verifiers(
        _ configuration: Configuration, orKeeping before: TokenVerifiers.Content
    ) -> TokenVerifiers.Content {
        func isGood(_ section: String) -> Bool { !problems.contains { $0.isOf(section) } }
        // Databases that are about to be dropped keep theirs until they are off the list.
        var content = before
        if isGood("tokens") { content.shared = TokenVerifier(configuration.tokens, keys: keys) }
        for (index, database) in configuration.databases.enumerated()
        where isGood(database.tokens == nil ? "tokens" : "databases[\(index)].tokens") {
            content.ofDatabases[database.name] = .some(verifier(of: database, orShared: content.shared))
        }
        return content
    }

    /// The verifier of a database by its own section, or else the one of the section `tokens`.
    func verifier(of database: Configuration.Database, orShared shared: TokenVerifier?) -> TokenVerifier? {
        guard let tokens = database.tokens else { return shared }
        return TokenVerifier(tokens, keys: keysOfDatabases[database.name] ?? [])
    }

    // MARK: - TLS

    /// Of the certificate and its key.
    var certificateDigests: [KeyDigest] { [certificateChain, certificateKey].map(KeyDigest.init) }

    /// Of what the admin listener works with, where it speaks TLS.
    var adminCertificateDigests: [KeyDigest] { certificateDigests + [KeyDigest(adminAuthorities ?? "")] }

    private mutating func inspectTLS(_ tls: Configuration.TLS, _ now: Date) {
        let make = "For development, make one with: sync-server keys --folder keys"
        let chain = text(of: tls.certificate, key: "tls.certificate", make)
        let key = text(of: tls.key, key: "tls.key", make)
        guard let chain, let key else { return }
        let findings = ServerCertificate.inspect(chain: chain, key: key, now: now)
        problems += findings.errors.map { ConfigurationProblem("tls", $0) }
        warnings += findings.warnings.map { ConfigurationProblem("tls.certificate", $0) }
        if Self.isReadableByOthers(tls.key) {
            warnings.append(
                ConfigurationProblem("tls.key", "Others can read \(tls.key). Take it from them: chmod 600 \(tls.key)")
            )
        }
        (certificateChain, certificateKey, hosts) = (chain, key, findings.hosts)
        certificateEnd = findings.end
    }

    // MARK: - Tokens

    private mutating func inspectTokens(
        _ tokens: Configuration.Tokens, key path: String, isInUse: Bool = true
    ) async -> [TrustedKey] {
        var keys: [TrustedKey] = []
        for (index, key) in tokens.keys.enumerated() {
            let place = "\(path).keys[\(index)].file"
            guard let text = text(of: key.file, key: place, "Ask the issuer of the tokens for its public key.") else {
                continue
            }
            do throws(IdentityError) {
                keys.append(
                    try await TrustedKey.load(text, algorithm: key.algorithm, id: key.id, source: key.file))
            } catch {
                problems.append(ConfigurationProblem(place, error.message))
            }
            if key.algorithm.isSymmetric, Self.isReadableByOthers(key.file) {
                warnings.append(
                    ConfigurationProblem(
                        place,
                        "Others can read this secret, and so sign tokens. Take it from them: chmod 600 \(key.file)"))
            }
            if text.contains("PRIVATE KEY") {
                warnings.append(
                    ConfigurationProblem(
                        place,
                        "This is the private key, with which tokens are signed. A server needs the public one alone: take "
                            + "this one away from it."))
            }
        }
        if let file = tokens.keySet, let text = text(of: file, key: "\(path).keySet", "Download the issuer's JWKS.") {
            do throws(IdentityError) {
                keys += try await TrustedKey.loadSet(text, source: file)
                warnOfPrivateKeys(text, key: "\(path).keySet")
            } catch {
                problems.append(ConfigurationProblem("\(path).keySet", error.message))
            }
        }
        let ids = keys.compactMap(\.id)
        if Set(ids).count < ids.count {
            problems.append(
                ConfigurationProblem(path, "A key and a key of the set have the same id. Rename the one in keys."))
        }
        if isInUse, !keys.isEmpty, tokens.issuers.isEmpty || tokens.audiences.isEmpty {
            warnings.append(
                ConfigurationProblem(
                    path,
                    "Tokens of any \(tokens.issuers.isEmpty ? "issuer" : "audience") are taken. "
                        + "In production, name issuers and audiences."))
        }
        return keys
    }

    private mutating func warnOfPrivateKeys(_ keySet: String, key place: String) {
        guard TrustedKey.hasPrivateKeys(keySet) else { return }
        warnings.append(
            ConfigurationProblem(
                place,
                "A key of this set is a private one, with which tokens are signed. A server needs the public ones alone: take "
                    + "this one away from it."))
    }

    /// Warns once of databases that accept the same tokens: to whoever holds a token they are one.
    private mutating func inspectSharedTokens(_ configuration: Configuration) {
        let databases = configuration.databases
        for (index, database) in databases.enumerated() {
            let tokens = configuration.tokens(of: database)
            let other = databases[..<index].first { configuration.tokens(of: $0).sharesTokens(with: tokens) }
            guard let other else { continue }
            warnings.append(
                ConfigurationProblem(
                    "databases[\(index)].tokens",
                    "Tokens for '\(other.name)' are good for '\(database.name)' too. Unless that is meant, give each database "
                        + "a section tokens with audiences of its own."))
            return
        }
    }

    // MARK: - Accounts

    private mutating func inspectProviders(_ accounts: Configuration.Accounts) async {
        for (index, provider) in accounts.providers.enumerated() {
            let place = "accounts.providers[\(index)].keySet"
            guard let text = text(of: provider.keySet, key: place, "Download the provider's JWKS.") else { continue }
            do throws(IdentityError) {
                providers[provider.name.provider] = TokenVerifier(
                    keys: try await TrustedKey.loadSet(text, source: provider.keySet),
                    rules: TokenRules(issuers: provider.issuers, audiences: provider.audiences))
                warnOfPrivateKeys(text, key: place)
            } catch {
                problems.append(ConfigurationProblem(place, error.message))
            }
        }
    }

    private mutating func inspectAccounts(_ accounts: Configuration.Accounts) {
        inspectProgram(accounts.program, key: "accounts.program")
        for (index, function) in accounts.functions.enumerated() {
            inspectProgram(function.program, key: "accounts.functions[\(index)].program")
        }
        let rules = accounts.rules
        if rules.emailPassword, rules.confirmation == .message || rules.passwordReset == .message,
            accounts.program.isEmpty
        {
            warnings.append(
                ConfigurationProblem(
                    "accounts.program",
                    "Messages to users go to the log, with the tokens in them. In production, name a program that "
                        + "sends them."))
        }
        if rules.anonymous {
            warnings.append(
                ConfigurationProblem("accounts.anonymous", "Anybody may become a user of every database."))
        }
    }

    private mutating func inspectProgram(_ command: [String], key: String) {
        guard let program = command.first, !FileManager.default.isExecutableFile(atPath: program) else { return }
        problems.append(
            ConfigurationProblem(key, "\(program) is not a program this user may run. Check the path and its mode."))
    }

    // MARK: - Permissions

    /// Only warns: the classes may come with the next device.
    private mutating func inspectPermissions(
        of database: Configuration.Database, _ configuration: Configuration, key: String
    ) {
        guard let rules = database.permissions else { return }
        if let accounts = configuration.accounts, configuration.tokens(of: database).hasNoKeys {
            // Only the server's own tokens are accepted, and their claims are known.
            warnings += rules.unknownClaims(
                under: accounts.rules, providersProveAddresses: !accounts.providers.isEmpty
            ).map {
                ConfigurationProblem("\(key).\($0.key)", $0.message)
            }
        }
        let isNew = DatabaseFolder(database.folder).hasNoObjects
        guard let schema = isNew ? Schema() : Self.schema(of: database) else { return }
        if schema.classes.isEmpty, rules.extendSchema == .never {
            warnings.append(
                ConfigurationProblem(
                    "\(key).schema.extend",
                    "The database has no classes, and nobody may add any: no device is let in. Leave the key out, or "
                        + "permit somebody, until an app has brought its classes."))
        }
        if isNew { return }
        warnings += rules.problems(in: schema).map { ConfigurationProblem("\(key).\($0.key)", $0.message) }
    }

    /// Nil for a database that cannot be read: opening it tells why.
    static func schema(of database: Configuration.Database) -> Schema? {
        var options = ObjectStore.Options()
        options.readOnly = true
        guard let store = try? ObjectStore.open(path: DatabaseFolder(database.folder).objectsPath, options: options)
        else { return nil }
        defer { store.close() }
        guard let transaction = try? store.read() else { return nil }
        defer { transaction.end() }
        return transaction.schema.withoutNestedCollections
    }

    // MARK: - Files

    mutating func text(of path: String, key: String, _ remedy: String) -> String? {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size else {
            problems.append(ConfigurationProblem(key, "\(path) is not there or may not be seen. \(remedy)"))
            return nil
        }
        guard size <= Self.keyFileBytesMax else {
            problems.append(ConfigurationProblem(key, "\(path) has \(size) bytes, too many for a key. \(remedy)"))
            return nil
        }
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
        else {
            problems.append(
                ConfigurationProblem(key, "\(path) cannot be read as text. Check its owner and permissions. \(remedy)"))
            return nil
        }
        digests[path] = KeyDigest(text)
        return text
    }

    static func isReadableByOthers(_ path: String) -> Bool {
        let mode = (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int) ?? 0
        return mode & 0o044 != 0
    }
}
