import CausewayHTTP
import CausewayOpenAPI

/// A call, with what its path and its parameters name.
struct APIRoute: Sendable {
    var call: APICall
    var database = ""
    var className = ""
    var key = ""
    var parameters: [String: String] = [:]

    init(_ head: HTTPHead) throws(APIError) {
        let found = Self.matches(head.path)
        guard let route = found.first(where: { $0.call.method == head.method }) else {
            guard !found.isEmpty else {
                throw APIError(
                    .pathUnknown,
                    "There is nothing at this path. GET /api/v1/openapi.yaml describes what there is.")
            }
            var error = APIError(.methodNotAllowed, "This path does not take \(head.method.prefix(20)).")
            error.methodsAllowed = found.map(\.call.method)
            throw error
        }
        self = route
        parameters = try Self.parameters(head.query, of: route.call)
    }

    init(_ call: APICall) { self.call = call }

    /// The calls of all methods at a path.
    private static func matches(_ path: [String]) -> [APIRoute] {
        guard path.starts(with: APICall.prefix) else { return [] }
        let rest = Array(path.dropFirst(APICall.prefix.count))
        return APICall.all.compactMap { call in
            var route = APIRoute(call)
            var parts = rest[...]
            if call.namesDatabase {
                guard let database = parts.popFirst() else { return nil }
                route.database = database
            }
            guard parts.count == call.path.count else { return nil }
            for (part, text) in zip(call.path, parts) {
                switch part {
                case .word(let word): guard word == text else { return nil }
                case .className: route.className = text
                case .key: route.key = text
                }
            }
            return route
        }
    }

    private static func parameters(_ query: [HTTPHead.Parameter], of call: APICall) throws(APIError) -> [String: String]
    {
        do throws(ParameterProblem) {
            return try call.parameters.values(in: query)
        } catch {
            throw APIError(.requestInvalid, error.message)
        }
    }

    func number(_ name: String) -> Int? { parameters[name].flatMap { Int($0) } }
}
