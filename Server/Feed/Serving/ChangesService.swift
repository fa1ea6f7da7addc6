package import CausewayHTTP
import CausewayModel

/// Serves `GET /api/v1/{database}/changes`. FEED.md is its specification.
package struct ChangesService: HTTPService {
    private let source: @Sendable (String) -> FeedSource?
    private let callers: any FeedCallers
    private let heartbeatMilliseconds: UInt64
    private let observer: any FeedObserver
    private let now: @Sendable () -> UInt64

    /// The time between two signs of life for a reader.
    package static let heartbeatMilliseconds: UInt64 = 15_000

    /// - Parameters:
    ///   - source: looks a database up, at each request.
    ///   - now: milliseconds since 1970.
    package init(
        _ source: @escaping @Sendable (String) -> FeedSource?, callers: any FeedCallers,
        heartbeatMilliseconds: UInt64 = ChangesService.heartbeatMilliseconds,
        observer: any FeedObserver = NoFeedObserver(), now: @escaping @Sendable () -> UInt64
    ) {
        self.source = source
        self.callers = callers
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.observer = observer
        self.now = now
    }

    /// Whether the path is one of this service's: for a listener that has others too.
    package func serves(_ head: HTTPHead) -> Bool {
        head.path.count == 4 && head.path[0] == "api" && head.path[1] == "v1" && head.path[3] == "changes"
    }

    package func admit(_ head: HTTPHead) -> HTTPAdmission {
        guard serves(head) else { return .refused(.text("There is nothing here.\n", status: 404)) }
        guard head.method == "GET" else {
            var answer = HTTPAnswer.json(FeedFailure(.requestInvalid, "Changes are read. Use GET.").json, status: 405)
            answer.headers.append(.init("allow", "GET"))
            return .refused(answer)
        }
        return .body(bytesMax: Self.bodyBytesMax)
    }

    package func answer(to refusal: HTTPRefusal, of head: HTTPHead?) -> HTTPAnswer {
        var answer = FeedFailure(refusal == .answersUnread ? .busy : .requestInvalid, refusal.message).answer
        answer.status = refusal.status
        return answer
    }

    /// A GET has no body.
    private static let bodyBytesMax = 0

    package func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        var party = FeedParty(database: request.head.path[2], address: request.head.peer.group)
        do throws(FeedFailure) {
            return try await answer(request.head, &party)
        } catch {
            observer.observe(.refused(party, error))
            return error.answer
        }
    }

    private func answer(_ head: HTTPHead, _ party: inout FeedParty) async throws(FeedFailure) -> HTTPAnswer {
        guard let token = head.bearerToken else {
            throw FeedFailure(
                .tokenInvalid, "The request has no token. Send the header “Authorization: Bearer TOKEN”.")
        }
        let caller = try callers.caller(for: token, database: party.database)
        party.user = caller.user
        guard let source = source(party.database), source.opening === caller.opening else {
            throw FeedFailure(
                .databaseUnknown, "The server has no database “\(party.database.prefix(64))”. Correct the path.")
        }
        let listener = try FeedListener(
            source, caller, party, try ChangesQuery(head), heartbeatMilliseconds: heartbeatMilliseconds,
            observer: observer, now: now)
        return try await listener.answer()
    }
}

extension FeedFailure {
    fileprivate var answer: HTTPAnswer {
        var answer = HTTPAnswer.json(json, status: status)
        if code == .busy {
            let seconds = retryAfterMilliseconds.map { ($0 + 999) / 1_000 } ?? Self.retrySeconds
            answer.headers.append(.init("retry-after", "\(seconds)"))
        }
        if status == 401 { answer.headers.append(.init("www-authenticate", "Bearer")) }
        return answer
    }

    private static let retrySeconds: UInt64 = 10

    private var status: Int {
        switch code {
        case .historyGone: 410
        case .databaseRestored, .versionUnknown, .permissionsChanged: 409
        case .requestInvalid: 400
        case .classUnknown, .databaseUnknown: 404
        case .tokenInvalid, .tokenExpired: 401
        case .permissionDenied: 403
        case .busy, .serverEnds: 503
        default: 500
        }
    }
}
