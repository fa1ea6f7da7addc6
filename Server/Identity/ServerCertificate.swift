package import Foundation
import SwiftASN1
import X509

/// What can be said of a server's certificate and key before a listener uses them.
package enum ServerCertificate {
    /// Certificates that end sooner are worth a warning.
    package static let renewalDays = 14.0

    package struct Findings: Hashable, Sendable {
        /// The server must not start with these.
        package var errors: [String] = []
        package var warnings: [String] = []
        /// The names clients may reach the server by.
        package var hosts: [String] = []
    }

    /// Looks at a PEM chain, the server's own certificate first, and at its PEM key. Says nothing of the key itself.
    package static func inspect(chain: String, key: String, now: Date) -> Findings {
        var findings = Findings()
        let certificate: Certificate
        do {
            certificate = try Certificate(pemEncoded: firstCertificate(of: chain))
        } catch {
            findings.errors.append(
                "The certificate is not PEM. The file begins with -----BEGIN CERTIFICATE-----, the server's own first."
            )
            return findings
        }
        if let privateKey = try? Certificate.PrivateKey(pemEncoded: key) {
            if privateKey.publicKey != certificate.publicKey {
                findings.errors.append("The key does not belong to the certificate. Name the pair made together.")
            }
        } else {
            findings.errors.append(
                "The key is not an unencrypted PEM key. The file begins with -----BEGIN PRIVATE KEY-----."
            )
        }
        inspectValidity(certificate, now, into: &findings)
        findings.hosts = hosts(of: certificate)
        if findings.hosts.isEmpty {
            findings.errors.append("The certificate names no host (subject alternative name): every client refuses it.")
        }
        return findings
    }

    private static func inspectValidity(_ certificate: Certificate, _ now: Date, into findings: inout Findings) {
        let daysLeft = certificate.notValidAfter.timeIntervalSince(now) / 86_400
        if certificate.notValidBefore > now {
            findings.errors.append(
                "The certificate is not valid before \(certificate.notValidBefore). Check this machine's clock."
            )
        }
        if daysLeft <= 0 {
            findings.errors.append("The certificate ended on \(certificate.notValidAfter). Renew it.")
        } else if daysLeft < renewalDays {
            findings.warnings.append("The certificate ends on \(certificate.notValidAfter). Renew it soon.")
        }
    }

    /// A chain's file holds several certificates; the first is the server's.
    private static func firstCertificate(of chain: String) -> String {
        let end = "-----END CERTIFICATE-----"
        guard let range = chain.range(of: end) else { return chain }
        let start = chain.range(of: "-----BEGIN CERTIFICATE-----")?.lowerBound ?? chain.startIndex
        return start < range.upperBound ? String(chain[start..<range.upperBound]) : chain
    }

    private static func hosts(of certificate: Certificate) -> [String] {
        guard let names = try? certificate.extensions.subjectAlternativeNames else { return [] }
        return names.compactMap { name in
            switch name {
            case .dnsName(let host): host
            case .ipAddress(let address) where address.bytes.count == 4:
                address.bytes.map(String.init).joined(separator: ".")
            case .ipAddress: "an IPv6 address"
            default: nil
            }
        }
    }
}
