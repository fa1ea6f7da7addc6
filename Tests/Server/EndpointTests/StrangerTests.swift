import CausewayEnvironment
import CausewayHTTP
import CausewayIdentity
import CausewayModel
import CausewaySession
import CausewayWire
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import CausewayEndpoint

/// What nobody known may take of the server: no memory, little time, few connections.
@Suite("Those whom nobody knows yet", .serialized)
struct StrangerTests {
    /// Takes every call but those with the token `bad`, and answers with the size of the body.
    private struct Accounts: AccountService {
        func admit(_ call: String, token: String?) -> AccountAdmission {
            token == "bad" ? .refused(AccountServiceAnswer(status: 401, body: [])) : .body(bytesMax: 4_000)
        }

        func answer(_ call: String, body: [UInt8], token: String?, peer: String) async -> AccountServiceAnswer {
            AccountServiceAnswer(status: 200, body: Array("\(body.count)".utf8))
        }
    }

    @Test("where there are no accounts, and with a bad token, a call is answered before its body comes")
    func headsAlone() async throws {
        try await Bench.run(["flights": FakeService()], accounts: ["open": Accounts()], limits: .unhurried) { bench in
            let raw = try await RawConnection.open(to: bench)
            let heads = [
                ("/v1/flights/auth/login", nil), ("/v1/open/auth/keys", "bad"), ("/v1/flights/upload", "bad"),
            ]
            for (index, (path, token)) in heads.enumerated() {
                try await raw.send(RawConnection.head(RawConnection.stream(index), path, token: token))
                #expect(await eventually { raw.count(.headers) == index + 1 }, "\(path)")
            }
            // The streams end, though their bodies never came.
            #expect(await eventually { raw.count(.reset) == 3 })
            try await raw.close()
        }
    }

    @Test("a refused body is passed over up to a limit, and then its stream is reset")
    func refusedBody() async throws {
        var limits = EndpointLimits()
        limits.refusedBytes = 50_000
        limits.refusedMilliseconds = 600_000
        try await Bench.run(["flights": FakeService()], limits: limits) { bench in
            let raw = try await RawConnection.open(to: bench)
            try await raw.send(RawConnection.head(RawConnection.stream(0), "/v1/flights/upload", token: "bad"))
            for _ in 0..<10 {
                try await raw.send(RawConnection.data(RawConnection.stream(0), Array(repeating: 0, count: 8_000)))
            }
            #expect(await eventually { raw.count(.reset) == 1 })
            try await raw.close()
        }
    }

    @Test("the body of an account call has little time, however steadily it trickles")
    func slowAccountBody() async throws {
        var limits = EndpointLimits()
        limits.accountBodyMilliseconds = 500
        try await Bench.run([:], accounts: ["open": Accounts()], limits: limits) { bench in
            let raw = try await RawConnection.open(to: bench)
            try await raw.send(RawConnection.head(RawConnection.stream(0), "/v1/open/auth/login", token: nil))
            var bytes = 0
            while raw.count(.headers) == 0, bytes < 3_000 {
                // The server may close the connection behind its answer, between the look and the byte.
                guard (try? await raw.send(RawConnection.data(RawConnection.stream(0), [0]))) != nil else { break }
                bytes += 1
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(await eventually { raw.count(.headers) == 1 })
            try? await raw.close()
        }
    }

    @Test("account bodies have memory of their own: who fills it hinders no upload")
    func ownMemory() async throws {
        var limits = EndpointLimits()
        limits.heldAccountBytes = 3_000
        limits.heldAccountBytesOfAddress = 2_000
        try await Bench.run(
            ["open": FakeService(), "flights": FakeService()], accounts: ["open": Accounts()], limits: limits
        ) {
            bench in
            let raw = try await RawConnection.open(to: bench)
            try await raw.send(
                RawConnection.head(RawConnection.stream(0), "/v1/open/auth/login", token: nil)
                    + RawConnection.data(RawConnection.stream(0), Array(repeating: 32, count: 1_500)))
            var refused = try await bench.post(
                "/v1/open/auth/login", token: nil, bytes: Array(repeating: 32, count: 1_500)
            ).status
            // The first body may come after the second.
            while refused == 200 {
                refused = try await bench.post(
                    "/v1/open/auth/login", token: nil, bytes: Array(repeating: 32, count: 1_500)
                ).status
            }
            #expect(refused == 503)
            let upload = UploadRequest(session: FakeService.session, changesets: [])
            _ = try await bench.post("upload", upload, expecting: UploadAnswer.self)
            try await raw.close()
        }
    }

    @Test("a connection that shakes hands and asks nothing is closed when the time for the handshake is over")
    func halfOpen() async throws {
        var limits = EndpointLimits()
        limits.handshakeMilliseconds = 1_000
        try await Bench.run([:], limits: limits) { bench in
            let raw = try await RawConnection.open(to: bench)
            #expect(await eventually { !raw.channel.isActive })
            #expect(await eventually { bench.endpoint.connectionCount == 0 })
        }
    }

    @Test("a connection on which nobody has shown a good token is closed soon, a device's is not")
    func idle() async throws {
        var limits = EndpointLimits()
        limits.strangerIdleMilliseconds = 3_000
        try await Bench.run(["flights": FakeService()], limits: limits) { bench in
            let mark = MarkRequest(session: FakeService.session, mark: 1)
            _ = try await bench.post("mark", mark, expecting: Accepted.self)
            let raw = try await RawConnection.open(to: bench)
            try await raw.send(
                RawConnection.head(RawConnection.stream(0), "/v1/flights/mark", token: "bad", ends: true))
            #expect(await eventually { !raw.channel.isActive })
            #expect(await eventually { bench.endpoint.connectionCount == 1 })
        }
    }

    @Test("an answer that a closed window holds back is given up after its time, whoever asked and whatever it is")
    func unreadAnswer() async throws {
        var limits = EndpointLimits.unhurried
        limits.unreadAnswerMilliseconds = 300
        limits.refusedMilliseconds = 3_600_000
        try await Bench.run(["flights": FakeService()], accounts: ["open": Accounts()], limits: limits) { bench in
            let raw = try await RawConnection.open(to: bench, window: 0)
            let mark = WireCodec.encode(MarkRequest(session: FakeService.session, mark: 1))
            try await raw.send(
                RawConnection.head(RawConnection.stream(0), "/healthz", token: nil, ends: true)
                    + RawConnection.head(RawConnection.stream(1), "/v1/flights/mark", token: "bad", ends: true)
                    + RawConnection.head(RawConnection.stream(2), "/v1/flights/mark")
                    + RawConnection.data(RawConnection.stream(2), mark, ends: true)
                    + RawConnection.head(RawConnection.stream(3), "/v1/open/auth/login", token: nil, ends: true))
            #expect(await eventually { raw.count(.headers) == 4 && raw.count(.reset) == 4 })
            #expect(raw.count(.data) == 0)
            #expect(raw.channel.isActive)
            try await raw.close()
        }
    }

    @Test("a connection on which nobody has shown a good token has an end, whatever is under way; a device's has none")
    func strangersEnd() async throws {
        var limits = EndpointLimits.unhurried
        limits.strangerMilliseconds = 8_000
        limits.graceMilliseconds = 100
        try await Bench.run(["flights": FakeService()], limits: limits) { bench in
            let device = try await RawConnection.open(to: bench, window: 0)
            let mark = WireCodec.encode(MarkRequest(session: FakeService.session, mark: 1))
            try await device.send(
                RawConnection.head(RawConnection.stream(0), "/v1/flights/mark")
                    + RawConnection.data(RawConnection.stream(0), mark, ends: true))
            #expect(await eventually { device.count(.headers) == 1 })
            let stranger = try await RawConnection.open(to: bench, window: 0)
            try await stranger.send(RawConnection.head(RawConnection.stream(0), "/healthz", token: nil, ends: true))
            // It has begun later, and ends.
            #expect(await eventually { !stranger.channel.isActive })
            #expect(stranger.count(.headers) == 1 && stranger.count(.goodbye) > 0)
            #expect(device.channel.isActive && device.count(.goodbye) == 0)
            try await device.close()
        }
    }

    @Test("one address has so many connections, and a place is free again when one closes")
    func connectionsOfAddress() async throws {
        var limits = EndpointLimits()
        limits.connectionsOfAddress = 5
        try await Bench.run([:], limits: limits) { bench in
            var open: [any Channel] = []
            for _ in 0..<20 {
                open.append(
                    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connect(host: "127.0.0.1", port: bench.port).get())
            }
            #expect(await eventually { open.count(where: \.isActive) == 5 })
            for channel in open { try? await channel.close().get() }
            #expect(await eventually { bench.endpoint.connectionCount == 0 })
            #expect(try await bench.send(bench.request("/healthz", method: "GET")).status == 200)
        }
    }

    @Test("an IPv6 network of 64 bits is one address, an IPv4 address is one in both of its forms")
    func groups() throws {
        func group(_ text: String) throws -> String {
            PeerAddress(try SocketAddress(ipAddress: text, port: 1)).group
        }
        #expect(try group("2001:db8:1:2::1") == group("2001:db8:1:2:ffff:ffff:ffff:ffff"))
        #expect(try group("2001:db8:1:2::1") != group("2001:db8:1:3::1"))
        #expect(try group("::a:b:1:2:3:4") == group("0:0:a:b:9:9:9:9"))
        #expect(try group("2001:db8::1") == group("2001:db8:0:0:7::"))
        #expect(try group("::ffff:10.0.0.1") == group("10.0.0.1"))
        #expect(try group("10.0.0.1") != group("10.0.0.2"))
    }

    @Test("tokens that are meant to be costly do not keep /healthz from answering")
    func costlyTokens() async throws {
        let keys = try DevelopmentKeys.make(hosts: [], days: 1, tokens: .es256, now: Date()).files
        let key = try #require(keys.first { $0.name == DevelopmentKeys.Name.tokenPublic }).text
        let verifier = TokenVerifier(
            keys: [try await TrustedKey.load(key, algorithm: .es256, source: "test")], rules: TokenRules())
        let nested = String(repeating: "[", count: 500) + String(repeating: "1,", count: 5_000) + "1"
        let header = Data((#"{"alg":"ES256","x":"# + nested + String(repeating: "]", count: 500) + "}").utf8)
            .base64EncodedString().replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
        try await Bench.run(["flights": FakeService()], authenticator: Verifying(verifier: verifier)) { bench in
            let start = ContinuousClock.now
            for _ in 0..<20 {
                let answer = try await bench.post("/v1/flights/mark", token: "\(header).e30.AAAA", bytes: [])
                #expect(answer.status == 401)
            }
            #expect(try await bench.send(bench.request("/healthz", method: "GET")).status == 200)
            #expect(ContinuousClock.now - start < .seconds(10), "each of them took seconds once")
        }
    }

    private struct Verifying: Authenticator {
        let verifier: TokenVerifier

        func caller(for token: String, database: String) throws(SyncFailure) -> KnownCaller {
            do throws(IdentityError) {
                let caller = try verifier.caller(for: token, at: SystemClock().now())
                return KnownCaller(user: caller.user.string, expires: caller.expires)
            } catch {
                throw SyncFailure(.tokenInvalid, error.message)
            }
        }
    }
}
