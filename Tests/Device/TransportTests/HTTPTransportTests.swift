import CausewayModel
import CausewayOperations
import CausewaySync
import CausewayTransport
import CausewayWire
import Foundation
import NIOHTTP1
import Synchronization
import Testing

@Suite("HTTP/2 transport, over real TLS on loopback", .serialized)
struct HTTPTransportTests {
    /// A file of authorities for as long as the test needs it.
    private func file(_ pem: String) throws -> String {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-authorities-\(UInt64.random(in: 0 ... .max)).pem").path
        try pem.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func transport(
        _ host: String = "localhost", port: Int, trusting pem: String = TestCertificates.authority,
        answerMilliseconds: Int64 = 5_000
    ) throws -> HTTPTransport {
        let path = try file(pem)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var address = try ServerAddress(
            base: "https://\(host):\(port)/", database: "flights of today", trust: .authorities(path: path))
        address.answerMilliseconds = answerMilliseconds
        return try HTTPTransport(address)
    }

    private let hello = Hello(
        client: ClientID(9), protocolVersions: 1...1, schema: Schema(),
        checkpoint: Checkpoint(epoch: 3, version: .zero, querySet: 0, acknowledged: 12), held: .empty, wanted: .empty)

    private func failure(_ body: () async throws -> Void) async -> TransportFailure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? TransportFailure
        }
    }

    @Test("an app's headers go along with every request, as they are at that moment")
    func headers() async throws {
        let server = try await LoopbackServer()
        let path = try file(TestCertificates.authority)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let address = try ServerAddress(
            base: "https://localhost:\(server.port)", database: "flights of today", trust: .authorities(path: path))
        let tenant = Mutex("north")
        let transport = try HTTPTransport(address) {
            HTTPTransport.Headers(extra: [("x-tenant", tenant.withLock { $0 }), ("user-agent", "gate/3")])
        }
        _ = try await transport.hello(hello, token: "good")
        tenant.withLock { $0 = "south" }
        try await transport.mark(5, session: 7, token: "good")
        #expect(server.heads.map { $0["x-tenant"] } == [["north"], ["south"]])
        #expect(server.heads.allSatisfy { $0["user-agent"] == ["gate/3"] })
        #expect(server.heads.allSatisfy { $0["authorization"] == ["Bearer good"] })
        try await server.stop()
    }

    @Test("calls and a download stream share one connection, and a message arrives whatever pieces it comes in")
    func conversation() async throws {
        let server = try await LoopbackServer()
        let transport = try transport(port: server.port)
        let welcome = try await transport.hello(hello, token: "good")
        #expect(welcome.session == 7)
        #expect(welcome.committed == 12)
        let received = Mutex<[DownloadMessage]>([])
        let bytes = Mutex(0)
        let download = Task {
            try await transport.download(session: 7, token: "good") { message, size in
                received.withLock { $0.append(message) }
                bytes.withLock { $0 += size }
            }
        }
        while !(await isStreamOpen(server, received)) { await Task.yield() }
        let heartbeat = WireCodec.encode(DownloadMessage.heartbeat(serverTime: 1))
        let mark = WireCodec.encode(DownloadMessage.mark(5))
        server.push(mark + mark, piecesOf: 1)
        let changeset = Changeset(
            client: ClientID(9), sequence: 13, stamp: .zero, base: .zero,
            operations: [.delete(ObjectReference("Flight", .int(1)), life: 2)])
        #expect(try await transport.upload([changeset], session: 7, token: "good") == UploadAnswer(committed: 13))
        try await transport.credit(99, session: 7, token: "good")
        try await transport.mark(5, session: 7, token: "good")
        try await transport.digests(ResyncRequest(session: 7, number: 1, reports: []), token: "good")
        try await transport.want(.empty, session: 7, token: "good")
        #expect(server.credits == [99])
        while received.withLock({ $0.filter { $0 == .mark(5) }.count }) < 2 { await Task.yield() }
        let beats = received.withLock { $0.filter { $0 == .heartbeat(serverTime: 1) }.count }
        #expect(bytes.withLock { $0 } == 2 * mark.count + beats * heartbeat.count)
        #expect(server.connections == 1)
        server.endDownloads()
        try await download.value
        try await server.stop()
    }

    /// The stream is open when a heartbeat came through.
    private func isStreamOpen(_ server: LoopbackServer, _ received: borrowing Mutex<[DownloadMessage]>) async -> Bool {
        server.push(WireCodec.encode(DownloadMessage.heartbeat(serverTime: 1)))
        return received.withLock { !$0.isEmpty }
    }

    @Test("a refusal comes with the server's code and sentence")
    func refusal() async throws {
        let server = try await LoopbackServer()
        let transport = try transport(port: server.port)
        let failure = await failure { _ = try await transport.hello(hello, token: "bad") }
        #expect(failure == .refused(SyncFailure(.tokenInvalid, "The token is not one of ours. Get another.")))
        try await server.stop()
    }

    @Test("a certificate of an authority that is not trusted is an error that says what to do")
    func untrusted() async throws {
        let server = try await LoopbackServer()
        let transport = try transport(port: server.port, trusting: TestCertificates.strangers)
        let failure = await failure { _ = try await transport.hello(hello, token: "good") }
        guard case .untrusted(let message) = failure else {
            Issue.record("not an untrusted certificate: \(failure as Any)")
            return
        }
        #expect(message.contains("trustRoots"))
        try await server.stop()
    }

    /// What TLS tells is the same for both, and for an authority that is not trusted: the words name all three.
    @Test(
        "a certificate that is not valid yet, or not any more, is an error whose words name that and the clock",
        arguments: [true, false])
    func otherTimes(isEarly: Bool) async throws {
        let server = try await LoopbackServer(certificate: isEarly ? TestCertificates.early : TestCertificates.ended)
        let transport = try transport(port: server.port, trusting: TestCertificates.authorityOfOtherTimes)
        let failure = await failure { _ = try await transport.hello(hello, token: "good") }
        guard case .untrusted(let message) = failure else {
            Issue.record("not an untrusted certificate: \(failure as Any)")
            return
        }
        for words in ["not signed by an authority", "has expired", "not valid yet by this device's clock"] {
            #expect(message.contains(words))
        }
        try await server.stop()
    }

    @Test("a certificate for another host name is an error that says so")
    func wrongName() async throws {
        let server = try await LoopbackServer()
        let transport = try transport("127.0.0.1", port: server.port)
        let failure = await failure { _ = try await transport.hello(hello, token: "good") }
        guard case .untrusted = failure else {
            Issue.record("not an untrusted certificate: \(failure as Any)")
            return
        }
        try await server.stop()
    }

    @Test("nobody listening is an error at once, not after a wait")
    func refusedConnection() async throws {
        let server = try await LoopbackServer()
        let port = server.port
        try await server.stop()
        let transport = try transport(port: port)
        let began = ContinuousClock.now
        let failure = await failure { _ = try await transport.hello(hello, token: "good") }
        guard case .unreachable(let message) = failure else {
            Issue.record("not unreachable: \(failure as Any)")
            return
        }
        #expect(message.contains("localhost:\(port)"))
        #expect(ContinuousClock.now - began < .seconds(9), "before the limit of a connection, ten seconds")
    }

    @Test("a call without an answer ends after the time it was given")
    func timeout() async throws {
        let server = try await LoopbackServer()
        let transport = try transport(port: server.port, answerMilliseconds: 200)
        let batch = IngestBatch(client: ClientID(1), first: 1, entries: [])
        let failure = await failure { _ = try await transport.ingest(batch, token: "good") }
        guard case .timeout = failure else {
            Issue.record("not a timeout: \(failure as Any)")
            return
        }
        try await server.stop()
    }

    @Test("a call that sends much is given longer, by its size")
    func timeoutOfMuch() async throws {
        let server = try await LoopbackServer()
        let transport = try transport(port: server.port, answerMilliseconds: 200)
        // Letters without a pattern: about six bits of each are left when they are compressed, 23 KiB in all.
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        let text = String((0..<32_000).compactMap { _ in letters.randomElement() })
        let entry = Operation.create(
            ObjectReference("Note", .int(1)), life: 1, fields: [FieldValue("text", .string(text))])
        let batch = IngestBatch(client: ClientID(1), first: 1, entries: [[entry]])
        let began = ContinuousClock.now
        let failure = await failure { _ = try await transport.ingest(batch, token: "good") }
        guard case .timeout = failure else {
            Issue.record("not a timeout: \(failure as Any)")
            return
        }
        #expect(ContinuousClock.now - began > .seconds(2))
        try await server.stop()
    }

    @Test("bytes that are no frame end the download with an error, not the process")
    func damagedStream() async throws {
        let server = try await LoopbackServer()
        let transport = try transport(port: server.port)
        let isOpen = Mutex(false)
        let download = Task {
            try await transport.download(session: 7, token: "good") { _, _ in isOpen.withLock { $0 = true } }
        }
        while !isOpen.withLock({ $0 }) {
            server.push(WireCodec.encode(DownloadMessage.heartbeat(serverTime: 1)))
            await Task.yield()
        }
        server.push(Array("HTTP/1.1 502 Bad Gateway\r\n\r\n<html>".utf8))
        let failure = await failure { try await download.value }
        guard case .unintelligible = failure else {
            Issue.record("not a damaged stream: \(failure as Any)")
            return
        }
        try await server.stop()
    }

    @Test("an address without TLS, and a file of authorities that is none, are refused before any connection")
    func unusable() throws {
        #expect(throws: AddressError.self) {
            try ServerAddress(base: "http://localhost:9443", database: "x", trust: .system)
        }
        let path = try file("not a certificate")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let address = try ServerAddress(
            base: "https://localhost:9443", database: "x", trust: .authorities(path: path))
        #expect(throws: TransportFailure.self) { try HTTPTransport(address) }
    }

    @Test("a database name cannot leave its place in the path")
    func escaping() throws {
        let address = try ServerAddress(base: "https://h", database: "../a b/ä", trust: .system)
        #expect(address.url("session") == "https://h/v1/..%2Fa%20b%2F%C3%A4/session")
    }
}
