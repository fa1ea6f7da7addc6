import CausewayTelemetry

extension Configuration {
    /// The listener for administrators and for programs that watch the server. There is none without this section.
    struct Admin: Hashable, Sendable {
        var host = "127.0.0.1"
        var port = 7444
        /// The file of the token that administrators show.
        var tokenFile: String?
        /// The PEM file of certificates; every client must show one that they have signed.
        var clientAuthorities: String?
        /// Whether `/metrics`, `/healthz` and `/readyz` need no token.
        var metricsWithoutToken = true

        /// Whether only programs of this machine can call it.
        var isLocal: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
        /// Tokens do not leave the machine unencrypted, and certificates need TLS.
        var usesTLS: Bool { !isLocal || clientAuthorities != nil }
    }

    static func readAdmin(_ root: inout Section) -> Admin? {
        guard let node = root.node("admin") else { return nil }
        var section = Section(node, path: "admin")
        var admin = Admin()
        if let host = section.text("host") {
            if host.isEmpty { section.note("host", node, "The address is empty. Leave the key out for 127.0.0.1.") }
            admin.host = host
        }
        admin.port = section.number("port", 0...65_535, default: admin.port)
        admin.tokenFile = section.text("tokenFile")
        admin.clientAuthorities = section.text("clientAuthorities")
        for (name, file) in [("tokenFile", admin.tokenFile), ("clientAuthorities", admin.clientAuthorities)]
        where file?.isEmpty == true { section.note(name, node, "The file is not named. Leave the key out.") }
        admin.metricsWithoutToken = section.flag("metricsWithoutToken", default: admin.isLocal)
        if !admin.isLocal, admin.tokenFile == nil, admin.clientAuthorities == nil {
            section.note(
                "tokenFile", node,
                "Other machines can call \(admin.host.prefix(80)), so administrators must show who they are. Name a "
                    + "tokenFile or clientAuthorities, or listen on 127.0.0.1.")
        }
        if !admin.isLocal, admin.metricsWithoutToken {
            section.note(
                "metricsWithoutToken", node,
                "Other machines can call \(admin.host.prefix(80)), and metrics name databases and tell who is active. Give "
                    + "the program that reads them the token, or listen on 127.0.0.1.")
        }
        root.take(section.finish())
        return admin
    }

    /// `log.audit`: a file, or `stdout`.
    static func readAudit(_ section: inout Section) -> AuditLog.Target? {
        guard let text = section.text("audit") else { return nil }
        guard !text.isEmpty else {
            section.note("audit", nil, "The file is not named. Name one, or write stdout, or leave the key out.")
            return nil
        }
        return text == "stdout" ? .standardOutput : .file(text)
    }
}
