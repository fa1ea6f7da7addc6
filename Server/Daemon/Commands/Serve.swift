import ArgumentParser
import CausewayAdmin
import CausewayBackup
import CausewayEndpoint
import CausewayEnvironment
import CausewayFeed
import CausewayIdentity
import CausewayTelemetry
import CausewayWire
import CoreMetrics
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves devices until SIGTERM or SIGINT.",
        discussion: """
            A second signal does not hurry it: after limits.gracefulEndSeconds what is left is closed.
            SIGHUP reads permissions, certificate and token keys anew; sessions go on under them at once. Certificate and
            keys are also read anew when their files change.
            """
    )

    @OptionGroup var option: ConfigurationOption

    func run() async throws {
        // A limit on the size of files must act like a full disk: as an error, which devices are told.
        signal(SIGXFSZ, SIG_IGN)
        OpenFiles.raise()
        MemoryReturn.limitArenas()
        let configuration = try readConfiguration()
        let clock = SystemClock()
        let inspection = await Inspection(configuration, now: Date())
        guard inspection.problems.isEmpty else {
            throw refusal(ConfigurationError(problems: inspection.problems))
        }
        configuration.log.start()
        let logger = Logger(label: "sync-server")
        for warning in inspection.warnings { logger.warning("\(warning)") }
        let telemetry = Telemetry(configuration.log, clock: clock, logger: logger)
        MetricsSystem.bootstrap(PrometheusFactory(telemetry.registry))
        let tenants = try configuration.databases.map { database throws(CommandFailure) in
            try Tenant(
                database, limits: configuration.limits, clock: clock, random: SystemRandom(), logger: logger,
                observer: SessionTelemetry(database: database.name, telemetry: telemetry))
        }
        let offices = Dictionary(
            uniqueKeysWithValues: configuration.databases.map { ($0.name, PermissionOffice($0.permissions)) })
        let verifiers = TokenVerifiers(try inspection.verifiers(configuration))
        let accounts = try await configuration.openAccounts(inspection, verifiers, clock: clock, logger: logger)
        let authenticator = TokenAuthenticator(
            verifiers: verifiers, accounts: accounts, offices: offices, clock: clock)
        let changes = ChangesService(
            Dictionary(uniqueKeysWithValues: tenants.map { ($0.name, $0.feed) }),
            callers: FeedAuthenticator(authenticator: authenticator),
            observer: FeedTelemetry(databases: tenants.map(\.name), telemetry: telemetry),
            now: { clock.now() })
        let endpoint = try Endpoint(
            configuration.endpoint(inspection),
            services: Dictionary(uniqueKeysWithValues: tenants.map { ($0.name, $0.conversations) }),
            accounts: accounts.mapValues(AccountCounter.init),
            authenticator: authenticator, clock: clock, logger: logger,
            observer: EndpointTelemetry(databases: tenants.map(\.name), telemetry: telemetry)
        )
        let api = try configuration.apiListener(
            inspection, tenants, authenticator, changes,
            observer: APITelemetry(databases: tenants.map(\.name), telemetry: telemetry), logger)
        let admin = try configuration.adminListener(inspection, endpoint, tenants, telemetry, logger: logger)
        telemetry.audit(AuditEvent(.serverStarted, subject: Release.version))
        defer { telemetry.audit(AuditEvent(.serverEnded)) }
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [.init(service: telemetry)]
        if let admin { services.append(.init(service: AdminServing(listener: admin.listener, logger: logger))) }
        services += [
            .init(
                service: Serving(
                    endpoint: endpoint, tenants: tenants, accounts: accounts, api: api, changes: changes,
                    logger: logger)),
            .init(
                service: Reloading(
                    file: option.file, configuration: configuration, endpoint: endpoint, tenants: tenants,
                    accounts: accounts, offices: offices, verifiers: verifiers, api: api, logger: logger, admin: admin,
                    telemetry: telemetry)),
            .init(service: MemoryReturn()),
            // The databases are open until the services that were started last have ended.
            .init(service: HistoryKeeping(tenants: tenants, logger: logger)),
            .init(service: Carrying(configuration.databases, tenants, clock: clock, logger: logger)),
        ]
        if let plan = configuration.backups {
            services.append(
                .init(
                    service: ScheduledBackups(
                        plan: plan, databases: configuration.databases.map { .init(name: $0.name, folder: $0.folder) },
                        clock: clock, logger: logger)))
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    private func readConfiguration() throws -> Configuration {
        do {
            return try option.read()
        } catch let error as ConfigurationError {
            throw refusal(error)
        }
    }

    private func refusal(_ error: ConfigurationError) -> CommandFailure {
        CommandFailure("The server does not start, for \(option.file) has problems:\n\(error)")
    }
}

extension Configuration {
    /// The admin listener, if there is one.
    func adminListener(
        _ inspection: Inspection, _ endpoint: Endpoint, _ tenants: [Tenant], _ telemetry: Telemetry, logger: Logger
    ) throws -> AdminListener? {
        guard let admin else { return nil }
        let databases = tenants.map(\.gauges)
        let scrape = Scrape(telemetry, databases: databases) { endpoint.connectionCount }
        var routes = AdminRoutes.api(AdminDesk(tenants: Tenants(tenants), telemetry: telemetry, logger: logger))
        routes.add(
            AdminRoutes.monitoring(scrape, isListening: { endpoint.isListening }, databases: databases).all)
        return try AdminListener(admin, inspection, routes, observer: AdminTelemetry(telemetry), logger: logger)
    }

    /// The accounts of every database, if there are any.
    func openAccounts(
        _ inspection: Inspection, _ verifiers: TokenVerifiers, clock: any WallClock, logger: Logger
    ) async throws -> [String: CausewayIdentity.Accounts] {
        guard let accounts else { return [:] }
        var providers = inspection.providers
        let messenger: any AccountMessenger =
            accounts.program.isEmpty
            ? LogMessenger(logger: logger) : ProgramMessenger(command: accounts.program, logger: logger)
        var opened: [String: CausewayIdentity.Accounts] = [:]
        for database in databases {
            // The issuers whose tokens the database accepts anyway.
            providers["custom-token"] = verifiers[database.name]
            opened[database.name] = try await CausewayIdentity.Accounts.open(
                folder: database.folder, database: database.name, rules: accounts.rules, providers: providers,
                messenger: messenger, functions: ProgramFunctions(accounts.functions, logger: logger), clock: clock)
        }
        return opened
    }

    func endpoint(_ inspection: Inspection) -> Endpoint.Configuration {
        var bounds = EndpointLimits()
        bounds.connections = connectionsMax
        bounds.connectionsOfAddress = limits.connectionsOfAddress
        // A message may be sent in several frames.
        bounds.upload = FrameLimits(
            frameBytes: limits.frameMegabytes << 20, messageBytes: 4 * limits.frameMegabytes << 20,
            operations: limits.operations)
        bounds.graceMilliseconds = Int64(limits.gracefulEndSeconds) * 1_000
        return Endpoint.Configuration(
            host: listen.host, port: listen.port, certificateChain: inspection.certificateChain,
            privateKey: inspection.certificateKey, limits: bounds
        )
    }
}
