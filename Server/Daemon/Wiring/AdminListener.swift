import CausewayAdmin
import CausewayHTTP
import Logging

/// The admin listener with what is read anew while it runs: its token and its certificates.
struct AdminListener: Sendable {
    let service: AdminService
    let listener: HTTPListener

    /// Bounds of an address that few programs call.
    private static var limits: HTTPLimits {
        var limits = HTTPLimits()
        (limits.connections, limits.connectionsOfAddress) = (64, 32)
        return limits
    }

    init(
        _ admin: Configuration.Admin, _ inspection: Inspection, _ routes: AdminRoutes, observer: any AdminObserver,
        logger: Logger
    ) throws {
        service = AdminService(routes, access: inspection.adminAccess(admin), observer: observer)
        let tls =
            admin.usesTLS
            ? try ServerTLS.context(
                chain: inspection.certificateChain, key: inspection.certificateKey, protocols: ["http/1.1"],
                clientAuthorities: inspection.adminAuthorities) : nil
        listener = HTTPListener(
            host: admin.host, port: admin.port, tls: tls, service: service, limits: Self.limits, logger: logger)
    }

    /// Takes what was read without a problem.
    ///
    /// - Returns: whether it may be other than before. Certificates are not compared.
    func take(_ admin: Configuration.Admin, _ inspection: Inspection) throws -> Bool {
        if admin.usesTLS {
            listener.replaceTLS(
                try ServerTLS.context(
                    chain: inspection.certificateChain, key: inspection.certificateKey, protocols: ["http/1.1"],
                    clientAuthorities: inspection.adminAuthorities))
        }
        return service.replaceAccess(by: inspection.adminAccess(admin)) || admin.usesTLS
    }
}
