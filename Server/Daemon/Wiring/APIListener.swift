import CausewayDataAPI
import CausewayEndpoint
import CausewayFeed
import CausewayHTTP
import CausewayLimits
import CausewayWire
import Logging

extension Configuration {
    /// The listener for back ends; nil when they are not served.
    func apiListener(
        _ inspection: Inspection, _ tenants: Tenants, _ authenticator: any Authenticator, _ changes: ChangesService,
        rates: RateGate, observer: any APIObserver, _ logger: Logger
    ) throws -> HTTPListener? {
        guard let api else { return nil }
        let service = DataAPI(
            database: { tenants[$0]?.api }, authenticator: authenticator, observer: observer)
        var limits = HTTPLimits()
        limits.graceMilliseconds = Int64(self.limits.gracefulEndSeconds) * 1_000
        return HTTPListener(
            host: api.host, port: api.port,
            tls: try ServerTLS.context(
                chain: inspection.certificateChain, key: inspection.certificateKey, protocols: ["http/1.1"]),
            service: BackEndService(tenants: tenants, data: service, changes: changes, rates: rates), limits: limits,
            logger: logger)
    }
}

/// What back ends are served on one address: the data API, and the change feed beside it. The database of a request stays
/// open until it is answered.
private struct BackEndService: HTTPService {
    let tenants: Tenants
    let data: DataAPI
    let changes: ChangesService
    /// What addresses may do in a time: shared with the endpoint for devices.
    let rates: RateGate

    func admit(_ head: HTTPHead) -> HTTPAdmission {
        do throws(LimitReached) {
            try rates.take(.init(.requestsPerSecondOfAddress, of: head.peer.group), from: head.peer.group)
        } catch {
            return .refused(APIError(error).answer)
        }
        if changes.serves(head) { return changes.admit(head) }
        if head.path.count > 2, let outage = tenants.outage(of: head.path[2]) {
            return .refused(APIError(outage.failure).answer)
        }
        return data.admit(head)
    }

    func answer(to refusal: HTTPRefusal, of head: HTTPHead?) -> HTTPAnswer {
        if let head, changes.serves(head) { return changes.answer(to: refusal, of: head) }
        return data.answer(to: refusal, of: head)
    }

    func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        // A database that has just been dropped is found by nobody any more.
        guard let tenant = tenant(request.head), tenant.uses.begin() else { return await work(request) }
        var answer = await work(request)
        guard case .stream(let write) = answer.body else {
            tenant.uses.end()
            return answer
        }
        let use = Use(tenant)
        answer.body = .stream { writer in try await use.during { try await write(writer) } }
        return answer
    }

    private func work(_ request: HTTPRequest) async -> HTTPAnswer {
        changes.serves(request.head) ? await changes.answer(request) : await data.answer(request)
    }

    /// `/api/v1/{database}/…`
    private func tenant(_ head: HTTPHead) -> Tenant? {
        head.path.count > 2 ? tenants[head.path[2]] : nil
    }

    /// Ends with its last reference, whether the answer was written or its connection broke before.
    private final class Use: Sendable {
        private let tenant: Tenant

        init(_ tenant: Tenant) { self.tenant = tenant }

        func during(_ body: () async throws -> Void) async rethrows { try await body() }

        deinit { tenant.uses.end() }
    }
}
