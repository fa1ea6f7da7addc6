package import CausewayEndpoint
package import CausewayHTTP
import CausewayLimits
import CausewayModel
package import CausewaySession
import CausewayStore
import CausewayWire

/// Serves the data of databases to back ends, as JSON over HTTP/1.1. API.md is its specification.
package final class DataAPI: HTTPService {
    private let database: @Sendable (String) -> APIDatabase?
    private let authenticator: any Authenticator
    private let limits: APILimits
    private let observer: any APIObserver

    /// - Parameter database: looks a database up, at each request.
    package init(
        database: @escaping @Sendable (String) -> APIDatabase?, authenticator: any Authenticator,
        limits: APILimits = APILimits(), observer: any APIObserver = NoAPIObserver()
    ) {
        self.database = database
        self.authenticator = authenticator
        self.limits = limits
        self.observer = observer
    }

    /// For databases that stay.
    package convenience init(
        databases: [String: Conversations], authenticator: any Authenticator, limits: APILimits = APILimits(),
        observer: any APIObserver = NoAPIObserver()
    ) {
        let known = ExactDictionary(
            uniqueKeysWithValues: databases.map { ($0.key, APIDatabase($0.value, limits)) })
        self.init(database: { known[$0] }, authenticator: authenticator, limits: limits, observer: observer)
    }

    package func admit(_ head: HTTPHead) -> HTTPAdmission {
        var facts = APIFacts(head)
        do throws(APIError) {
            let route = try APIRoute(head)
            facts.note(route)
            if route.call.namesDatabase {
                let (caller, database) = try caller(head, route)
                try Self.admit(caller, route.call, database.conversations)
            }
            return .body(bytesMax: route.call.body == nil ? 0 : limits.bodyBytes)
        } catch {
            return .refused(refused(error, facts))
        }
    }

    package func answer(to refusal: HTTPRefusal, of head: HTTPHead?) -> HTTPAnswer {
        let error = APIError(refusal)
        guard let head else { return error.answer }
        var facts = APIFacts(head)
        do throws(APIError) {
            facts.note(try APIRoute(head))
        } catch {}
        return refused(error, facts)
    }

    private func refused(_ error: APIError, _ facts: APIFacts) -> HTTPAnswer {
        var facts = facts
        facts.failure = error
        observer.observe(.refused(facts))
        return error.answer
    }

    package func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        let start = ContinuousClock.now
        var facts = APIFacts(request.head)
        defer { observer.observe(.answered(facts, nanoseconds: start.elapsedNanoseconds)) }
        do throws(APIError) {
            let route = try APIRoute(request.head)
            facts.note(route)
            guard route.call.namesDatabase else {
                return HTTPAnswer.text(OpenAPIDocument.text, type: "application/yaml")
            }
            let (caller, database) = try caller(request.head, route)
            facts.user = caller.user.string
            let made = try await database.places.hold(for: caller.user) { () throws(APIError) in
                try await answer(request, route, caller, database.conversations)
            }
            facts.objectsRead = made.objectsRead
            return made.http
        } catch {
            facts.failure = error
            return error.answer
        }
    }

    private func answer(
        _ request: HTTPRequest, _ route: APIRoute, _ caller: KnownCaller, _ conversations: Conversations
    ) async throws(APIError) -> APIAnswer {
        let reader = ReadCalls(conversations: conversations, caller: caller, limits: limits)
        let writer = WriteCalls(conversations: conversations, caller: caller, limits: limits)
        switch route.call.name {
        case .readSchema: return APIAnswer(try await reader.schema())
        case .listObjects: return try await reader.list(route)
        case .readObject: return try await reader.object(route)
        case .createObject, .patchObject, .putObject, .deleteObject, .commitTransaction:
            return APIAnswer(try await writer.write(request, route))
        case .openapi: preconditionFailure("The document names no database.")
        }
    }

    private func caller(_ head: HTTPHead, _ route: APIRoute) throws(APIError) -> (KnownCaller, APIDatabase) {
        guard let token = head.bearerToken else {
            throw APIError(
                .tokenInvalid, "The request has no token. Send one in the header “Authorization: Bearer …”.")
        }
        guard let database = database(route.database) else { throw Self.databaseUnknown(route.database) }
        var caller: KnownCaller
        do throws(SyncFailure) {
            caller = try authenticator.caller(for: token, database: route.database)
        } catch {
            throw APIError(error)
        }
        guard database.conversations.knows(caller) else { throw Self.databaseUnknown(route.database) }
        caller.address = head.peer.group
        return (caller, database)
    }

    private static func databaseUnknown(_ name: String) -> APIError {
        APIError(.databaseUnknown, "This server has no database “\(name.prefix(80))”.")
    }

    /// Charges a request to its user. One who has read much waits before they read on.
    private static func admit(
        _ caller: KnownCaller, _ call: APICall, _ conversations: Conversations
    ) throws(APIError) {
        do throws(LimitReached) {
            try conversations.rates.check(
                .init(.readMillisecondsPerSecondOfUser, of: caller.user.string), from: caller.address)
            try conversations.admit(caller, writes: call.writes)
        } catch {
            throw APIError(error)
        }
    }
}

/// An answer, and what it has cost.
struct APIAnswer: Sendable {
    var http: HTTPAnswer
    /// Objects that it holds.
    var objectsRead: Int

    init(_ http: HTTPAnswer, objectsRead: Int = 0) {
        (self.http, self.objectsRead) = (http, objectsRead)
    }
}

/// A database, with the places for requests to it.
package struct APIDatabase: Sendable {
    let conversations: Conversations
    let places: RequestPlaces

    package init(_ conversations: Conversations, _ limits: APILimits = APILimits()) {
        self.conversations = conversations
        places = RequestPlaces(countMax: limits.requests, countMaxOfUser: limits.requestsOfUser)
    }
}
