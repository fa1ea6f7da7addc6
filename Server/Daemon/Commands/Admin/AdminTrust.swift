import CausewayHTTP
import Foundation
import NIOSSL

/// TLS as the admin client speaks it: whom it trusts, and what it shows of itself.
struct AdminTrust: Sendable {
    enum Servers: Sendable {
        /// Those whose certificate an authority of this machine has signed.
        case ofSystem
        /// Those whose certificate an authority in this PEM file has signed.
        case ofAuthorities(file: String)
        /// The one that shows the first certificate in this PEM file, whatever names are in it.
        case showing(file: String)
    }

    /// PEM files of a certificate with those of its signers, and of its key.
    struct Identity: Sendable {
        var certificate: String
        var key: String
    }

    var servers = Servers.ofSystem
    /// For listeners with `clientAuthorities`.
    var identity: Identity?

    /// What a connection is made with, and the only certificate that it may meet; nil leaves that to the authorities.
    func settings() throws(CommandFailure) -> (tls: TLSConfiguration, expected: NIOSSLCertificate?) {
        var tls = TLSConfiguration.makeClientConfiguration()
        var expected: NIOSSLCertificate?
        do throws(ServerTLS.Failure) {
            switch servers {
            case .ofSystem: break
            case .ofAuthorities(let file): tls.trustRoots = .certificates(try Self.certificates(in: file))
            case .showing(let file):
                // Compared with the certificate itself, before anything is sent.
                tls.certificateVerification = .none
                expected = try Self.certificates(in: file).first
            }
            if let identity {
                tls.certificateChain = try Self.certificates(in: identity.certificate).map { .certificate($0) }
                tls.privateKey = .privateKey(
                    try ServerTLS.privateKey(try Self.text(of: identity.key), "The file \(identity.key)"))
            }
        } catch {
            throw CommandFailure(error.message)
        }
        guard (try? NIOSSLContext(configuration: tls)) != nil else {
            throw CommandFailure(
                "The certificate and the key do not belong together. Name the pair made together with --client-certificate "
                    + "and --client-key.")
        }
        return (tls, expected)
    }

    private static func certificates(in file: String) throws(ServerTLS.Failure) -> [NIOSSLCertificate] {
        try ServerTLS.certificates(try text(of: file), "The file \(file)")
    }

    private static func text(of file: String) throws(ServerTLS.Failure) -> String {
        guard let data = FileManager.default.contents(atPath: file), let text = String(data: data, encoding: .utf8)
        else {
            throw ServerTLS.Failure(
                message: "The file \(file) is not there, or may not be read. Run this as a user who may read it.")
        }
        return text
    }
}
