import CausewayIdentity
import Yams

extension Configuration {
    /// Limits that are checked before a file is parsed. Indentation and brackets bound the nesting, because the YAML
    /// parser recurses.
    enum FileLimits {
        static let bytes = 256 << 10
        /// Bytes of a line that can open a level: its indentation, and every `-`, `?` and `:` before a space.
        static let indentation = 1_000
        static let brackets = 200
        static let databases = 1_000
    }

    /// Reads the YAML text of a configuration. Throws everything that is wrong with it.
    ///
    /// Paths stay as written: relative ones count from the file's folder, which the caller knows.
    static func read(_ text: String) throws(ConfigurationError) -> Configuration {
        try checkSize(text)
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw ConfigurationError(problems: [ConfigurationProblem("", "The file is not YAML: \(error)")])
        }
        var section = Section(root, path: "")
        if root == nil {
            section.take([ConfigurationProblem("", "The file is empty. Begin with the annotated example.")])
        }
        var configuration = Configuration()
        configuration.listen = readListen("listen", &section, standard: Listen())
        configuration.tls = readTLS(&section)
        configuration.tokens = readTokens(&section)
        configuration.limits = readLimits(&section)
        configuration.databases = readDatabases(&section, configuration.tokens, configuration.limits)
        configuration.databasesFolder = section.text("databasesFolder")
        if configuration.databasesFolder?.isEmpty == true {
            section.note("databasesFolder", nil, "The folder is not named. Leave the key out.")
        }
        configuration.accounts = readAccounts(&section)
        if configuration.accounts == nil { noteMissingKeys(configuration, &section) }
        configuration.admin = readAdmin(&section)
        if section.node("api") != nil {
            configuration.api = readListen("api", &section, standard: .backEnds)
        }
        configuration.backups = readBackups(&section)
        configuration.journal = readJournal(&section)
        configuration.log = readLog(&section)
        let problems = section.finish()
        guard problems.isEmpty else {
            throw ConfigurationError(problems: problems.sorted { ($0.line ?? 0, $0.key) < ($1.line ?? 0, $1.key) })
        }
        return configuration
    }

    static func checkSize(_ text: String) throws(ConfigurationError) {
        let bytes = text.utf8
        var problem: String?
        if bytes.count > FileLimits.bytes {
            problem = "The file is larger than \(FileLimits.bytes) bytes."
        } else if bytes.split(separator: UInt8(ascii: "\n")).contains(where: { levels($0) > FileLimits.indentation }) {
            problem = "A line is indented by more than \(FileLimits.indentation) bytes."
        } else if bytes.count(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) > FileLimits.brackets {
            problem = "The file has more than \(FileLimits.brackets) opening brackets."
        }
        guard let problem else { return }
        throw ConfigurationError(
            problems: [ConfigurationProblem("", "\(problem) Is this the server's configuration?")]
        )
    }

    /// An upper bound of the levels that a line opens.
    private static func levels(_ line: Substring.UTF8View) -> Int {
        let indicators: [UInt8] = [UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":")]
        var levels = line.prefix { $0 == UInt8(ascii: " ") || indicators.contains($0) }.count
        for (byte, next) in zip(line, line.dropFirst()) where indicators.contains(byte) && next == UInt8(ascii: " ") {
            levels += 1
        }
        return levels
    }

    // MARK: - Sections

    /// - Parameter standard: what holds where the section does not say otherwise.
    private static func readListen(_ path: String, _ root: inout Section, standard: Listen) -> Listen {
        var section = Section(root.node(path), path: path)
        var listen = standard
        if let host = section.text("host") {
            if host.isEmpty { section.note("host", nil, "The address is empty. 0.0.0.0 listens on every one.") }
            listen.host = host
        }
        listen.port = section.number("port", 0...65_535, default: listen.port)
        root.take(section.finish())
        return listen
    }

    private static func readTLS(_ root: inout Section) -> TLS {
        var section = Section(root.node("tls"), path: "tls")
        let make = "For development, make both with: sync-server keys --folder keys"
        let tls = TLS(
            certificate: section.requiredText("certificate", "Name the PEM file of the server's certificate. \(make)"),
            key: section.requiredText("key", "Name the PEM file of the certificate's key. \(make)")
        )
        root.take(section.finish())
        return tls
    }

    private static func readDatabases(_ root: inout Section, _ tokens: Tokens, _ limits: Limits) -> [Database] {
        let nodes = root.list("databases")
        if nodes.isEmpty, root.node("databasesFolder") == nil {
            root.note("databases", nil, "No database is named. Give a list with a name and a folder each.")
        }
        if nodes.count > FileLimits.databases {
            root.note("databases", nil, "There are \(nodes.count) databases, and \(FileLimits.databases) are the most.")
        }
        var databases: [Database] = []
        for (index, node) in nodes.prefix(FileLimits.databases).enumerated() {
            var section = Section(node, path: "databases[\(index)]")
            let database = readDatabase(&section, tokens, limits)
            let (name, folder) = (database.name, database.folder)
            if databases.contains(where: { $0.name == name && !name.isEmpty }) {
                section.note("name", node, "Two databases are named '\(name.prefix(64))'. Give each its own name.")
            }
            if databases.contains(where: { $0.folder == folder && !folder.isEmpty }) {
                section.note("folder", node, "Two databases share one folder. Give each its own folder.")
            }
            root.take(section.finish())
            databases.append(database)
        }
        return databases
    }

    /// An entry of the list, or a file of `databasesFolder`.
    static func readDatabase(_ section: inout Section, _ tokens: Tokens, _ limits: Limits) -> Database {
        let name = section.requiredText("name", "Clients name it in every request.")
        let folder = section.requiredText("folder", "Name the folder that holds the data.")
        if !name.isEmpty, !isDatabaseName(name) {
            section.note(
                "name", section.node("name"),
                "'\(name.prefix(40))' cannot stand in a URL. Use 1 to 64 letters, digits, '-' and '_'.")
        }
        let permissions = readPermissions(&section)
        let own = section.node("tokens").map { _ in readTokens(&section, inheriting: tokens) }
        let carriers = readCarriers(&section)
        return Database(
            name: name, folder: folder, permissions: permissions, tokens: own, carriers: carriers,
            limits: readLimits(of: &section, inheriting: limits))
    }

    static func isDatabaseName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }

    /// The section `tokens` of a parent. What it leaves out is as in `inherited`; `keys` and `keySet` go together.
    private static func readTokens(_ parent: inout Section, inheriting inherited: Tokens = Tokens()) -> Tokens {
        var section = Section(parent.node("tokens"), path: parent.key("tokens"))
        var tokens = inherited
        let keySet = section.text("keySet")
        if section.node("keys") != nil || keySet != nil {
            tokens.keys = readKeys(&section)
            tokens.keySet = keySet
        }
        if keySet?.isEmpty == true { section.note("keySet", nil, "The file is not named. Leave the key out.") }
        if section.node("issuers") != nil { tokens.issuers = section.texts("issuers") }
        if section.node("audiences") != nil { tokens.audiences = section.texts("audiences") }
        if let claim = section.text("userClaim") {
            if claim.isEmpty { section.note("userClaim", nil, "The claim is empty. Leave the key out for 'sub'.") }
            tokens.userClaim = claim
        }
        tokens.notBeforeLeewaySeconds = section.number(
            "notBeforeLeewaySeconds", 0...3_600, default: tokens.notBeforeLeewaySeconds
        )
        parent.take(section.finish())
        return tokens
    }

    private static func readKeys(_ section: inout Section) -> [Tokens.Key] {
        var keys: [Tokens.Key] = []
        for (index, node) in section.list("keys").enumerated() {
            var key = Section(node, path: "\(section.key("keys"))[\(index)]")
            let file = key.requiredText("file", "Name the file of a key that tokens are signed with.")
            let algorithm: SigningAlgorithm? = key.choice("algorithm", default: nil)
            let id = key.text("id")
            if id?.isEmpty == true {
                key.note("id", node, "The id is empty. Leave the key out, or name a token's kid.")
            }
            if let id, keys.contains(where: { $0.id == id }) {
                key.note("id", node, "Two keys have this id. Give each its own.")
            }
            if let algorithm {
                keys.append(Tokens.Key(file: file, algorithm: algorithm, id: id))
                if keys.count(where: { $0.id == nil && $0.algorithm == algorithm }) > TokenVerifier.keysTriedMax {
                    key.note(
                        "id", node,
                        "There are more than \(TokenVerifier.keysTriedMax) keys of \(algorithm.rawValue) without an id, and "
                            + "each token would be tried with all of them. Give them ids.")
                }
            }
            section.take(key.finish())
        }
        return keys
    }

    /// Without accounts, each database needs a key to verify tokens with.
    private static func noteMissingKeys(_ configuration: Configuration, _ root: inout Section) {
        let lacking = configuration.databases.contains { database in
            let tokens = configuration.tokens(of: database)
            return tokens.keys.isEmpty && tokens.keySet == nil
        }
        // Databases in files of their own say so themselves.
        let hasNone = configuration.databases.isEmpty && configuration.databasesFolder == nil
        guard lacking || hasNone && configuration.tokens == Tokens() else { return }
        // A section whose keys are all wrong has said so already.
        if case .sequence(let keys)? = root.node("tokens")?["keys"], !keys.isEmpty { return }
        root.note(
            "tokens.keys", nil,
            "No key is named, so no token could be verified. Give keys, a JWKS file as keySet, or accounts."
        )
    }

    private static func readLog(_ root: inout Section) -> Log {
        var section = Section(root.node("log"), path: "log")
        var log = Log()
        log.level = section.choice("level", default: log.level) ?? log.level
        log.format = section.choice("format", default: log.format) ?? log.format
        log.audit = readAudit(&section)
        log.slowMilliseconds = section.number("slowMilliseconds", 1...600_000, default: log.slowMilliseconds)
        root.take(section.finish())
        return log
    }
}
