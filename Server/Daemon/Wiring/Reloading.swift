import CausewayEndpoint
import CausewayHTTP
import CausewayIdentity
import CausewaySession
import CausewayTelemetry
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// Applies what changes while the server runs. Connections and sessions go on.
///
/// On SIGHUP the configuration is read again: permissions, certificate and keys. When a file of the certificate or of a
/// key changes, certificate and keys are read again. What has a problem stays as it was, and the log says what was
/// applied and what was not.
///
/// Reloads run one after the other, so that an earlier one never replaces what a later one has read.
struct Reloading: Service {
    /// The path of the configuration.
    let file: String
    /// What the server was started with.
    let configuration: Configuration
    let endpoint: Endpoint
    let tenants: [Tenant]
    let accounts: [String: Accounts]
    let offices: [String: PermissionOffice]
    let verifiers: TokenVerifiers
    var api: HTTPListener?
    let logger: Logger
    var admin: AdminListener?
    var telemetry: Telemetry?

    /// How often the files are checked. Whoever replaces two files that belong together has as long for it.
    static let watchSeconds = 10

    /// Why something may have to be read.
    enum Occasion {
        /// The operator has asked for it.
        case asked
        /// It is time to look at the files.
        case looked
    }

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown()
        // No request is lost: what the operator asks for during a reload is read next.
        let (occasions, told) = AsyncStream.makeStream(of: Occasion.self)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in signals { told.yield(.asked) }
                }
                group.addTask {
                    while (try? await Task.sleep(for: .seconds(Self.watchSeconds))) != nil { told.yield(.looked) }
                }
                group.addTask { await follow(occasions) }
                await group.waitForAll()
            }
        }
    }

    /// Reads what there is to read on each occasion, one after the other.
    func follow(_ occasions: AsyncStream<Occasion>) async {
        var latest = configuration
        var known = FileStamps(latest.keyFiles)
        for await occasion in occasions {
            switch occasion {
            case .asked:
                guard let read = readConfiguration() else { continue }
                latest = read
                known = FileStamps(latest.keyFiles)
                await takeKeys(latest)
                takePermissions(latest)
                tellWhatWaits(latest)
                telemetry?.audit(AuditEvent(.configurationReloaded))
            case .looked:
                let stamps = FileStamps(latest.keyFiles)
                guard stamps != known else { continue }
                known = stamps
                await takeKeys(latest)
            }
        }
    }

    private func readConfiguration() -> Configuration? {
        do throws(ConfigurationError) {
            return try ConfigurationFile.read(file)
        } catch {
            logger.error("everything stays as it was, for the configuration has problems:\n\(error)")
            telemetry?.audit(AuditEvent(.configurationRefused))
            return nil
        }
    }

    // MARK: - Certificate and keys

    func takeKeys(_ configuration: Configuration) async {
        var inspection = await Inspection(configuration, now: Date(), onlyKeys: true)
        let problems = inspection.problems
        let ofCertificate = problems.filter { $0.key == "tls" || $0.key.hasPrefix("tls.") }
        takeCertificate(inspection, ofCertificate)
        let ofAdmin = problems.filter { $0.key == "admin" || $0.key.hasPrefix("admin.") }
        takeAdmin(configuration, inspection, ofCertificate + ofAdmin)
        let ofKeys = problems.filter { !ofCertificate.contains($0) && !ofAdmin.contains($0) }
        guard ofKeys.isEmpty else {
            logger.error("the token keys stay as they were:\n\(ConfigurationError(problems: ofKeys))")
            return
        }
        inspection.problems = []
        guard let content = try? inspection.verifiers(configuration) else { return }
        verifiers.replace(by: content)
        for (name, accounts) in accounts {
            var providers = inspection.providers
            providers["custom-token"] = content.ofDatabases[name] ?? nil
            accounts.replaceProviders(by: providers)
        }
        logger.notice("the token keys were read anew", metadata: ["keys": .number(inspection.allKeys.count)])
        telemetry?.audit(AuditEvent(.tokenKeysReplaced))
    }

    private func takeCertificate(_ inspection: Inspection, _ problems: [ConfigurationProblem]) {
        guard problems.isEmpty else {
            logger.error("the certificate stays as it was:\n\(ConfigurationError(problems: problems))")
            return
        }
        do throws(EndpointError) {
            try endpoint.replaceCertificate(chain: inspection.certificateChain, key: inspection.certificateKey)
            // The same chain and key, which the endpoint has taken.
            if let context = try? ServerTLS.context(
                chain: inspection.certificateChain, key: inspection.certificateKey, protocols: ["http/1.1"])
            {
                api?.replaceTLS(context)
            }
            logger.notice(
                "the certificate was read anew", metadata: ["hosts": "\(inspection.hosts.joined(separator: ","))"])
            telemetry?.audit(AuditEvent(.certificateReplaced, subject: inspection.hosts.joined(separator: ",")))
        } catch {
            logger.error("the certificate stays as it was: \(error)")
        }
    }

    private func takeAdmin(
        _ configuration: Configuration, _ inspection: Inspection, _ problems: [ConfigurationProblem]
    ) {
        // Other settings wait for the next start.
        guard let admin, let settings = configuration.admin, settings == self.configuration.admin else { return }
        do {
            guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
            try admin.take(settings, inspection)
        } catch {
            logger.error("the admin listener's token and certificates stay as they were:\n\(error)")
        }
    }

    // MARK: - The rest

    private func takePermissions(_ configuration: Configuration) {
        for tenant in tenants {
            guard let database = configuration.databases.first(where: { $0.name == tenant.name }) else {
                logger.error(
                    "the permissions of this database stay as they were, for the configuration does not name it any more",
                    metadata: ["database": "\(tenant.name)"])
                continue
            }
            offices[tenant.name]?.replace(by: database.permissions)
            tenant.conversations.reconsider()
        }
        logger.notice("the permissions were read anew")
        telemetry?.audit(AuditEvent(.permissionsReplaced))
    }

    private func tellWhatWaits(_ read: Configuration) {
        let waiting = read.sectionsForNextStart(after: configuration)
        guard !waiting.isEmpty else { return }
        logger.warning(
            "what else has changed in the configuration waits for the next start",
            metadata: ["sections": "\(waiting.joined(separator: ","))"])
    }
}

extension Configuration {
    /// The files that are read again while the server runs.
    var keyFiles: [String] {
        let sections = [tokens] + databases.compactMap(\.tokens)
        return [tls.certificate, tls.key] + sections.flatMap { $0.keys.map(\.file) + [$0.keySet].compactMap { $0 } }
            + (accounts?.providers.map(\.keySet) ?? [])
            + [admin?.tokenFile, admin?.clientAuthorities].compactMap { $0 }
    }

    /// The sections that differ from the configuration of the start and take effect only at the next start.
    func sectionsForNextStart(after old: Configuration) -> [String] {
        var names: [String] = []
        if listen != old.listen { names.append("listen") }
        if api != old.api { names.append("api") }
        if databases.map({ [$0.name, $0.folder] }) != old.databases.map({ [$0.name, $0.folder] })
            || databases.map(\.carriers) != old.databases.map(\.carriers)
        {
            names.append("databases")
        }
        if accounts != old.accounts { names.append("accounts") }
        if admin != old.admin { names.append("admin") }
        if limits != old.limits { names.append("limits") }
        if backups != old.backups { names.append("backups") }
        if log != old.log { names.append("log") }
        return names
    }
}

/// How a change of files is noticed: by their inodes, sizes and times.
struct FileStamps: Hashable {
    private struct Stamp: Hashable {
        var place: Int?
        var size: Int?
        var changed: Date?
    }

    private var stamps: [Stamp]

    init(_ paths: [String]) {
        stamps = paths.map { path in
            // Symbolic links are followed: certificates are often renewed by moving one.
            let file = URL(filePath: path).resolvingSymlinksInPath().path
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file) else { return Stamp() }
            return Stamp(
                place: attributes[.systemFileNumber] as? Int, size: attributes[.size] as? Int,
                changed: attributes[.modificationDate] as? Date)
        }
    }
}
