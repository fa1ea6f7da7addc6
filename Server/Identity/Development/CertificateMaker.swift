import Crypto
import Foundation
import SwiftASN1
import X509

/// A development certificate authority, and what it signs.
struct CertificateMaker {
    let key: P256.Signing.PrivateKey
    let certificatePEM: String

    private let name: DistinguishedName
    private let validity: ClosedRange<Date>

    init(now: Date, days: Int) throws(IdentityError) {
        let key = P256.Signing.PrivateKey()
        // A minute back, so that a machine whose clock is a little behind can use them at once.
        let validity = now.addingTimeInterval(-60)...now.addingTimeInterval(Double(days) * 86_400)
        self.key = key
        self.validity = validity
        do {
            let name = try DistinguishedName { CommonName("Causeway development CA") }
            self.name = name
            certificatePEM = try Self.sign(
                subject: name, publicKey: key.publicKey, issuer: name, issuerKey: key, validity: validity,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                    SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
                }
            )
        } catch {
            throw IdentityError(.requestInvalid, "The development CA could not be made: \(error)")
        }
    }

    func serverCertificate(
        for hosts: [String]
    ) throws(IdentityError) -> (certificatePEM: String, key: P256.Signing.PrivateKey) {
        var names: [GeneralName] = []
        for host in ["localhost", "127.0.0.1"] + hosts {
            let name = try Self.generalName(host)
            if !names.contains(name) { names.append(name) }
        }
        let serverKey = P256.Signing.PrivateKey()
        do {
            let certificate = try Self.sign(
                subject: DistinguishedName { CommonName(hosts.first ?? "localhost") },
                publicKey: serverKey.publicKey, issuer: name, issuerKey: key, validity: validity,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.serverAuth])
                    SubjectAlternativeNames(names)
                    AuthorityKeyIdentifier(
                        keyIdentifier: SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey)).keyIdentifier
                    )
                }
            )
            return (certificate, serverKey)
        } catch {
            throw IdentityError(.requestInvalid, "The server certificate could not be made: \(error)")
        }
    }

    /// - Parameter name: of the one who shows it, such as an administrator.
    func clientCertificate(
        for name: String
    ) throws(IdentityError) -> (certificatePEM: String, key: P256.Signing.PrivateKey) {
        guard (1...Self.clientNameBytesMax).contains(name.utf8.count) else {
            throw IdentityError(
                .requestInvalid,
                "The name of a client has 1 to \(Self.clientNameBytesMax) bytes. Name it with --client.")
        }
        let clientKey = P256.Signing.PrivateKey()
        do {
            let certificate = try Self.sign(
                subject: DistinguishedName { CommonName(name) }, publicKey: clientKey.publicKey, issuer: self.name,
                issuerKey: key, validity: validity,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.clientAuth])
                }
            )
            return (certificate, clientKey)
        } catch {
            throw IdentityError(.requestInvalid, "The client's certificate could not be made: \(error)")
        }
    }

    /// X.509's bound of a common name.
    private static let clientNameBytesMax = 64

    private static func generalName(_ host: String) throws(IdentityError) -> GeneralName {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        if octets.count == 4, octets.allSatisfy({ $0.allSatisfy(\.isNumber) }) {
            let bytes = octets.compactMap { UInt8($0) }
            guard bytes.count == 4 else {
                throw IdentityError(.requestInvalid, "'\(host)' is no IPv4 address: each part is 0 to 255.")
            }
            return .ipAddress(.init(contentBytes: bytes[...]))
        }
        let isName = host.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
        guard isName, !host.isEmpty, host.utf8.count <= 253 else {
            throw IdentityError(
                .requestInvalid, "'\(host)' is no host name. Give names such as sync.example.org or IPv4 addresses."
            )
        }
        return .dnsName(host)
    }

    private static func sign(
        subject: DistinguishedName, publicKey: P256.Signing.PublicKey, issuer: DistinguishedName,
        issuerKey: P256.Signing.PrivateKey, validity: ClosedRange<Date>, extensions: Certificate.Extensions
    ) throws -> String {
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(publicKey),
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, issuer: issuer, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(issuerKey)
        )
        return try certificate.serializeAsPEM().pemString + "\n"
    }
}
