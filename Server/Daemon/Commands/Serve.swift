import ArgumentParser
import CausewayAdmin
import CausewayConsole
import CausewayBackup
import CausewayEndpoint
import CausewayEnvironment
import CausewayFeed
import CausewayLimits
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
            SIGHUP reads the configuration anew, as `sync-server admin reload` does: permissions, certificate, token keys,
            limits and databases; sessions go on under them at once. Certificate and keys are also read anew when their
            files change.
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
            throw refusal(ConfigurationError(problems: inspection.allProblems))
        }
        let log = RecentLog()
        configuration.log.start(keeping: configuration.admin == nil ? nil : log)
        let logger = Logger(label: "sync-server")
        for warning in inspection.warnings { logger.warning("\(warning)") }
        let telemetry = Telemetry(configuration.log, clock: clock, logger: logger)
        MetricsSystem.bootstrap(PrometheusFactory(telemetry.registry))
        let verifiers = TokenVerifiers(try inspection.verifiers(configuration))
        let opening = TenantOpening(
            configuration, verifiers: verifiers, clock: clock, telemetry: telemetry, logger: logger)
        let tenants = Tenants()
        try await opening.open(configuration, providers: inspection.providers, into: tenants)
        let rateOfAddresses = RateGate(configuration.limits.rates, reached: telemetry.reached())
        let authenticator = TokenAuthenticator(verifiers: verifiers, tenants: tenants, clock: clock)
        let names = configuration.databases.map(\.name)
        let endpointTelemetry = EndpointTelemetry(databases: names, telemetry: telemetry)
        let apiTelemetry = APITelemetry(databases: names, telemetry: telemetry)
        let feedTelemetry = FeedTelemetry(databases: names, telemetry: telemetry)
        let changes = ChangesService(
            { tenants[$0]?.feed }, callers: FeedAuthenticator(authenticator: authenticator), observer: feedTelemetry,
            now: { clock.now() })
        let endpoint = try Endpoint(
            configuration.endpoint(inspection), directory: tenants, authenticator: authenticator,
            rates: rateOfAddresses, clock: clock, logger: logger, observer: endpointTelemetry)
        let api = try configuration.apiListener(
            inspection, tenants, authenticator, changes, rates: rateOfAddresses, observer: apiTelemetry, logger)
        let (inForce, reloads) = (InForce(configuration, inspection), ReloadDesk())
        let changesOfDatabases = DatabaseChanges(
            tenants: tenants, opening: opening, accounts: configuration.accounts, inForce: inForce,
            watch: { name in
                endpointTelemetry.watch(name)
                apiTelemetry.watch(name)
                feedTelemetry.watch(name)
            },
            forget: { name in
                endpointTelemetry.forget(name)
                apiTelemetry.forget(name)
                feedTelemetry.forget(name)
            }, telemetry: telemetry, logger: logger)
        let scheduled = configuration.backups.map { plan in
            ScheduledBackups(
                work: BackupWork(plan, clock: clock) { try configuration.settleCopy(of: $0, inFolder: $1) },
                databases: { tenants.all.map(\.served) }, clock: clock,
                logger: logger)
        }
        let presence = configuration.journal.map { NodePresence(configuration, $0, tenants, logger) }
        let desk = AdminDesk(
            tenants: tenants, file: option.file, inForce: inForce, reloads: reloads, scheduled: scheduled,
            presence: presence, live: LiveEvents(tenants, log: log), telemetry: telemetry, clock: clock, logger: logger,
            verifiers: verifiers)
        telemetry.certificate(of: api == nil ? [.devices] : [.devices, .api], ends: inspection.certificateEnd)
        let admin = try configuration.adminListener(inspection, endpoint, desk)
        telemetry.audit(AuditEvent(.serverStarted, subject: Release.version))
        defer { telemetry.audit(AuditEvent(.serverEnded)) }
        for database in configuration.databases {
            if let tenant = tenants[database.name] { try await opening.carry(database, tenant) }
        }
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [.init(service: telemetry)]
        if let admin {
            services.append(.init(service: AdminServing(listener: admin.listener, live: desk.live, logger: logger)))
        }
        services += [
            .init(service: Serving(endpoint: endpoint, tenants: tenants, api: api, logger: logger)),
            .init(
                service: Reloading(
                    file: option.file, configuration: configuration, endpoint: endpoint, tenants: tenants,
                    verifiers: verifiers, api: api, logger: logger, admin: admin, telemetry: telemetry,
                    databases: changesOfDatabases, desk: reloads, inForce: inForce)),
            .init(service: MemoryReturn()),
            // The databases are open until the services that were started last have ended.
            .init(service: HistoryKeeping(tenants: tenants, logger: logger)),
            .init(service: Carrying(tenants: tenants, clock: clock, logger: logger)),
        ]
        if let journal = configuration.journal {
            services += [
                .init(service: NodeFollowing(journal: journal, tenants: tenants, reloads: reloads, logger: logger)),
                .init(service: NodeCarrying(tenants: tenants, logger: logger)),
                .init(service: SnapshotKeeping(journal: journal, tenants: tenants, logger: logger)),
            ]
        }
        if let presence { services.append(.init(service: presence)) }
        if let scheduled { services.append(.init(service: scheduled)) }
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
    func adminListener(_ inspection: Inspection, _ endpoint: Endpoint, _ desk: AdminDesk) throws -> AdminListener? {
        guard let admin else { return nil }
        let (tenants, telemetry) = (desk.tenants, desk.telemetry)
        let databases: @Sendable () -> [DatabaseGauges] = { tenants.all.map(\.gauges) }
        let (backups, live, isNode) = (desk.scheduled?.work, desk.live, journal != nil)
        let scrape = Scrape(telemetry, databases: databases) {
            endpoint.connectionCount
        } others: {
            (backups?.samples(of: tenants.all.map(\.name)) ?? [])
                + tenants.outages.flatMap { $0.samples(isNode: isNode) } + [
                    live.readers.sample
                ]
        }
        if admin.usesTLS { telemetry.certificate(of: [.admin], ends: inspection.certificateEnd) }
        var routes = AdminRoutes.api(desk)
        routes.add(
            AdminRoutes.monitoring(
                scrape, isListening: { endpoint.isListening }, databases: databases, outages: { tenants.outages }
            ).all)
        routes.add(AdminRoutes.console.all)
        return try AdminListener(
            admin, inspection, routes, live: desk.live, observer: AdminTelemetry(telemetry), logger: desk.logger)
    }

    func endpoint(_ inspection: Inspection) -> Endpoint.Configuration {
        Endpoint.Configuration(
            host: listen.host, port: listen.port, certificateChain: inspection.certificateChain,
            privateKey: inspection.certificateKey, limits: endpointLimits)
    }

    var endpointLimits: EndpointLimits {
        var bounds = EndpointLimits()
        bounds.connections = connectionsMax
        bounds.connectionsOfAddress = limits.connectionsOfAddress
        bounds.handshakes = limits.handshakes
        bounds.handshakesOfAddress = limits.handshakesOfAddress
        // A message may be sent in several frames.
        bounds.upload = FrameLimits(
            frameBytes: limits.frameMegabytes << 20, messageBytes: 4 * limits.frameMegabytes << 20,
            operations: limits.operations)
        bounds.graceMilliseconds = Int64(limits.gracefulEndSeconds) * 1_000
        return bounds
    }
}
