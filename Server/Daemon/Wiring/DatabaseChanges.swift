import CausewayEnvironment
import CausewayStoreReplicated
import CausewayTelemetry
import Logging

/// Opens and drops databases as the configuration has them, while the server runs. Called by one reload at a time.
struct DatabaseChanges: Sendable {
    let tenants: Tenants
    let opening: TenantOpening
    /// The section of the start: what has changed in it waits for the next one.
    let accounts: Configuration.Accounts?
    let inForce: InForce
    /// Told of a database before it is served.
    let watch: @Sendable (String) -> Void
    /// Told of a database that is not served any more.
    var forget: @Sendable (String) -> Void = { _ in }
    let telemetry: Telemetry
    let logger: Logger

    func take(_ read: Configuration, _ report: inout ReloadReport) async {
        for tenant in tenants.all where !read.databases.contains(where: { $0.name == tenant.name }) {
            await drop(tenant, &report)
        }
        for outage in tenants.outages where !read.databases.contains(where: { $0.name == outage.name }) {
            tenants.forgetOutage(of: outage.name)
        }
        for database in read.databases {
            let part = "databases.\(database.name)"
            guard let tenant = tenants[database.name] else {
                await add(database, read, &report)
                continue
            }
            if database.folder != tenant.folder {
                report.note(part, .waits, "Its folder changes with the next start of the server.")
            } else if database.carriers != tenant.carrierSettings {
                await carry(database, tenant, &report)
            } else {
                report.note(part, .unchanged)
            }
        }
    }

    /// - Returns: whether it is served.
    @discardableResult
    func add(
        _ database: Configuration.Database, _ read: Configuration, _ report: inout ReloadReport
    ) async -> Bool {
        let part = "databases.\(database.name)"
        do throws(CommandFailure) {
            let inspection = await Inspection(adding: database, to: read)
            guard inspection.problems.isEmpty else {
                throw CommandFailure("\(ConfigurationError(problems: inspection.problems))")
            }
            // Before it is served: its first request meets its own keys.
            opening.verifiers.take(
                inspection.verifier(of: database, orShared: opening.verifiers.all.shared), of: database.name)
            let tenant = try await opening.open(
                database, limits: read.limits(of: database), accounts: accounts, providers: inspection.providers)
            watch(database.name)
            do throws(CommandFailure) {
                try await opening.carry(database, tenant)
            } catch {
                await tenant.drop(logger)
                throw error
            }
            let wasOut = tenants.outage(of: database.name) != nil
            tenants.add(tenant)
            inForce.add(database, keys: inspection)
            logger.notice(
                wasOut ? "a database is served again" : "a database was added",
                metadata: ["database": "\(database.name)"])
            if !wasOut { telemetry.audit(AuditEvent(.databaseAdded, database: database.name)) }
            report.note(part, .applied, "It was added.")
            return true
        } catch {
            opening.verifiers.forget(database.name)
            forgetMetrics(of: database.name)
            if tenants.outage(of: database.name) != nil {
                opening.note(error, of: database, in: tenants)
            } else {
                logger.error("a database could not be added: \(error)", metadata: ["database": "\(database.name)"])
            }
            report.note(part, .refused, "\(error)")
            return false
        }
    }

    /// Closes a database that is opened anew at once. Its devices come again.
    func close(_ tenant: Tenant) async {
        // First, so that nobody who comes meanwhile is told that there is no such database, and it is tried again if it cannot be
        // opened.
        let reason =
            tenant.node?.record.end.map { StoppedReplica(inFolder: tenant.folder).note($0) } ?? "It is opened anew."
        tenants.note(
            Outage(name: tenant.name, folder: tenant.folder, reason: reason, since: opening.clock.now(), isShort: true))
        tenants.remove(tenant)
        await tenant.drop(logger, telling: .replicaBeginsAgain)
    }

    /// - Parameter deletesFiles: whether its files are deleted when it is closed; for the log.
    func drop(_ tenant: Tenant, deletesFiles: Bool = false, _ report: inout ReloadReport) async {
        tenants.remove(tenant)
        opening.verifiers.forget(tenant.name)
        await tenant.drop(logger)
        forgetMetrics(of: tenant.name)
        logger.notice(
            "a database was dropped",
            metadata: ["database": "\(tenant.name)", "deleteFiles": .stringConvertible(deletesFiles)])
        telemetry.audit(
            AuditEvent(.databaseDropped, database: tenant.name, subject: deletesFiles ? "deleteFiles" : nil))
        report.note("databases.\(tenant.name)", .applied, "It was dropped.")
    }

    /// Nothing is counted under its name any more, and what was counted is not told any more.
    private func forgetMetrics(of database: String) {
        forget(database)
        telemetry.registry.forget(MetricCatalog.databaseLabel, database)
    }

    private func carry(_ database: Configuration.Database, _ tenant: Tenant, _ report: inout ReloadReport) async {
        let part = "databases.\(database.name)"
        do throws(CommandFailure) {
            try await opening.carry(database, tenant)
            report.note(part, .applied, "Its webhooks and sinks were replaced.")
        } catch {
            report.note(part, .refused, "\(error)")
        }
    }
}
