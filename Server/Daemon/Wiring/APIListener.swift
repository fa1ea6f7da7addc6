import CausewayDataAPI
import CausewayEndpoint
import CausewayFeed
import CausewayHTTP
import Logging

extension Configuration {
    /// The listener for back ends; nil when they are not served.
    func apiListener(
        _ inspection: Inspection, _ tenants: [Tenant], _ authenticator: any Authenticator, _ changes: ChangesService,
        observer: any APIObserver, _ logger: Logger
    ) throws -> HTTPListener? {
        guard let api else { return nil }
        let service = DataAPI(
            databases: Dictionary(uniqueKeysWithValues: tenants.map { ($0.name, $0.conversations) }),
            authenticator: authenticator, observer: observer)
        var limits = HTTPLimits()
        limits.graceMilliseconds = Int64(self.limits.gracefulEndSeconds) * 1_000
        return HTTPListener(
            host: api.host, port: api.port,
            tls: try ServerTLS.context(
                chain: inspection.certificateChain, key: inspection.certificateKey, protocols: ["http/1.1"]),
            service: BackEndService(data: service, changes: changes), limits: limits, logger: logger)
    }
}

/// What back ends are served on one address: the data API, and the change feed beside it.
private struct BackEndService: HTTPService {
    let data: DataAPI
    let changes: ChangesService

    func admit(_ head: HTTPHead) -> HTTPAdmission {
        changes.serves(head) ? changes.admit(head) : data.admit(head)
    }

    func answer(to refusal: HTTPRefusal, of head: HTTPHead?) -> HTTPAnswer {
        if let head, changes.serves(head) { return changes.answer(to: refusal, of: head) }
        return data.answer(to: refusal, of: head)
    }

    func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        changes.serves(request.head) ? await changes.answer(request) : await data.answer(request)
    }
}
