package import Foundation
import SwiftASN1
import X509

/// Checks of a server's certificate and key, before a listener uses them.
package enum ServerCertificate {
    /// A certificate that ends sooner gets a warning.
    package static let renewalDays = 14.0

    package struct Findings: Hashable, Sendable {
        /// The server must not start with these.
        package var errors: [String] = []
        package var warnings: [String] = []
        /// The names clients may reach the server by.
        package var hosts: [String] = []
        /// When the server's own certificate ends.
        package var end: Date?
    }

    /// Inspects a PEM chain, the server's own certificate first, and its PEM key. The findings never quote the key.
    package static func inspect(chain: String, key: String, now: Date) -> Findings {
        var findings = Findings()
        let blocks = blocks(of: chain)
        guard let certificate = blocks.first.flatMap({ try? Certificate(pemEncoded: $0) }) else {
            findings.errors.append(
                "The file of the certificate holds none in PEM form. Name the PEM file, in which the server's own comes first."
            )
            return findings
        }
        if let privateKey = try? Certificate.PrivateKey(pemEncoded: key) {
            if privateKey.publicKey != certificate.publicKey {
                findings.errors.append("The key does not belong to the certificate. Name the pair made together.")
            }
        } else {
            findings.errors.append(
                "The file of the key holds no unencrypted private key in PEM form. Name the file made with the certificate."
            )
        }
        findings.end = certificate.notValidAfter
        inspectValidity(certificate, now, into: &findings)
        inspectSigners(of: certificate, blocks.dropFirst(), now, into: &findings)
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

    /// Checks the authorities after the server's own certificate. It only warns: which of them devices need depends on
    /// whom they trust.
    private static func inspectSigners(
        of certificate: Certificate, _ blocks: ArraySlice<String>, _ now: Date, into findings: inout Findings
    ) {
        var signed = certificate
        for (index, block) in blocks.enumerated() {
            let name = "Certificate \(index + 2) of the chain"
            guard let signer = try? Certificate(pemEncoded: block) else {
                findings.warnings.append("\(name) cannot be read. Put each one's signer behind it, as PEM.")
                return
            }
            if !isSigned(signed, by: signer) {
                findings.warnings.append(
                    "\(name) did not sign the one before it, so that devices may refuse the server. Put each one's signer "
                        + "behind it.")
            }
            if signer.notValidBefore > now {
                findings.warnings.append(
                    "\(name) is not valid before \(signer.notValidBefore). Check this machine's clock.")
            } else if signer.notValidAfter <= now {
                findings.warnings.append("\(name) ended on \(signer.notValidAfter). Get the authority's new one.")
            }
            signed = signer
        }
        if isSigned(certificate, by: certificate) {
            findings.warnings.append(
                "The certificate is signed by no authority but by itself: devices refuse the server unless they have it as "
                    + "`AppConfiguration(trustRootsPath:)`.")
        }
    }

    private static func isSigned(_ certificate: Certificate, by signer: Certificate) -> Bool {
        certificate.issuer == signer.subject
            && signer.publicKey.isValidSignature(certificate.signature, for: certificate)
    }

    /// The most certificates that are read.
    private static let chainLengthMax = 10

    /// The certificates in a chain's file, the server's own first. Text between them is ignored.
    private static func blocks(of chain: String) -> [String] {
        let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        var blocks: [String] = []
        var rest = chain[...]
        while blocks.count < chainLengthMax, let start = rest.range(of: begin)?.lowerBound,
            let stop = rest[start...].range(of: end)?.upperBound
        {
            blocks.append(String(rest[start..<stop]))
            rest = rest[stop...]
        }
        return blocks
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
