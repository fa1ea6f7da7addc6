import Synchronization
import Testing

@testable import CausewayLimits

@Suite("The rates of a database")
struct RateGateTests {
    /// A gate with a clock that the test moves.
    private final class Bench: Sendable {
        private let time = Mutex<UInt64>(0)
        private let met = Mutex<[LimitReached]>([])

        func gate(_ amounts: [Limit: Int], burstSeconds: Int = 1) -> RateGate {
            RateGate(Rates(amounts: amounts, burstSeconds: burstSeconds), now: { [self] in time.withLock { $0 } }) {
                [self] reached in met.withLock { $0.append(reached) }
            }
        }

        func pass(milliseconds: UInt64) { time.withLock { $0 += milliseconds * 1_000_000 } }
        var told: [LimitReached] { met.withLock { $0 } }
    }

    @Test("a user at a limit is told which, how much, and when to come; another user passes")
    func twoUsers() throws {
        let bench = Bench()
        let gate = bench.gate([.requestsPerSecondOfUser: 2])
        for _ in 0..<2 { try gate.take(.init(.requestsPerSecondOfUser, of: "abuser")) }
        let reached = #expect(throws: LimitReached.self) {
            try gate.take(.init(.requestsPerSecondOfUser, of: "abuser"), from: "10.0.0.1")
        }
        let expected = LimitReached(
            .requestsPerSecondOfUser, value: 2, subject: "abuser", address: "10.0.0.1",
            waitMilliseconds: RateGate.waitMinMilliseconds)
        #expect(reached == expected)
        #expect(bench.told == [expected])
        #expect(expected.message.contains("2 requests a second of this user"))
        #expect(expected.message.contains("limits.requestsPerSecondOfUser"))
        #expect(expected.message.contains("in 1 seconds"))
        #expect(!expected.message.contains("abuser"), "the answer names nobody")
        try gate.take(.init(.requestsPerSecondOfUser, of: "honest"))
        bench.pass(milliseconds: reached?.waitMilliseconds ?? 0)
        try gate.take(.init(.requestsPerSecondOfUser, of: "abuser"))
    }

    @Test("of several uses all are charged, or none")
    func allOrNone() throws {
        let bench = Bench()
        let gate = bench.gate([.operationsPerSecondOfUser: 10, .operationsPerSecondOfDatabase: 100])
        gate.charge(.init(.operationsPerSecondOfUser, of: "one", 10))
        for _ in 0..<50 {
            _ = try? gate.take(
                .init(.operationsPerSecondOfDatabase, 10), .init(.operationsPerSecondOfUser, of: "one", 10))
        }
        #expect(bench.told.count == 50)
        try gate.take(.init(.operationsPerSecondOfDatabase, 1))
    }

    @Test("an upload larger than the burst passes; the next one is told to wait, and passes then")
    func largeUpload() throws {
        let bench = Bench()
        let gate = bench.gate([.operationsPerSecondOfUser: 100], burstSeconds: 2)
        try gate.take(.init(.operationsPerSecondOfUser, of: "one", 1_200))
        let reached = try #require(gate.met(.init(.operationsPerSecondOfUser, of: "one")))
        #expect(reached.waitMilliseconds == 10_010)
        bench.pass(milliseconds: reached.waitMilliseconds)
        try gate.take(.init(.operationsPerSecondOfUser, of: "one", 1_200))
    }

    @Test("to ask charges nothing")
    func asking() throws {
        let gate = Bench().gate([.requestsPerSecondOfUser: 1])
        for _ in 0..<10 { try gate.check(.init(.requestsPerSecondOfUser, of: "one")) }
        try gate.take(.init(.requestsPerSecondOfUser, of: "one"))
    }

    @Test("users are told apart by the bytes of their names")
    func lookAlikes() throws {
        let gate = Bench().gate([.requestsPerSecondOfUser: 1])
        try gate.take(.init(.requestsPerSecondOfUser, of: "caf\u{E9}"))
        try gate.take(.init(.requestsPerSecondOfUser, of: "cafe\u{301}"))
    }

    @Test("other rates take effect at once, and what was used counts on")
    func replaced() throws {
        let bench = Bench()
        let gate = bench.gate([.requestsPerSecondOfUser: 10])
        gate.charge(.init(.requestsPerSecondOfUser, of: "one", 10))
        #expect(gate.met(.init(.requestsPerSecondOfUser, of: "one")) != nil)
        gate.replace(by: Rates(amounts: [.requestsPerSecondOfUser: 100], burstSeconds: 60))
        #expect(gate.met(.init(.requestsPerSecondOfUser, of: "one")) == nil)
        gate.replace(by: .unlimited)
        gate.charge(.init(.requestsPerSecondOfUser, of: "one", 1_000_000))
        #expect(gate.met(.init(.requestsPerSecondOfUser, of: "one")) == nil)
    }

    @Test("kilobytes are charged as bytes, milliseconds as microseconds")
    func scales() throws {
        let bench = Bench()
        let gate = bench.gate([.kilobytesPerSecondOfUser: 1, .readMillisecondsPerSecondOfUser: 1])
        gate.charge(.init(.kilobytesPerSecondOfUser, of: "one", 1_023))
        gate.charge(.init(.readMillisecondsPerSecondOfUser, of: "one", 999))
        try gate.take(.init(.kilobytesPerSecondOfUser, of: "one"), .init(.readMillisecondsPerSecondOfUser, of: "one"))
        #expect(gate.met(.init(.kilobytesPerSecondOfUser, of: "one"))?.value == 1)
        #expect(gate.met(.init(.readMillisecondsPerSecondOfUser, of: "one"))?.value == 1)
    }

    @Test("every limit has a scope by its name, and every rate a default")
    func names() {
        for limit in Limit.allCases {
            #expect((limit.form != nil) == limit.rawValue.contains("Per"), "\(limit)")
            #expect(limit.scope == .server || limit.scope == .database || limit.rawValue.contains("Of"), "\(limit)")
        }
        #expect(Limit.allCases.filter { $0.form != nil }.allSatisfy { (Rates.standard.amounts[$0] ?? 0) > 0 })
    }
}
