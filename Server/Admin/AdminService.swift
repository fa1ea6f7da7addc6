package import CausewayHTTP
import CausewayJSON
import CausewayOpenAPI
import Synchronization

/// Answers the requests of administrators, and of programs that watch the server, by a table of routes.
///
/// The caller is judged before anything is read of the body, and before a route is looked for: who is no administrator
/// learns nothing of what the server can be asked for.
package final class AdminService: HTTPService {
    private let routes: AdminRoutes
    private let access: Mutex<AdminAccess>
    private let observer: any AdminObserver

    package init(_ routes: AdminRoutes, access: AdminAccess, observer: any AdminObserver = NoAdminObserver()) {
        self.routes = routes
        self.access = Mutex(access)
        self.observer = observer
    }

    /// Takes another token, for the next request.
    ///
    /// - Returns: whether it is another one.
    package func replaceAccess(by access: AdminAccess) -> Bool {
        self.access.withLock { before in
            defer { before = access }
            return before != access
        }
    }

    package func admit(_ head: HTTPHead) -> HTTPAdmission {
        let finding = routes.find(head)
        // What is unknown is asked for by administrators alone.
        let wanted: AdminRoute.Access = if case .route(let route, _) = finding { route.access } else { .administration }
        if let refusal = access.withLock({ $0 }).refusal(of: head, to: wanted) {
            observer.observe(.refused(.init(refusal), address: head.peer.group))
            return .refused(AdminError(refusal).answer)
        }
        switch finding {
        case .route(let route, _):
            return .body(bytesMax: route.bodyBytesMax)
        case .methods(let methods):
            observer.observe(.refused(.route, address: head.peer.group))
            return .refused(AdminError.methodNotAllowed(methods).answer)
        case .nothing:
            observer.observe(.refused(.route, address: head.peer.group))
            return .refused(AdminError.pathUnknown.answer)
        }
    }

    package func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        guard case .route(let route, let parameters) = routes.find(request.head) else {
            preconditionFailure("A request is answered that was not admitted.")
        }
        let outcome = await outcome(request, route, parameters)
        var answer = stillPermitted(outcome.answer, to: request.head, route)
        // Nothing of it may stay in a cache, unless its route says so, or be shown as something else.
        if !answer.headers.contains(where: { $0.name == "cache-control" }) {
            answer.headers.append(.init("cache-control", "no-store"))
        }
        answer.headers.append(.init("x-content-type-options", "nosniff"))
        observer.observe(
            .answered(
                AdminEvent.Call(
                    route: "\(route.method) \(route.pattern)", isChange: route.isChange, status: answer.status,
                    code: outcome.code, database: parameters["database"] ?? route.databaseNamed(in: request),
                    address: request.head.peer.group)))
        return answer
    }

    /// An answer that streams goes on for long, so whoever replaces the token ends those that there are. One that is about to
    /// begin meanwhile is refused here.
    private func stillPermitted(_ answer: HTTPAnswer, to head: HTTPHead, _ route: AdminRoute) -> HTTPAnswer {
        guard case .stream = answer.body, let refusal = access.withLock({ $0 }).refusal(of: head, to: route.access)
        else { return answer }
        return AdminError(refusal).answer
    }

    private func outcome(
        _ request: HTTPRequest, _ route: AdminRoute, _ parameters: [String: String]
    ) async -> (answer: HTTPAnswer, code: AdminError.Code?) {
        do throws(AdminError) {
            var query: [String: String] = [:]
            if let description = route.description {
                do throws(ParameterProblem) {
                    query = try description.parameters.values(in: request.head.query)
                } catch {
                    throw AdminError(.requestInvalid, error.message)
                }
            }
            return (try await route.answer(AdminRequest(request, parameters: parameters, query: query)), nil)
        } catch {
            return (error.answer, error.code)
        }
    }
}

extension AdminRoute {
    /// Nil where the body names none.
    fileprivate func databaseNamed(in request: HTTPRequest) -> String? {
        guard let databaseMember, let json = try? JSONReader.read(request.body) else { return nil }
        return json[databaseMember]?.string
    }
}

extension AdminError {
    fileprivate init(_ refusal: AdminAccess.Refusal) {
        switch refusal {
        case .host:
            self.init(.hostInvalid, "This listener is called by localhost, 127.0.0.1 or [::1].")
        case .token:
            self.init(
                .tokenInvalid, "Send the administrator's token: authorization: Bearer TOKEN (admin.tokenFile).")
        }
    }

    fileprivate static func methodNotAllowed(_ methods: [String]) -> AdminError {
        var error = AdminError(.methodNotAllowed, "This is asked for with \(methods.joined(separator: " or ")).")
        error.methodsAllowed = methods
        return error
    }

    fileprivate static let pathUnknown = AdminError(
        .pathUnknown,
        "The admin listener does not know this path. GET /admin/v1/openapi.yaml describes what there is.")
}
