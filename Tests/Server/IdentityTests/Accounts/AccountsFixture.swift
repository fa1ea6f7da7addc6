import CausewayEnvironment
import CausewayIdentity
import CausewayLimits
import Foundation
import Synchronization
import Testing

/// The accounts of a database in a folder of their own, with a clock and people in the hands of a test.
final class AccountsFixture: Sendable {
    let folder: URL
    let clock = HandClock()
    let people = People()
    let random = CountingRandom()
    private let current: Mutex<Accounts>

    static let password = "correct horse battery"

    static var everything: AccountRules {
        var rules = AccountRules()
        rules.anonymous = true
        rules.emailPassword = true
        rules.userAPIKeys = true
        // As cheap as scrypt gets: what is tested is not the cost.
        rules.passwordCost = PasswordHash.Cost(rounds: 16, blockSize: 8, parallelism: 1)
        return rules
    }

    init(
        _ rules: AccountRules = everything, providers: [String: TokenVerifier] = [:],
        functions: any FunctionRunner = NoFunctions(), rates: RateGate = .unlimited
    ) async throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-accounts-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        current = Mutex(try await Self.open(folder, rules, providers, people, clock, random, functions, rates))
    }

    private static func open(
        _ folder: URL, _ rules: AccountRules, _ providers: [String: TokenVerifier], _ people: People,
        _ clock: HandClock, _ random: CountingRandom, _ functions: any FunctionRunner = NoFunctions(),
        _ rates: RateGate = .unlimited
    ) async throws -> Accounts {
        try await Accounts.open(
            folder: folder.path, database: "flights", rules: rules, providers: providers, messenger: people,
            functions: functions, rates: rates, clock: clock, random: random)
    }

    var accounts: Accounts { current.withLock { $0 } }

    /// As after a restart of the server.
    func reopen(_ rules: AccountRules = everything) async throws {
        accounts.close()
        let opened = try await Self.open(folder, rules, [:], people, clock, random)
        current.withLock { $0 = opened }
    }

    func end() {
        accounts.close()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: - Calls

    struct Reply: Hashable {
        var status: Int
        var content: [String: ClaimValue]

        subscript(name: String) -> String? { content[name]?.string }
        var code: String? { self["code"] }
    }

    func call(
        _ call: String, _ request: [String: String] = [:], token: String? = nil, peer: String = "10.0.0.1"
    ) async throws -> Reply {
        let body = try [UInt8](JSONEncoder().encode(request))
        let reply = await accounts.answer(call, body: body, token: token, peer: peer)
        await accounts.settled()
        return Reply(
            status: reply.status,
            content: try JSONDecoder().decode([String: ClaimValue].self, from: Data(reply.body)))
    }

    func login(_ email: String, _ password: String = password, peer: String = "10.0.0.1") async throws -> Reply {
        try await call(
            "login", ["provider": "local-userpass", "email": email, "password": password], peer: peer)
    }

    func register(_ email: String, _ password: String = password) async throws -> Reply {
        try await call("register", ["email": email, "password": password])
    }

    /// A registered user that has logged in.
    func user(_ email: String) async throws -> (id: String, access: String, refresh: String) {
        #expect(try await register(email).status == 200)
        let login = try await login(email)
        return (
            try #require(login["userId"]), try #require(login["accessToken"]), try #require(login["refreshToken"])
        )
    }
}

/// A clock that moves when a test says so.
final class HandClock: WallClock {
    private let time = Mutex<UInt64>(1_700_000_000_000)

    func now() -> UInt64 { time.withLock { $0 } }

    func pass(seconds: UInt64) { time.withLock { $0 += seconds * 1_000 } }
}

/// Tells how much was drawn of it: each password that is hashed has a salt of its own.
final class CountingRandom: RandomSource {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    func next() -> UInt64 {
        state.withLock { $0 += 1 }
        return .random(in: 0 ... .max)
    }
}

/// Those behind the addresses: they get messages, and decide what they are asked.
final class People: AccountMessenger {
    private let state = Mutex(State())

    private struct State {
        var messages: [AccountMessage] = []
        var questions: [AccountQuestion] = []
        var decision = AccountDecision.no
    }

    var messages: [AccountMessage] { state.withLock(\.messages) }
    var questions: [AccountQuestion] { state.withLock(\.questions) }

    func decide(_ decision: AccountDecision) { state.withLock { $0.decision = decision } }

    func report(_ trouble: String) { Issue.record("\(trouble)") }

    func send(_ message: AccountMessage) { state.withLock { $0.messages.append(message) } }

    func decide(_ question: AccountQuestion) async -> AccountDecision {
        state.withLock { state in
            state.questions.append(question)
            return state.decision
        }
    }
}
