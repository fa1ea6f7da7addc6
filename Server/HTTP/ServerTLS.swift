package import NIOSSL

/// The server's side of TLS.
package enum ServerTLS {
    /// - Parameters:
    ///   - chain: the server's certificate and those of its signers, in PEM form.
    ///   - key: its private key, in PEM form.
    ///   - protocols: for ALPN.
    ///   - clientAuthorities: certificates in PEM form; a client must show one that they have signed. Nil asks for none.
    package static func context(
        chain: String, key: String, protocols: [String], clientAuthorities: String? = nil
    ) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(chain.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = protocols
        if let clientAuthorities {
            tls.certificateVerification = .noHostnameVerification
            tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(clientAuthorities.utf8)))
        }
        return try NIOSSLContext(configuration: tls)
    }
}
