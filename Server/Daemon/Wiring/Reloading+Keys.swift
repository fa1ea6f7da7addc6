import CausewayEndpoint
import CausewayHTTP
import CausewayIdentity
import CausewayTelemetry
import Foundation
import Logging

// Certificate and keys: read on a reload, and when one of their files changes.

extension Reloading {
    func takeKeys(_ configuration: Configuration, _ report: inout ReloadReport) async {
        let inspection = await Inspection(configuration, now: Date(), onlyKeys: true)
        takeCertificate(inspection, inspection.problems.filter { $0.isOf("tls") }, &report)
        takeAdmin(configuration, inspection, &report)
        takeTokenKeys(configuration, inspection, &report)
    }

    /// A section of keys with a problem keeps those that were in force; the others are replaced.
    private func takeTokenKeys(
        _ configuration: Configuration, _ inspection: Inspection, _ report: inout ReloadReport
    ) {
        let problems = inspection.problems.filter { !$0.isOf("tls") && !$0.isOf("admin") }
        guard inForce.take(KeySections(configuration, inspection)) || !problems.isEmpty else {
            return report.note("tokenKeys", .unchanged)
        }
        let content = inspection.verifiers(configuration, orKeeping: verifiers.all)
        verifiers.replace(by: content)
        let areProvidersGood = !problems.contains { $0.isOf("accounts") }
        for tenant in tenants.all where areProvidersGood {
            var providers = inspection.providers
            providers["custom-token"] = content.ofDatabases[tenant.name] ?? nil
            tenant.accounts?.replaceProviders(by: providers)
        }
        guard problems.isEmpty else {
            let error = ConfigurationError(problems: problems)
            logger.error("these token keys stay as they were:\n\(error)")
            return report.note("tokenKeys", .refused, "\(error)")
        }
        logger.notice("the token keys were read anew", metadata: ["keys": .number(inspection.allKeys.count)])
        telemetry?.audit(AuditEvent(.tokenKeysReplaced))
        report.note("tokenKeys", .applied)
    }

    private func takeCertificate(
        _ inspection: Inspection, _ problems: [ConfigurationProblem], _ report: inout ReloadReport
    ) {
        guard problems.isEmpty else {
            let error = ConfigurationError(problems: problems)
            logger.error("the certificate stays as it was:\n\(error)")
            return report.note("certificate", .refused, "\(error)")
        }
        let digests = inspection.certificateDigests
        guard !inForce.has(certificate: digests) else { return report.note("certificate", .unchanged) }
        do throws(EndpointError) {
            try endpoint.replaceCertificate(chain: inspection.certificateChain, key: inspection.certificateKey)
            // The same chain and key, which the endpoint has taken.
            if let context = try? ServerTLS.context(
                chain: inspection.certificateChain, key: inspection.certificateKey, protocols: ["http/1.1"])
            {
                api?.replaceTLS(context)
            }
            inForce.take(certificate: digests)
            telemetry?.certificate(of: api == nil ? [.devices] : [.devices, .api], ends: inspection.certificateEnd)
            logger.notice(
                "the certificate was read anew", metadata: ["hosts": "\(inspection.hosts.joined(separator: ","))"])
            telemetry?.audit(AuditEvent(.certificateReplaced, subject: inspection.hosts.joined(separator: ",")))
            report.note("certificate", .applied)
        } catch {
            logger.error("the certificate stays as it was: \(error)")
            report.note("certificate", .refused, "\(error)")
        }
    }

    /// Token and certificates are taken also while other settings wait for the next start: nobody should have to restart a
    /// server to be rid of a token that has leaked.
    private func takeAdmin(
        _ configuration: Configuration, _ inspection: Inspection, _ report: inout ReloadReport
    ) {
        guard let admin, let settings = self.configuration.admin else { return }
        guard let read = configuration.admin, read.tokenFile == settings.tokenFile,
            read.clientAuthorities == settings.clientAuthorities
        else { return report.note("adminToken", .waits, Self.nextStart) }
        // The certificate matters only to a listener that shows it.
        let problems = inspection.problems.filter { $0.isOf("admin") || settings.usesTLS && $0.isOf("tls") }
        do {
            guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
            let news = try admin.take(settings, inspection)
            report.note("adminToken", news.isTokenNew ? .applied : .unchanged)
            if settings.usesTLS {
                report.note("adminCertificates", news.areCertificatesNew ? .applied : .unchanged)
                telemetry?.certificate(of: [.admin], ends: inspection.certificateEnd)
            }
            guard news.isTokenNew || news.areCertificatesNew else { return }
            logger.notice("the admin listener's \(news.words) were read anew")
            telemetry?.audit(AuditEvent(.adminTokenReplaced, subject: news.words))
        } catch {
            logger.error("the admin listener's token and certificates stay as they were:\n\(error)")
            report.note("adminToken", .refused, "\(error)")
        }
    }
}

/// How a change of files is noticed: by their inodes, sizes and times.
struct FileStamps: Hashable {
    private struct Stamp: Hashable {
        var place: Int?
        var size: Int?
        var changed: Date?

        init(_ path: String) {
            // Symbolic links are followed: certificates are often renewed by moving one.
            let file = URL(filePath: path).resolvingSymlinksInPath().path
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file) else { return }
            place = attributes[.systemFileNumber] as? Int
            size = attributes[.size] as? Int
            changed = attributes[.modificationDate] as? Date
        }
    }

    private var stamps: [String: Stamp] = [:]

    init(_ paths: [String]) { follow(paths) }

    /// Looks after these files from now on. Those that it knows stay as they were seen.
    mutating func follow(_ paths: [String]) {
        let known = stamps
        stamps = Dictionary(paths.map { ($0, known[$0] ?? Stamp($0)) }, uniquingKeysWith: { first, _ in first })
    }
}
