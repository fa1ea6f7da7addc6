import CausewayEnvironment
import CausewayIdentity
import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayLimits
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Logging

/// Opens databases as the configuration has them: at the start, and while the server runs.
struct TenantOpening: Sendable {
    let clock: any WallClock
    let logger: Logger
    let telemetry: Telemetry
    let verifiers: TokenVerifiers
    /// How the accounts of all databases reach their users.
    let messenger: any AccountMessenger
    /// Nil when each database is a file of this server alone.
    let journal: Configuration.Journal?

    init(
        _ configuration: Configuration, verifiers: TokenVerifiers, clock: any WallClock, telemetry: Telemetry,
        logger: Logger
    ) {
        self.clock = clock
        self.logger = logger
        self.telemetry = telemetry
        self.verifiers = verifiers
        journal = configuration.journal
        let program = configuration.accounts?.program ?? []
        messenger =
            program.isEmpty ? LogMessenger(logger: logger) : ProgramMessenger(command: program, logger: logger)
    }

    /// - Parameters:
    ///   - accounts: the section of the start: what has changed in it waits for the next one.
    ///   - providers: the verifiers of the providers of accounts.
    func open(
        _ database: Configuration.Database, limits: Configuration.Limits, accounts: Configuration.Accounts?,
        providers: [String: TokenVerifier]
    ) async throws(CommandFailure) -> Tenant {
        let lock = try FolderLock(database.folder)
        let folder = DatabaseFolder(database.folder)
        try folder.requireObjects(of: database.name)
        if folder.hasNoObjects, journal == nil {
            logger.notice(
                "a new, empty database is made",
                metadata: ["database": "\(database.name)", "folder": "\(database.folder)"])
        }
        // Before the accounts, so that these are never alone.
        let node = try await openNode(database, limits)
        let store = if let node { node.replica } else { try Self.openStore(of: database, limits) }
        var opened: CausewayIdentity.Accounts?
        do throws(CommandFailure) {
            let rates = RateGate(limits.rates, reached: telemetry.reached(in: database.name))
            opened = try await openAccounts(of: database, accounts, providers, rates)
            return try Tenant(
                database, lock, store, node, limits: limits, rates: rates, accounts: opened, clock: clock,
                logger: logger,
                observer: SessionTelemetry(database: database.name, telemetry: telemetry))
        } catch {
            opened?.close()
            store.close()
            throw error
        }
    }

    /// Applies what the journal has.
    private func openNode(
        _ database: Configuration.Database, _ limits: Configuration.Limits
    ) async throws(CommandFailure) -> ServedNode? {
        guard let journal else { return nil }
        return try await onThread { [logger] () throws(CommandFailure) in
            try ServedNode.open(database, journal, limits.store, logger)
        }
    }

    /// Opens all databases. One that cannot be opened keeps the others from nothing: it is noted as an outage.
    ///
    /// - Throws: when none can be opened, unless the server is a node: the journal may be away, and comes back.
    func open(
        _ configuration: Configuration, providers: [String: TokenVerifier], into tenants: Tenants
    ) async throws(CommandFailure) {
        do throws(CommandFailure) {
            try await reachJournal()
        } catch {
            for database in configuration.databases { note(error, of: database, in: tenants) }
            return
        }
        for database in configuration.databases {
            do throws(CommandFailure) {
                tenants.add(
                    try await open(
                        database, limits: configuration.limits(of: database), accounts: configuration.accounts,
                        providers: providers))
            } catch {
                note(error, of: database, in: tenants)
            }
        }
        guard journal == nil, tenants.all.isEmpty, !tenants.outages.isEmpty else { return }
        throw CommandFailure(tenants.outages.map(\.reason).joined(separator: "\n"))
    }

    /// - Throws: why none of the databases of a node can be opened now. Who finds out for each of them waits many times.
    private func reachJournal() async throws(CommandFailure) {
        guard let journal else { return }
        try await onThread { () throws(CommandFailure) in
            do throws(JournalFailure) {
                try PostgreSQLJournal.reach(journal.settings)
            } catch {
                throw CommandFailure(error.message)
            }
        }
    }

    /// Runs what waits for PostgreSQL on a thread of its own.
    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CommandFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        try await StoreThread(label: "causeway.opening").runFreely {
            Result { () throws(CommandFailure) in try body() }
        }.get()
    }

    /// Notes that a database is not served, and says so in the log.
    func note(_ failure: CommandFailure, of database: Configuration.Database, in tenants: Tenants) {
        // A node tries again every few seconds.
        let isNews = tenants.outage(of: database.name)?.reason != "\(failure)"
        tenants.note(
            Outage(name: database.name, folder: database.folder, reason: "\(failure)", since: clock.now()))
        logger.log(
            level: isNews ? .error : .debug,
            "a database could not be opened and is not served; \(journal == nil ? "a reload" : "the node") tries again: \(failure)",
            metadata: ["database": "\(database.name)", "folder": "\(database.folder)"])
    }

    static func openStore(
        of database: Configuration.Database, _ limits: Configuration.Limits, random: any RandomSource = SystemRandom()
    ) throws(CommandFailure) -> StoreEmbedded {
        do throws(StoreFailure) {
            return try StoreEmbedded.open(
                folder: database.folder, options: limits.store, epochSeed: random.nextNonZero())
        } catch {
            throw CommandFailure("The database '\(database.name)' could not be opened: \(error.message)")
        }
    }

    private func openAccounts(
        of database: Configuration.Database, _ accounts: Configuration.Accounts?, _ providers: [String: TokenVerifier],
        _ rates: RateGate
    ) async throws(CommandFailure) -> CausewayIdentity.Accounts? {
        guard let accounts else { return nil }
        var providers = providers
        // The issuers whose tokens the database accepts anyway.
        providers["custom-token"] = verifiers[database.name]
        do throws(IdentityError) {
            return try await CausewayIdentity.Accounts.open(
                try home(of: database), database: database.name, rules: accounts.rules, providers: providers,
                messenger: messenger, functions: ProgramFunctions(accounts.functions, logger: logger),
                rates: rates, clock: clock)
        } catch {
            throw CommandFailure(error.message)
        }
    }

    private func home(of database: Configuration.Database) throws(IdentityError) -> any AccountHome {
        if let journal {
            return SharedAccounts(of: database.name, journal) { [logger] trouble in
                logger.error("accounts cannot be reached: \(trouble)", metadata: ["database": "\(database.name)"])
            }
        }
        return try AccountFile.opened(inFolder: database.folder, of: database.name)
    }

    /// Puts the webhooks and sinks of a database to work, in the place of those that were at work before.
    func carry(_ database: Configuration.Database, _ tenant: Tenant) async throws(CommandFailure) {
        do throws(StoreFailure) {
            // Kept by the database itself, which must not keep itself alive.
            try await tenant.carry(database.carriers) { [weak tenant, clock, logger] () throws(StoreFailure) in
                guard let tenant else { throw StoreFailure(.closed, "The database is not served any more.") }
                return try Carriers(database.carriers, of: tenant, clock: clock, logger: logger)
            }
        } catch {
            throw CommandFailure("The sinks of '\(database.name)' cannot begin: \(error.message)")
        }
    }
}
