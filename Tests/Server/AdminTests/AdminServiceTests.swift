import CausewayHTTP
import CausewayJSON
import CausewayOpenAPI
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
        let access = AdminAccess(token: other, isPeerVerified: false, isMonitoringOpen: true, isLocal: true)
        #expect(service.replaceAccess(by: access) && !service.replaceAccess(by: access))
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
                .answered(.init(route: "POST /reload", isChange: true, status: 200, address: "unknown")),
            ])
    }

    @Test("a call is told with its database, and with its code where it is refused")
    func observedDatabase() async throws {
        let collected = Collected()
        let refusing: AdminRoute.Handler = { _ throws(AdminError) in throw AdminError(.conflict, "It is there.") }
        let service = AdminService(
            AdminRoutes([
                AdminRoute("DELETE", "/databases/{database}", isChange: true, answer: refusing),
                AdminRoute("POST", "/databases", bodyBytesMax: 100, isChange: true, answer: refusing)
                    .naming(databaseBy: "name"),
            ]),
            access: AdminAccess(token: Self.token, isPeerVerified: false, isMonitoringOpen: true, isLocal: true),
            observer: collected)
        _ = await service.answer(HTTPRequest(try head("DELETE", "/databases/tasks")))
        for body in [#"{"name":"notes"}"#, "{"] {
            _ = await service.answer(HTTPRequest(try head("POST", "/databases"), body: Array(body.utf8)))
        }
        func call(_ route: String, _ database: String?) -> AdminEvent {
            .answered(
                .init(
                    route: route, isChange: true, status: 409, code: .conflict, database: database, address: "unknown"))
        }
        #expect(
            collected.all == [
                call("DELETE /databases/{database}", "tasks"), call("POST /databases", "notes"),
                call("POST /databases", nil),
            ])
    }

    // MARK: - The frame of the API

    private func service(_ route: AdminRoute) -> AdminService {
        AdminService(
            AdminRoutes([route]),
            access: AdminAccess(token: Self.token, isPeerVerified: false, isMonitoringOpen: true, isLocal: true))
    }

    private func expect(
        _ answer: HTTPAnswer, _ status: Int, _ code: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(answer.status == status, sourceLocation: location)
        let json = try JSONReader.read(Array(text(answer).utf8))
        #expect(json["code"]?.string == code, sourceLocation: location)
        #expect(json["message"]?.string?.isEmpty == false, sourceLocation: location)
    }

    @Test("refusals are JSON with a code and a sentence")
    func refusals() throws {
        func refused(_ method: String, _ target: String, token: String? = Self.token, host: String = "localhost") throws
            -> HTTPAnswer
        {
            guard case .refused(let answer) = service().admit(try head(method, target, token: token, host: host)) else {
                throw NotRefused()
            }
            return answer
        }
        try expect(try refused("GET", "/nothing"), 404, "pathUnknown")
        try expect(try refused("GET", "/nothing", token: "x"), 401, "tokenInvalid")
        try expect(try refused("GET", "/nothing", host: "evil.example"), 421, "hostInvalid")
        let answer = try refused("DELETE", "/reload")
        try expect(answer, 405, "methodNotAllowed")
        #expect(answer.headers.contains(.init("allow", "POST")))
    }

    private struct NotRefused: Error {}

    @Test("a query has the parameters of its route, each once and of its kind")
    func query() async throws {
        let service = service(
            AdminRoute("GET", "/list", AdminDescription("list", "", parameters: AdminPage.parameters, answer: "List")) {
                .text("\(AdminPage($0).limit) \($0.text("after") ?? "nil")")
            })
        func answer(_ query: String) async throws -> HTTPAnswer {
            await service.answer(HTTPRequest(try head("GET", "/list" + query)))
        }
        #expect(text(try await answer("")) == "100 nil")
        #expect(text(try await answer("?limit=1000&after=b%20c")) == "1000 b c")
        for wrong in ["?limit=0", "?limit=1001", "?limit=x", "?limit=1&limit=1", "?other=1"] {
            try expect(try await answer(wrong), 400, "requestInvalid")
        }
    }

    @Test("a body is an object with the members of its route")
    func members() async throws {
        let service = service(
            AdminRoute("POST", "/make", AdminDescription("make", "", body: "Made", answer: "Made")) {
                request throws(AdminError) in
                let members = try request.members("name", "isNew")
                return .text("\(try members.requiredText("name")) \(try members.flag("isNew"))")
            })
        func answer(_ body: String) async throws -> HTTPAnswer {
            await service.answer(HTTPRequest(try head("POST", "/make"), body: Array(body.utf8)))
        }
        #expect(text(try await answer(#"{"name":"a","isNew":true}"#)) == "a true")
        #expect(text(try await answer(#"{"name":"a","isNew":null}"#)) == "a false")
        for wrong in [
            "", "{", "[]", "{}", #"{"name":""}"#, #"{"name":1}"#, #"{"name":"a","isNew":1}"#, #"{"name":"a","x":1}"#,
        ] {
            try expect(try await answer(wrong), 400, "requestInvalid")
        }
    }

    @Test("pages follow each other without a gap, whatever comes and goes between them")
    func pages() throws {
        let names = ["b", "a", "é", "e\u{301}", "c", "A", ""]
        var (listed, after): ([String], String?) = ([], nil)
        repeat {
            var query = ["limit": "2"]
            if let after { query["after"] = after }
            let request = AdminRequest(HTTPRequest(try head("GET", "/")), query: query)
            let page = AdminPage(request).cut(names, by: { $0 })
            #expect(page.entries.count <= 2)
            listed += page.entries
            after = page.next
        } while after != nil
        #expect(
            listed.map { Array($0.utf8) } == names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    }
}
