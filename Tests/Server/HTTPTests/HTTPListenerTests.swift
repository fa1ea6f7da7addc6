import CausewayHTTP
import CausewayRawClient
import Logging
import Synchronization
import Testing

/// What a listener of HTTP/1.1 answers, and what it does with those who break the rules.
@Suite("HTTP/1.1", .serialized)
struct HTTPListenerTests {
    /// Repeats what it gets, and counts to three in a stream.
    private struct Echo: HTTPService {
        func admit(_ head: HTTPHead) -> HTTPAdmission {
            head.path == ["refused"] ? .refused(.text("no\n", status: 403)) : .body(bytesMax: 1_000)
        }

        func answer(_ request: HTTPRequest) async -> HTTPAnswer {
            if request.head.path == ["stream"] {
                return HTTPAnswer(
                    status: 200,
                    body: .stream { writer in for number in 1...3 { try await writer.write(Array("\(number)\n".utf8)) }
                    })
            }
            let query = request.head.query.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            return .text(
                "\(request.head.method) \(request.head.path.joined(separator: "|")) \(query) "
                    + String(decoding: request.body, as: UTF8.self) + "\n")
        }
    }

    private func withListener(
        _ limits: HTTPLimits = HTTPLimits(), _ service: any HTTPService = Echo(), _ body: (Int) async throws -> Void
    ) async throws {
        try await withListener(limits, service) { _, port in try await body(port) }
    }

    private func withListener(
        _ limits: HTTPLimits, _ service: any HTTPService, _ body: (HTTPListener, Int) async throws -> Void
    ) async throws {
        let listener = HTTPListener(
            host: "127.0.0.1", port: 0, tls: nil, service: service, limits: limits, logger: Logger(label: "test"))
        let port = try await listener.start()
        do {
            try await body(listener, port)
        } catch {
            await listener.shutdown()
            throw error
        }
        await listener.shutdown()
    }

    @Test("requests follow each other on one connection, with paths and queries decoded")
    func requests() async throws {
        try await withListener { port in
            let client = try RawClient(port: port)
            client.send("GET /a%20b/c?x=1+2&y=%C3%A4 HTTP/1.1\r\nhost: here\r\n\r\n")
            #expect(client.receive(until: "ä").contains("GET a b|c x=1 2,y=ä"))
            client.send("POST /d HTTP/1.1\r\nhost: here\r\ncontent-length: 5\r\n\r\nhello")
            #expect(client.receive(until: "hello").hasSuffix("POST d  hello\n"))
        }
    }

    @Test("a stream comes in pieces, and the connection goes on behind it")
    func stream() async throws {
        try await withListener { port in
            let client = try RawClient(port: port)
            client.send("GET /stream HTTP/1.1\r\nhost: here\r\n\r\n")
            let answer = client.receive(until: "0\r\n\r\n")
            #expect(answer.contains("transfer-encoding: chunked"))
            #expect(answer.contains("1\n\r\n") && answer.contains("3\n\r\n"))
            client.send("GET /next HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n")
            #expect(client.receiveAll()?.contains("GET next") == true)
        }
    }

    /// Waits for something to tell, for ever.
    private final class Waiting: HTTPService {
        let state = Mutex((begun: 0, ended: 0))

        func admit(_ head: HTTPHead) -> HTTPAdmission { .body(bytesMax: 0) }

        func answer(_ request: HTTPRequest) async -> HTTPAnswer {
            HTTPAnswer(
                status: 200,
                body: .stream { [self] writer in
                    defer { state.withLock { $0.ended += 1 } }
                    try await writer.write(Array("begun\n".utf8))
                    state.withLock { $0.begun += 1 }
                    try await Task.sleep(for: .seconds(3_600))
                })
        }
    }

    @Test("what writes a stream ends when its client leaves, although there is nothing to write")
    func left() async throws {
        let service = Waiting()
        try await withListener(HTTPLimits(), service) { port in
            do {
                let client = try RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nhost: here\r\n\r\n")
                #expect(client.receive(until: "begun").contains("200 OK"))
                #expect(service.state.withLock { $0.ended } == 0)
            }
            for _ in 0..<2_000 where service.state.withLock({ $0.ended }) == 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(service.state.withLock { $0.ended } == 1)
        }
    }

    @Test("a refused request, a large body, a bad path and noise are answered, and then the connection ends")
    func refusals() async throws {
        try await withListener { port in
            for (request, status) in [
                ("GET /refused HTTP/1.1\r\nhost: here\r\n\r\n", "403"),
                (
                    "POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 2000\r\n\r\n"
                        + String(repeating: "x", count: 2_000), "413"
                ),
                ("GET /%zz HTTP/1.1\r\nhost: here\r\n\r\n", "400"),
                ("nonsense\r\n\r\n", "400"),
                ("GET /%ff HTTP/1.1\r\nhost: here\r\n\r\n", "400"),
            ] {
                let client = try RawClient(port: port)
                client.send(request)
                let answer = try #require(client.receiveAll())
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(request.prefix(30))")
            }
        }
    }

    @Test("a connection without a request, and one whose body trickles, are closed in time")
    func slow() async throws {
        var limits = HTTPLimits()
        (limits.idleMilliseconds, limits.bodyMilliseconds) = (300, 300)
        try await withListener(limits) { port in
            let idle = try RawClient(port: port)
            #expect(idle.receiveAll() == "")
            let headless = try RawClient(port: port)
            headless.send("GET / HTTP/1.1\r\nhost:")
            #expect(headless.receiveAll() != nil)
            let trickling = try RawClient(port: port)
            trickling.send("POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 10\r\n\r\nx")
            #expect(trickling.receiveAll() == "")
        }
    }

    @Test("more connections of one address than it may have are closed, and others find a place once they are gone")
    func connections() async throws {
        var limits = HTTPLimits()
        limits.connectionsOfAddress = 2
        try await withListener(limits) { port in
            do {
                let kept = try [RawClient(port: port), RawClient(port: port)]
                for client in kept {
                    client.send("GET /a HTTP/1.1\r\nhost: here\r\n\r\n")
                    #expect(client.receive(until: "GET a").contains("200 OK"))
                }
                #expect(try RawClient(port: port).receiveAll() == "")
            }
            var answer = ""
            for _ in 0..<200 where !answer.contains("GET b") {
                let client = try RawClient(port: port)
                client.send("GET /b HTTP/1.1\r\nhost: here\r\n\r\n")
                answer = client.receive(until: "GET b")
            }
            #expect(answer.contains("GET b"))
        }
    }

    /// Answers with more bytes than the system holds for a client that does not read, and counts the requests that it has worked on.
    private final class Large: HTTPService {
        static let bytes = 8 << 20
        let worked = Atomic(0)

        func admit(_ head: HTTPHead) -> HTTPAdmission { .body(bytesMax: 0) }

        func answer(_ request: HTTPRequest) async -> HTTPAnswer {
            worked.add(1, ordering: .relaxed)
            return .text(String(repeating: "x", count: Self.bytes))
        }
    }

    @Test(
        "answers that wait for clients who do not read are bounded, and nothing is worked on beyond",
        .timeLimit(.minutes(3)))
    func unread() async throws {
        var limits = HTTPLimits()
        (limits.unreadBytes, limits.unreadBytesOfAddress) = (4 * Large.bytes, 2 * Large.bytes)
        limits.stalledMilliseconds = 20_000
        let service = Large()
        try await withListener(limits, service) { listener, port in
            let reading = try (0..<2).map { _ in try RawClient(port: port, receiveBytes: 64 << 10) }
            for client in reading { client.send("GET / HTTP/1.1\r\nhost: here\r\n\r\n") }
            while listener.unreadBytes < 2 * Large.bytes { try await Task.sleep(for: .milliseconds(5)) }
            // Both of the address's answers wait: whatever the next one asks, it is refused.
            for method in ["GET", "POST"] {
                let client = try RawClient(port: port)
                client.send("\(method) / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n")
                #expect(client.receiveAll()?.hasPrefix("HTTP/1.1 503") == true)
            }
            #expect(service.worked.load(ordering: .relaxed) == 2 && listener.unreadBytes == 2 * Large.bytes)
            // One of them reads, and there is room again. The other is closed in time.
            #expect(reading[0].receiveBytes(Large.bytes) >= Large.bytes)
            while listener.unreadBytes > Large.bytes { try await Task.sleep(for: .milliseconds(5)) }
            let next = try RawClient(port: port)
            next.send("GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n")
            #expect(next.receiveAll()?.hasPrefix("HTTP/1.1 200") == true)
            while listener.unreadBytes > 0 { try await Task.sleep(for: .milliseconds(5)) }
        }
    }
}
