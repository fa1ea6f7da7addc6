import CausewayAdmin
import CausewayEnvironment
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewayOperations
import CausewayRawClient
import CausewayStore
import CausewayStoreEmbedded
import Logging
import Synchronization
import Testing

@testable import CausewayDaemon

/// Follows the events of an `AdminBench` through a listener.
@Suite("Events of the admin API", .serialized)
struct LiveEventsTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func withListener(
        _ bench: AdminBench, _ body: (HTTPListener, Int) async throws -> Void
    ) async throws {
        let listener = HTTPListener(host: "127.0.0.1", port: 0, tls: nil, service: bench.service, logger: logger)
        let port = try await listener.start()
        do {
            try await body(listener, port)
        } catch {
            bench.live.close()
            await listener.shutdown()
            throw error
        }
        bench.live.close()
        await listener.shutdown()
    }

    private func follow(_ port: Int, _ query: String = "", token: String = AdminBench.token) throws -> RawClient {
        let client = try RawClient(port: port)
        client.send(
            "GET /admin/v1/events\(query) HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer \(token)\r\n\r\n")
        return client
    }

    /// A commit of client 5, which has a session.
    private func commit(_ row: Int64, to database: String, in bench: AdminBench) throws {
        let (store, client) = (try #require(bench.tenants[database]).store, ClientID(5))
        let changeset = Changeset(
            client: client, sequence: UInt64(row), stamp: Stamp(time: 1 << 16, client: client), base: store.version,
            operations: [.create(ObjectReference("Flight", .int(row)), life: 1, fields: [])])
        _ = try store.commit([UploadBatch(client: client, user: "ada", changesets: [changeset])], receivedAt: 1_000)
    }

    private func waits(_ isSo: () -> Bool) async throws -> Bool {
        for _ in 0..<2_000 where !isSo() { try await Task.sleep(for: .milliseconds(10)) }
        return isSo()
    }

    @Test("a reader is told how each database is, and then of commits, sessions, databases and lines of the log")
    func told() async throws {
        try await AdminBench.run { bench in
            try await withListener(bench) { listener, port in
                bench.log.append(RecentLine(time: 1, .info, "before"))
                let client = try follow(port, "?log=true")
                let version = try #require(bench.tenants["flights"]).store.version.rawValue
                let head = await client.received(until: #"{"database":"flights","open":0,"live":0}"#)
                #expect(head.hasPrefix("HTTP/1.1 200") && head.contains("content-type: text/event-stream"))
                #expect(head.contains("cache-control: no-store") && head.contains("x-content-type-options: nosniff"))
                #expect(head.contains("event: version\ndata: {\"database\":\"flights\",\"version\":\(version)}\n\n"))
                #expect(listener.connectionCount == 1 && bench.live.readers.count == 1)
                try await bench.devices.open("flights", client: 5, user: "ada")
                #expect(await client.received(until: #""open":1,"live":0}"#).contains("event: sessions\n"))
                try commit(1, to: "flights", in: bench)
                let newest = try #require(bench.tenants["flights"]).store.version.rawValue
                #expect(await client.received(until: "\"version\":\(newest)}").contains("event: version\n"))
                try await bench.get("POST", "databases", #"{"name":"tasks"}"#, status: 201)
                #expect(
                    await client.received(until: #"{"database":"tasks","open":0"#).contains(
                        "event: databases\ndata: {}\n"))
                bench.log.append(RecentLine(time: 1, .warning, "after"))
                let line = await client.received(until: #""message":"after""#)
                #expect(line.contains("event: log\n") && !line.contains("before"))
                try await bench.get("DELETE", "databases/tasks?deleteFiles=tasks")
                #expect(await client.received(until: "event: databases").contains("event: databases"))
            }
        }
    }

    @Test("lines are told behind a number, and to nobody who does not ask for them")
    func lines() async throws {
        try await AdminBench.run { bench in
            try await withListener(bench) { _, port in
                for number in 1...250 { bench.log.append(RecentLine(time: 1, .info, "line \(number).")) }
                let text = try await follow(port, "?log=true&after=3").received(until: "line 250.")
                #expect(text.ranges(of: "event: log\n").count == 247)
                #expect(!text.contains("line 3.") && text.contains("line 4."))
                try await bench.devices.open("flights", client: 5, user: "ada")
                let without = try follow(port)
                _ = await without.received(until: "event: sessions")
                try commit(1, to: "flights", in: bench)
                #expect(await !without.received(until: "event: version").contains("event: log"))
            }
            try await bench.expect(400, "requestInvalid", "GET", "events?after=x")
        }
    }

    @Test("a reader to whom nothing can be told gets a sign of life")
    func signOfLife() async throws {
        try await AdminBench.run { bench in
            let live = LiveEvents(bench.tenants, signMilliseconds: 60)
            let text = Mutex("")
            guard case .stream(let write) = try live.answer(linesAfter: nil).body else { return }
            let writer = HTTPBodyWriter { bytes in
                text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            }
            let following = Task { try await write(writer) }
            #expect(try await waits { text.withLock { $0.hasSuffix("}\n\n: \n\n: \n\n") } })
            live.close()
            try await following.value
            #expect(text.withLock { $0.contains("event: end\ndata: {\"code\":\"serverBusy\"") })
        }
    }

    @Test("there is a bound on readers, and one that leaves makes room at once")
    func places() async throws {
        try await AdminBench.run { bench in
            try await withListener(bench) { _, port in
                var clients = try (0..<LiveReaders.readersMax).map { _ in try follow(port) }
                for client in clients { #expect(await client.received(until: "event: sessions").contains("200 OK")) }
                try await bench.expect(503, "serverBusy", "GET", "events")
                #expect(bench.live.readers.count == LiveReaders.readersMax)
                clients.removeLast()
                #expect(try await waits { bench.live.readers.count == LiveReaders.readersMax - 1 })
                #expect(try await follow(port).received(until: "event: sessions").contains("200 OK"))
            }
        }
    }

    @Test("readers end with a word when the token is replaced, and who comes with the old one is refused")
    func token() async throws {
        try await AdminBench.run { bench in
            try await withListener(bench) { _, port in
                let client = try follow(port)
                _ = await client.received(until: "event: sessions")
                let other = String(repeating: "o", count: AdminAccess.tokenBytesMin)
                let access = AdminAccess(token: other, isPeerVerified: false, isMonitoringOpen: true, isLocal: true)
                #expect(bench.service.replaceAccess(by: access))
                bench.live.end(.tokenReplaced)
                let end = await client.received(until: "0\r\n\r\n")
                #expect(end.contains("event: end\ndata: {\"code\":\"tokenInvalid\""))
                #expect(try await follow(port).received(until: "}").contains("401"))
                #expect(try await follow(port, token: other).received(until: "event: sessions").contains("200 OK"))
            }
        }
    }

    @Test("a stream that was admitted under the old token does not begin under the new one")
    func replacedMeanwhile() async throws {
        try await AdminBench.run { bench in
            let head = try #require(
                HTTPHead(
                    method: "GET", target: "/admin/v1/events",
                    headers: [.init("authorization", "Bearer \(AdminBench.token)"), .init("host", "localhost")]))
            guard case .body = bench.service.admit(head) else { throw NotAdmitted() }
            let other = String(repeating: "o", count: AdminAccess.tokenBytesMin)
            _ = bench.service.replaceAccess(
                by: AdminAccess(token: other, isPeerVerified: false, isMonitoringOpen: true, isLocal: true))
            #expect(await bench.service.answer(HTTPRequest(head)).status == 401)
            #expect(bench.live.readers.count == 0)
        }
    }

    private struct NotAdmitted: Error {}

    @Test("the end of the server does not wait for readers, and nobody begins to follow any more")
    func end() async throws {
        try await AdminBench.run { bench in
            let listener = HTTPListener(host: "127.0.0.1", port: 0, tls: nil, service: bench.service, logger: logger)
            let client = try follow(try await listener.start())
            _ = await client.received(until: "event: sessions")
            let clock = ContinuousClock()
            let duration = await clock.measure {
                bench.live.close()
                await listener.shutdown()
            }
            #expect(duration < .milliseconds(HTTPLimits().graceMilliseconds))
            #expect(await client.received(until: "0\r\n\r\n").contains(#""code":"serverBusy""#))
            #expect(throws: AdminError.self) { try bench.live.answer(linesAfter: nil) }
        }
    }
}
