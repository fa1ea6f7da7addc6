import CausewayEndpoint
import CausewayHTTP
import CausewayIdentity
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewayTelemetry
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// Applies what changes while the server runs. Connections and sessions go on.
///
/// On SIGHUP, and when a call asks for it, the configuration is read again: permissions, certificate, keys, limits and
/// databases. When a file of the certificate or of a key changes, certificate and keys are read again. What has a problem
/// stays as it was, and the log and the answer to the call say of each part what became of it (`ReloadReport`).
///
/// Reloads run one after the other, so that an earlier one never replaces what a later one has read.
struct Reloading: Service {
    /// The path of the configuration.
    let file: String
    /// What the server was started with.
    let configuration: Configuration
    let endpoint: Endpoint
    let tenants: Tenants
    let verifiers: TokenVerifiers
    var api: HTTPListener?
    let logger: Logger
    var admin: AdminListener?
    var telemetry: Telemetry?
    /// Nil where databases neither come nor go.
    var databases: DatabaseChanges?
    var desk = ReloadDesk()
    /// What is in force, as far as it may have changed since the start.
    let inForce: InForce

    /// How often the files are checked. Whoever replaces two files that belong together has as long for it.
    static let watchSeconds = 10

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown()
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in signals { desk.tell(.asked(nil)) }
                }
                group.addTask {
                    while (try? await Task.sleep(for: .seconds(Self.watchSeconds))) != nil { desk.tell(.looked) }
                }
                // No request is lost: what the operator asks for during a reload is read next.
                group.addTask { await follow(desk.occasions) }
                await group.waitForAll()
            }
        }
        desk.end()
    }

    /// Reads what there is to read on each occasion, one after the other.
    func follow(_ occasions: AsyncStream<ReloadDesk.Occasion>) async {
        var known = FileStamps(inForce.configuration.keyFiles)
        for await occasion in occasions {
            switch occasion {
            case .asked(let answer):
                let report = await reload(&known)
                answer?(report)
            case .changed(let change, let answer):
                let report = await take(change)
                known.follow(inForce.configuration.keyFiles)
                answer?(report)
            case .looked:
                let stamps = FileStamps(inForce.configuration.keyFiles)
                guard stamps != known else { continue }
                known = stamps
                var report = ReloadReport()
                await takeKeys(inForce.configuration, &report)
            }
        }
    }

    /// Reads everything anew, once.
    ///
    /// - Parameter known: the files as they are before they are read, so that what changes meanwhile is noticed.
    private func reload(_ known: inout FileStamps) async -> ReloadReport {
        var report = ReloadReport()
        let read: Configuration
        do throws(ConfigurationError) {
            read = try ConfigurationFile.read(file)
            if let gone = read.folderGone(since: inForce.configuration) { throw gone }
        } catch {
            logger.error("everything stays as it was, for \(file) has problems:\n\(error)")
            telemetry?.audit(AuditEvent(.configurationRefused))
            report.note("configuration", .refused, "\(file) has problems:\n\(error)")
            telemetry?.reloaded(isApplied: false)
            return report
        }
        known = FileStamps(read.keyFiles)
        // Sessions meet the new keys before the new rules, and a new database has keys from its first request on.
        await takeKeys(read, &report)
        takePermissions(read, &report)
        takeLimits(read, &report)
        await databases?.take(read, &report)
        tellWhatWaits(read, &report)
        inForce.configuration = read
        logger.notice("the configuration was read anew", metadata: ["parts": "\(report.words)"])
        telemetry?.audit(AuditEvent(.configurationReloaded, subject: report.words.isEmpty ? nil : report.words))
        telemetry?.reloaded(isApplied: !report.isRefused)
        return report
    }

    // MARK: - The rest

    private func takePermissions(_ configuration: Configuration, _ report: inout ReloadReport) {
        let before = inForce.configuration.databases
        var hasNews = false
        for tenant in tenants.all {
            guard let database = configuration.databases.first(where: { $0.name == tenant.name }) else { continue }
            let part = "permissions.\(tenant.name)"
            guard before.first(where: { $0.name == tenant.name })?.permissions != database.permissions else {
                report.note(part, .unchanged)
                continue
            }
            report.note(part, .applied, warn(of: database.permissions, in: tenant))
            tenant.office.replace(by: database.permissions)
            tenant.conversations.reconsider()
            hasNews = true
        }
        guard hasNews else { return }
        logger.notice("the permissions were read anew")
        telemetry?.audit(AuditEvent(.permissionsReplaced))
    }

    /// Rules that do not fit the classes are taken all the same: the classes may come with the next device.
    ///
    /// - Returns: what does not fit; nil for nothing.
    private func warn(of rules: PermissionRules?, in tenant: Tenant) -> String? {
        guard let rules, let schema = try? tenant.store.snapshot().schema else { return nil }
        let problems = rules.problems(in: schema)
        for problem in problems {
            logger.warning(
                "a permission rule does not fit: \(problem.message)",
                metadata: ["database": "\(tenant.name)", "rule": "\(problem.key)"])
        }
        guard let first = problems.first else { return nil }
        return "\(problems.count) rules do not fit the classes. The first: \(first.key): \(first.message)"
    }

    private func takeLimits(_ configuration: Configuration, _ report: inout ReloadReport) {
        let (limits, before) = (configuration.limits, inForce.configuration.limits)
        for change in limits.changes(from: before, start: self.configuration.limits) {
            note(change, "limits", &report)
        }
        if limits == before { report.note("limits", .unchanged) }
        takeLimits(ofDatabases: configuration, &report)
        guard limits != before else { return }
        endpoint.take(configuration.endpointLimits, limits.rates)
    }

    /// Those that a database has of its own come before those of all.
    private func takeLimits(ofDatabases read: Configuration, _ report: inout ReloadReport) {
        for tenant in tenants.all {
            guard let database = read.databases.first(where: { $0.name == tenant.name }) else { continue }
            let (limits, before) = (read.limits(of: database), inForce.configuration.limits(named: tenant.name))
            guard limits != before else { continue }
            tenant.take(limits)
            guard database.limits != nil else { continue }
            let start = configuration.limits(named: tenant.name) ?? before ?? limits
            for change in limits.changes(from: before ?? limits, start: start) {
                note(change, "databases.\(tenant.name).limits", &report)
            }
        }
    }

    private func note(_ change: Configuration.Limits.Change, _ part: String, _ report: inout ReloadReport) {
        let reason =
            if change.waits {
                Self.nextStart
            } else if configuration.journal != nil, Configuration.Limits.ofTheState.contains(change.name) {
                Self.journalLimits
            } else { nil as String? }
        report.note("\(part).\(change.name)", reason == nil ? .applied : .waits, reason)
    }

    private static let journalLimits =
        "It is the same on all nodes: it counts when one of them says so, with sync-server admin journal take-limits."

    private func tellWhatWaits(_ read: Configuration, _ report: inout ReloadReport) {
        let waiting = read.sectionsForNextStart(after: configuration)
        for section in waiting { report.note(section, .waits, Self.nextStart) }
        guard !waiting.isEmpty else { return }
        logger.warning(
            "what else has changed in the configuration waits for the next start",
            metadata: ["sections": "\(waiting.joined(separator: ","))"])
    }

    static let nextStart = "It counts from the next start of the server."
}

extension Configuration {
    /// The files that are read again while the server runs.
    var keyFiles: [String] {
        let sections = [tokens] + databases.compactMap(\.tokens)
        return [tls.certificate, tls.key] + sections.flatMap { $0.keys.map(\.file) + [$0.keySet].compactMap { $0 } }
            + (accounts?.providers.map(\.keySet) ?? [])
            + [admin?.tokenFile, admin?.clientAuthorities].compactMap { $0 }
    }

    /// The limits of a database; nil when there is none of this name.
    func limits(named name: String) -> Limits? { databases.first { $0.name == name }.map(limits(of:)) }

    /// The sections that differ from the configuration of the start and take effect only at the next start.
    func sectionsForNextStart(after old: Configuration) -> [String] {
        var names: [String] = []
        if listen != old.listen { names.append("listen") }
        if api != old.api { names.append("api") }
        if accounts != old.accounts { names.append("accounts") }
        if admin != old.admin { names.append("admin") }
        if backups != old.backups { names.append("backups") }
        if journal != old.journal { names.append("journal") }
        if log != old.log { names.append("log") }
        return names
    }
}
