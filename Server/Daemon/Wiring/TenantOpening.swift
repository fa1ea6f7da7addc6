import CausewayEnvironment
import CausewayIdentity
import CausewayLimits
import CausewayStore
import Logging

/// Opens databases as the configuration has them: at the start, and while the server runs.
struct TenantOpening: Sendable {
    let clock: any WallClock
    let logger: Logger
    let telemetry: Telemetry
    let verifiers: TokenVerifiers
    /// How the accounts of all databases reach their users.
    let messenger: any AccountMessenger

    init(
        _ configuration: Configuration, verifiers: TokenVerifiers, clock: any WallClock, telemetry: Telemetry,
        logger: Logger
    ) {
        self.clock = clock
        self.logger = logger
        self.telemetry = telemetry
        self.verifiers = verifiers
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
        let rates = RateGate(limits.rates, reached: telemetry.reached(in: database.name))
        let opened = try await openAccounts(of: database, accounts, providers, rates)
        do throws(CommandFailure) {
            return try Tenant(
                database, lock, limits: limits, rates: rates, accounts: opened, clock: clock, random: SystemRandom(),
                logger: logger,
                observer: SessionTelemetry(database: database.name, telemetry: telemetry))
        } catch {
            opened?.close()
            throw error
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
                folder: database.folder, database: database.name, rules: accounts.rules, providers: providers,
                messenger: messenger, functions: ProgramFunctions(accounts.functions, logger: logger),
                rates: rates, clock: clock)
        } catch {
            throw CommandFailure(error.message)
        }
    }

    /// Puts the webhooks and sinks of a database to work, in the place of those that were at work before.
    func carry(_ database: Configuration.Database, _ tenant: Tenant) async throws(CommandFailure) {
        do throws(StoreFailure) {
            await tenant.carry(try Carriers(database.carriers, of: tenant, clock: clock, logger: logger))
        } catch {
            throw CommandFailure("The sinks of '\(database.name)' cannot begin: \(error.message)")
        }
    }
}
