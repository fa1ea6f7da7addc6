package import CausewayEndpoint
package import CausewayHTTP
import CausewayModel
package import CausewaySession
import CausewayStore
import CausewayWire
package import Logging

/// Serves the data of databases to back ends, as JSON over HTTP/1.1. API.md is its specification.
package final class DataAPI: HTTPService {
    private let databases: ExactDictionary<Database>
    private let authenticator: any Authenticator
    private let limits: APILimits
    private let faults: FaultLog

    private struct Database: Sendable {
        var conversations: Conversations
        var places: RequestPlaces
    }

    package init(
        databases: [String: Conversations], authenticator: any Authenticator, limits: APILimits = APILimits(),
        logger: Logger
    ) {
        self.databases = ExactDictionary(
            uniqueKeysWithValues: databases.map { name, conversations in
                let places = RequestPlaces(countMax: limits.requests, countMaxOfUser: limits.requestsOfUser)
                return (name, Database(conversations: conversations, places: places))
            })
        self.authenticator = authenticator
        self.limits = limits
        faults = FaultLog(logger)
    }

    package func admit(_ head: HTTPHead) -> HTTPAdmission {
        do throws(APIError) {
            let route = try APIRoute(head)
            if route.call.namesDatabase { _ = try caller(head, route) }
            return .body(bytesMax: route.call.body == nil ? 0 : limits.bodyBytes)
        } catch {
            return .refused(error.answer)
        }
    }

    package func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        do throws(APIError) {
            let route = try APIRoute(request.head)
            guard route.call.namesDatabase else {
                return HTTPAnswer.text(OpenAPIDocument.text, type: "application/yaml")
            }
            let (caller, database) = try caller(request.head, route)
            return try await database.places.hold(for: caller.user) { () throws(APIError) in
                try await answer(request, route, caller, database.conversations)
            }
        } catch {
            // What the client cannot help is the operator's to know.
            if error.code == .serverFault || error.code == .serverOutOfSpace { faults.note(error) }
            return error.answer
        }
    }

    private func answer(
        _ request: HTTPRequest, _ route: APIRoute, _ caller: KnownCaller, _ conversations: Conversations
    ) async throws(APIError) -> HTTPAnswer {
        let reader = ReadCalls(conversations: conversations, caller: caller, limits: limits)
        let writer = WriteCalls(conversations: conversations, caller: caller, limits: limits)
        switch route.call.name {
        case .readSchema: return try await reader.schema()
        case .listObjects: return try await reader.list(route)
        case .readObject: return try await reader.object(route)
        case .createObject, .patchObject, .putObject, .deleteObject, .commitTransaction:
            return try await writer.write(request, route)
        case .openapi: preconditionFailure("The document names no database.")
        }
    }

    private func caller(_ head: HTTPHead, _ route: APIRoute) throws(APIError) -> (KnownCaller, Database) {
        guard let token = head.bearerToken else {
            throw APIError(
                .tokenInvalid, "The request has no token. Send one in the header “Authorization: Bearer …”.")
        }
        guard let database = databases[route.database] else {
            throw APIError(.databaseUnknown, "This server has no database “\(route.database.prefix(80))”.")
        }
        do throws(SyncFailure) {
            return (try authenticator.caller(for: token, database: route.database), database)
        } catch {
            throw APIError(error)
        }
    }
}
