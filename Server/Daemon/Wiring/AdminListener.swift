import CausewayAdmin
import CausewayHTTP
import CausewayIdentity
import Logging
import Synchronization

/// The admin listener with what is read anew while it runs: its token and its certificates.
final class AdminListener: Sendable {
    let service: AdminService
    let listener: HTTPListener
    private let live: LiveEvents
    /// Of the certificates that it works with.
    private let certificates: Mutex<[KeyDigest]>

    /// Bounds of an address that few programs call.
    private static var limits: HTTPLimits {
        var limits = HTTPLimits()
        (limits.connections, limits.connectionsOfAddress) = (64, 32)
        return limits
    }

    init(
        _ admin: Configuration.Admin, _ inspection: Inspection, _ routes: AdminRoutes, live: LiveEvents,
        observer: any AdminObserver, logger: Logger
    ) throws {
        self.live = live
        certificates = Mutex(inspection.adminCertificateDigests)
        service = AdminService(routes, access: inspection.adminAccess(admin), observer: observer)
        let tls =
            admin.usesTLS
            ? try ServerTLS.context(
                chain: inspection.certificateChain, key: inspection.certificateKey, protocols: ["http/1.1"],
                clientAuthorities: inspection.adminAuthorities) : nil
        listener = HTTPListener(
            host: admin.host, port: admin.port, tls: tls, service: service, limits: Self.limits, logger: logger)
    }

    /// What of it was replaced.
    struct News: Hashable {
        var isTokenNew = false
        var areCertificatesNew = false

        var words: String {
            switch (isTokenNew, areCertificatesNew) {
            case (true, true): "token and certificates"
            case (true, false): "token"
            default: "certificates"
            }
        }
    }

    /// Takes what was read without a problem.
    func take(_ admin: Configuration.Admin, _ inspection: Inspection) throws(ServerTLS.Failure) -> News {
        var news = News()
        let digests = inspection.adminCertificateDigests
        if admin.usesTLS, certificates.withLock({ $0 != digests }) {
            listener.replaceTLS(
                try ServerTLS.context(
                    chain: inspection.certificateChain, key: inspection.certificateKey, protocols: ["http/1.1"],
                    clientAuthorities: inspection.adminAuthorities))
            certificates.withLock { $0 = digests }
            news.areCertificatesNew = true
        }
        news.isTokenNew = service.replaceAccess(by: inspection.adminAccess(admin))
        if news.isTokenNew { live.end(.tokenReplaced) }
        // Who has shown a certificate that counts no more stays on no connection.
        if news.areCertificatesNew { listener.closeConnections(after: .seconds(2)) }
        return news
    }
}
