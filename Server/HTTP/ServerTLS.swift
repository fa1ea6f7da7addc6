package import NIOSSL

/// The server's side of TLS.
package enum ServerTLS {
    /// Why certificates and keys cannot be used: what is wrong with which of them. It never quotes them.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package var message: String

        package init(message: String) {
            self.message = message
        }

        package var description: String { message }
    }

    /// - Parameters:
    ///   - chain: the server's certificate and those of its signers, in PEM form.
    ///   - key: its private key, in PEM form.
    ///   - protocols: for ALPN.
    ///   - clientAuthorities: certificates in PEM form; a client must show one that they have signed. Nil asks for none.
    package static func context(
        chain: String, key: String, protocols: [String], clientAuthorities: String? = nil
    ) throws(Failure) -> NIOSSLContext {
        let chain = try certificates(chain, "The certificate")
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(try privateKey(key, "The key")))
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = protocols
        if let clientAuthorities {
            tls.certificateVerification = .noHostnameVerification
            tls.trustRoots = .certificates(try certificates(clientAuthorities, "The file of the clients' authorities"))
        }
        do {
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw Failure(message: "The certificate and the key cannot be used together. Name the pair made together.")
        }
    }

    /// - Parameter name: how a failure names the text.
    package static func certificates(_ text: String, _ name: String) throws(Failure) -> [NIOSSLCertificate] {
        let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(text.utf8))
        guard let certificates, !certificates.isEmpty else {
            throw Failure(message: "\(name) holds no certificate in PEM form.")
        }
        return certificates
    }

    /// - Parameter name: how a failure names the text.
    package static func privateKey(_ text: String, _ name: String) throws(Failure) -> NIOSSLPrivateKey {
        guard let key = try? NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem) else {
            throw Failure(message: "\(name) holds no unencrypted private key in PEM form.")
        }
        return key
    }
}
