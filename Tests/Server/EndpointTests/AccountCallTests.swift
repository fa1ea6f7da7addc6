import CausewayEndpoint
import CausewayWire
import Foundation
import Testing

@Suite("Account calls at the endpoint")
struct AccountCallTests {
    /// Answers what it was asked.
    private struct Echo: AccountService {
        func admit(_ call: String, token: String?) -> AccountAdmission {
            token == "bad"
                ? .refused(AccountServiceAnswer(status: 401, body: Array("bad".utf8))) : .body(bytesMax: 64 << 10)
        }

        func answer(_ call: String, body: [UInt8], token: String?, peer: String) async -> AccountServiceAnswer {
            let text = "\(call) \(String(decoding: body.prefix(20), as: UTF8.self)) \(token ?? "-") \(peer)"
            return AccountServiceAnswer(status: call == "teapot" ? 418 : 200, body: Array(text.utf8))
        }
    }

    @Test("a call goes to its database's accounts with body, token and peer, and its answer comes back as it is")
    func carried() async throws {
        try await Bench.run([:], accounts: ["flights": Echo()]) { bench in
            let answer = try await bench.post("/v1/flights/auth/login", token: nil, bytes: Array("{}".utf8))
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self) == "login {} - 127.0.0.1")
            // The endpoint does not judge tokens of account calls: their service does.
            #expect(try await bench.post("/v1/flights/auth/login", token: "bad", bytes: []).status == 401)
            let other = try await bench.post("/v1/flights/auth/teapot", token: "forged", bytes: [])
            #expect(other.status == 418)
            #expect(String(decoding: other.body, as: UTF8.self) == "teapot  forged 127.0.0.1")
        }
    }

    @Test("a database without accounts and one that does not exist give the same answer")
    func absent() async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            let known = try await bench.post("/v1/flights/auth/login", token: nil, bytes: Array("{}".utf8))
            let unknown = try await bench.post("/v1/nothing/auth/login", token: nil, bytes: Array("{}".utf8))
            #expect(known.status == 404 && known.body == unknown.body)
            let refusal = try JSONDecoder().decode([String: String].self, from: Data(known.body))
            #expect(refusal["code"] == "authProviderNotFound")
            #expect(refusal["message"]?.contains("no accounts") == true)
        }
    }

    @Test("what is too large or no call at all is refused before anybody looks at it")
    func refused() async throws {
        try await Bench.run([:], accounts: ["flights": Echo()]) { bench in
            let large = try await bench.failure("/v1/flights/auth/login", bytes: [UInt8](repeating: 32, count: 100_000))
            #expect(large.status == 413 && large.failure.code == .frameTooLarge)
            for path in ["/v1/flights/auth", "/v1/flights/auth/", "/v1/flights/auth/a/b", "/v1//auth/login"] {
                #expect(try await bench.failure(path, bytes: []).failure.code == .requestUnknown, "\(path)")
            }
        }
    }
}
