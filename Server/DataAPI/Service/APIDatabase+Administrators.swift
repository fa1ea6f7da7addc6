package import CausewayHTTP
import CausewayModel
import CausewaySession

extension APIDatabase {
    /// Makes a change of one object for somebody who may do everything, as the request for this call would.
    ///
    /// - Parameters:
    ///   - key: as a path names the object.
    ///   - request: its body and its headers count, and its path does not.
    ///   - user: the name under which the history has the change.
    package func change(
        _ name: APICall.Name, _ className: String, key: String, _ request: HTTPRequest, by user: String
    ) async throws(APIError) -> HTTPAnswer {
        guard let call = APICall.all.first(where: { $0.name == name }) else {
            preconditionFailure("The table of calls has all of them.")
        }
        var route = APIRoute(call)
        (route.className, route.key) = (className, key)
        let change = route
        let caller = KnownCaller(user: user)
        let calls = WriteCalls(conversations: conversations, caller: caller, limits: APILimits())
        return try await places.hold(for: caller.user) { () throws(APIError) in try await calls.write(request, change) }
    }
}
