import CausewayEndpoint
import CausewayHTTP
import CausewayIdentity
import CausewayTelemetry
import Foundation
import Logging

// Certificate and keys: read on a reload, and when one of their files changes.

extension Reloading {
    func takeKeys(_ configuration: Configuration, _ report: inout ReloadReport) async {
        var inspection = await Inspection(configuration, now: Date(), onlyKeys: true)
        let problems = inspection.problems
        let ofCertificate = problems.filter { $0.key == "tls" || $0.key.hasPrefix("tls.") }
        takeCertificate(inspection, ofCertificate, &report)
        let ofAdmin = problems.filter { $0.key == "admin" || $0.key.hasPrefix("admin.") }
        takeAdmin(configuration, inspection, ofCertificate + ofAdmin, &report)
        let ofKeys = problems.filter { !ofCertificate.contains($0) && !ofAdmin.contains($0) }
        guard ofKeys.isEmpty else {
            let error = ConfigurationError(problems: ofKeys)
            logger.error("the token keys stay as they were:\n\(error)")
            return report.note("tokenKeys", .refused, "\(error)")
        }
        inspection.problems = []
        guard let content = try? inspection.verifiers(configuration) else { return }
        verifiers.replace(by: content)
        for tenant in tenants.all {
            var providers = inspection.providers
            providers["custom-token"] = content.ofDatabases[tenant.name] ?? nil
            tenant.accounts?.replaceProviders(by: providers)
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
            report.note("certificate", .applied)
        } catch {
            logger.error("the certificate stays as it was: \(error)")
            report.note("certificate", .refused, "\(error)")
        }
    }

    private func takeAdmin(
        _ configuration: Configuration, _ inspection: Inspection, _ problems: [ConfigurationProblem],
        _ report: inout ReloadReport
    ) {
        // Other settings wait for the next start.
        guard let admin, let settings = configuration.admin, settings == self.configuration.admin else { return }
        do {
            guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
            try admin.take(settings, inspection)
            report.note("adminToken", .applied)
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
