import CausewayHTTP
import Synchronization
import Testing

@testable import CausewayAdmin

@Suite("The admin listener's table of routes, and who may use it")
struct AdminServiceTests {
    private static let token = String(repeating: "t", count: AdminAccess.tokenBytesMin)

    private final class Collected: AdminObserver {
        private let events = Mutex<[AdminEvent]>([])
        var all: [AdminEvent] { events.withLock { $0 } }
        func observe(_ event: AdminEvent) { events.withLock { $0.append(event) } }
    }

    private static let routes = AdminRoutes([
        AdminRoute("GET", "/metrics", access: .monitoring) { _ in .text("m") },
        AdminRoute("GET", "/databases/{database}/sessions") { .text("sessions of \($0["database"])") },
        AdminRoute("GET", "/databases/all/sessions") { _ in .text("all") },
        AdminRoute("POST", "/reload", bodyBytesMax: 10, isChange: true) { .text("got \($0.request.body.count)") },
    ])

    private func service(
        token: String? = token, isPeerVerified: Bool = false, isMonitoringOpen: Bool = true, isLocal: Bool = true,
        observer: any AdminObserver = NoAdminObserver()
    ) -> AdminService {
        AdminService(
            Self.routes,
            access: AdminAccess(
                token: token, isPeerVerified: isPeerVerified, isMonitoringOpen: isMonitoringOpen, isLocal: isLocal),
            observer: observer)
    }

    private func head(
        _ method: String, _ target: String, token: String? = token, host: String? = "localhost:7444"
    ) throws -> HTTPHead {
        var headers: [HTTPHead.Header] = []
        if let token { headers.append(.init("authorization", "Bearer \(token)")) }
        if let host { headers.append(.init("host", host)) }
        return try #require(HTTPHead(method: method, target: target, headers: headers))
    }

    /// Nil when the request is admitted.
    private func refusal(_ service: AdminService, _ head: HTTPHead) -> Int? {
        if case .refused(let answer) = service.admit(head) { answer.status } else { nil }
    }

    private func text(_ answer: HTTPAnswer) -> String {
        if case .whole(let bytes) = answer.body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    @Test("without the token nobody learns which routes there are, and monitoring is open where it may be")
    func token() throws {
        let service = service()
        #expect(refusal(service, try head("GET", "/metrics", token: nil)) == nil)
        for wrong in [nil, "", "x", Self.token + "t", String(Self.token.dropLast()), String(repeating: "u", count: 32)]
        {
            for target in ["/databases/a/sessions", "/nothing", "/"] {
                #expect(refusal(service, try head("GET", target, token: wrong)) == 401, "\(wrong ?? "nil") \(target)")
            }
            #expect(refusal(service, try head("POST", "/metrics", token: wrong)) == 401)
        }
        #expect(refusal(service, try head("GET", "/databases/a/sessions")) == nil)
        #expect(refusal(service, try head("GET", "/nothing")) == 404)
        #expect(refusal(service, try head("POST", "/metrics")) == 405)
        #expect(refusal(self.service(isMonitoringOpen: false), try head("GET", "/metrics", token: nil)) == 401)
    }

    @Test("without a token in the configuration only who has shown a certificate is an administrator")
    func noToken() throws {
        #expect(refusal(service(token: nil), try head("GET", "/databases/a/sessions")) == 401)
        let verified = service(token: nil, isPeerVerified: true)
        #expect(refusal(verified, try head("GET", "/databases/a/sessions", token: nil)) == nil)
        let both = service(isPeerVerified: true)
        #expect(refusal(both, try head("GET", "/databases/a/sessions", token: nil)) == 401)
    }

    @Test("a page of another site cannot reach a local listener by a name of its own")
    func host() throws {
        for host in ["localhost", "127.0.0.1:7444", "[::1]:7444", "LOCALHOST"] {
            #expect(refusal(service(), try head("GET", "/metrics", host: host)) == nil, "\(host)")
        }
        for host in [nil, "", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:7444", "[::2]"] {
            #expect(refusal(service(), try head("GET", "/metrics", host: host)) == 421, "\(host ?? "nil")")
        }
        #expect(refusal(service(isLocal: false), try head("GET", "/metrics", host: "sync.example.org")) == nil)
    }

    @Test("parameters come from the path, and a route without any comes first")
    func parameters() async throws {
        let service = service()
        func answer(_ target: String) async throws -> String {
            text(await service.answer(HTTPRequest(try head("GET", target))))
        }
        #expect(try await answer("/databases/a%20b/sessions") == "sessions of a b")
        #expect(try await answer("/databases/all/sessions") == "all")
    }

    @Test("bodies have the bound of their route, and a new token counts from the next request")
    func bodies() throws {
        let service = service()
        guard case .body(let bytesMax) = service.admit(try head("POST", "/reload")) else {
            Issue.record("It was refused.")
            return
        }
        #expect(bytesMax == 10)
        let other = String(repeating: "o", count: 40)
        service.replaceAccess(
            by: AdminAccess(token: other, isPeerVerified: false, isMonitoringOpen: true, isLocal: true))
        #expect(refusal(service, try head("POST", "/reload")) == 401)
        #expect(refusal(service, try head("POST", "/reload", token: other)) == nil)
    }

    @Test("what is refused and what is answered is told, without the token")
    func observed() async throws {
        let collected = Collected()
        let service = service(observer: collected)
        _ = service.admit(try head("POST", "/reload", token: "wrong"))
        _ = service.admit(try head("GET", "/metrics", host: "evil.example"))
        _ = service.admit(try head("GET", "/nothing"))
        let answer = await service.answer(HTTPRequest(try head("POST", "/reload"), body: [1]))
        #expect(answer.headers.contains(.init("cache-control", "no-store")))
        #expect(
            collected.all == [
                .refused(.token, address: "unknown"), .refused(.host, address: "unknown"),
                .refused(.route, address: "unknown"),
                .answered(route: "POST /reload", isChange: true, status: 200, address: "unknown"),
            ])
    }
}
