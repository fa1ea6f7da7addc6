import CausewayIdentity
import Synchronization

/// The configuration that was read last, and what its files of keys held: a reload compares what it reads with it.
final class InForce: Sendable {
    private struct State {
        var configuration: Configuration
        var certificate: [KeyDigest]
        var keys: KeySections
    }

    private let state: Mutex<State>

    /// - Parameter inspection: of the configuration; nil where no files were read.
    init(_ configuration: Configuration, _ inspection: Inspection? = nil) {
        state = Mutex(
            State(
                configuration: configuration, certificate: inspection?.certificateDigests ?? [],
                keys: inspection.map { KeySections(configuration, $0) } ?? KeySections()))
    }

    var configuration: Configuration {
        get { state.withLock { $0.configuration } }
        set { state.withLock { $0.configuration = newValue } }
    }

    /// Takes a certificate and its key.
    func take(certificate: [KeyDigest]) { state.withLock { $0.certificate = certificate } }

    /// Whether a certificate and its key are in force.
    func has(certificate: [KeyDigest]) -> Bool { state.withLock { $0.certificate == certificate } }

    /// Takes the sections of keys that could be read.
    ///
    /// - Returns: whether they are others than before.
    func take(_ keys: KeySections) -> Bool {
        state.withLock { state in
            defer { state.keys = keys }
            return state.keys != keys
        }
    }

    // MARK: - One database

    /// Takes a database, with what its files of keys hold. The rest stays.
    func add(_ database: Configuration.Database, keys: Inspection) {
        state.withLock { state in
            state.configuration.databases.removeAll { $0.name == database.name }
            state.configuration.databases.append(database)
            state.keys.take(database, keys)
        }
    }

    /// Forgets a database. The rest stays.
    func remove(_ name: String) {
        state.withLock { state in
            state.configuration.databases.removeAll { $0.name == name }
            state.configuration.databasesWithFile.remove(name)
            state.keys.remove(name)
        }
    }
}

/// The sections of the configuration that name keys of tokens, with what the files held. A section that could not be read is
/// left out, so that it is something new once it can be.
struct KeySections: Hashable, Sendable {
    private struct Section: Hashable {
        var settings: Configuration.Tokens
        var digests: [KeyDigest?]
    }

    private struct Providers: Hashable {
        var settings: [Configuration.Accounts.Provider]
        var digests: [KeyDigest?]
    }

    /// The section `tokens`.
    private var shared: Section?
    private var ofDatabases: [String: Section] = [:]
    private var providers: Providers?

    init() {}

    init(_ configuration: Configuration, _ inspection: Inspection) {
        func isGood(_ section: String) -> Bool { !inspection.problems.contains { $0.isOf(section) } }
        if isGood("tokens") { shared = Self.section(configuration.tokens, inspection) }
        for (index, database) in configuration.databases.enumerated() where isGood("databases[\(index)].tokens") {
            take(database, inspection)
        }
        if isGood("accounts") {
            let settings = configuration.accounts?.providers ?? []
            providers = Providers(settings: settings, digests: settings.map { inspection.digests[$0.keySet] })
        }
    }

    mutating func take(_ database: Configuration.Database, _ inspection: Inspection) {
        ofDatabases[database.name] = database.tokens.map { Self.section($0, inspection) }
    }

    mutating func remove(_ database: String) { ofDatabases[database] = nil }

    private static func section(_ tokens: Configuration.Tokens, _ inspection: Inspection) -> Section {
        let files = tokens.keys.map(\.file) + [tokens.keySet].compactMap { $0 }
        return Section(settings: tokens, digests: files.map { inspection.digests[$0] })
    }
}
