import CausewayTelemetry
import CausewayWire
import Foundation
import Logging
import Synchronization
import Testing

@testable import CausewayDaemon
@testable import CausewayEndpoint

@Suite("What the server logs and counts of its callers")
struct EventLogTests {
    /// Keeps lines as the JSON handler would write them.
    private struct Handler: LogHandler {
        let lines: Collected
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.add(JSONLogHandler(label: "t").line(event.level.rawValue, "\(event.message)", event.metadata ?? [:]))
        }
    }

    private let lines = Collected()
    private var logger: Logger { Logger(label: "t") { _ in Handler(lines: lines) } }

    @Test("a flood is a few lines and a summary that counts the rest")
    func flood() {
        let suppressed = Mutex(0)
        let events = EventLog(logger: logger) { _, count in suppressed.withLock { $0 += count } }
        for number in 0..<500 { events.note("refused", from: "10.0.0.1", ["number": .number(number)]) }
        #expect(lines.all.count == LineBudget.linesOfSource)
        events.sumUp(isLast: true) { _ in Issue.record("There was no audit event.") }
        #expect(lines.all.last?.contains(#""address":"10.0.0.1","count":490,"kind":"refused""#) == true)
        #expect(suppressed.withLock { $0 } == 490)
    }

    @Test("a text from outside stays in its line, and has a bound")
    func texts() {
        #expect("\(Logger.MetadataValue.text("a\nb\u{1b}[2J\u{2028}ü"))" == #"a\u{a}b\u{1b}[2J\u{2028}ü"#)
        #expect("\(Logger.MetadataValue.text(String(repeating: "x", count: 10_000)))".count < 300)
    }

    @Test("numbers are numbers in JSON, and lists are lists")
    func json() {
        let line = JSONLogHandler(label: "t").line(
            "info", "m",
            ["a": .number(UInt64.max), "b": .stringConvertible(true), "c": "5", "d": ["x", .stringConvertible(1.5)]])
        #expect(line.hasSuffix(#""message":"m","a":9223372036854775807,"b":true,"c":"5","d":["x",1.5]}"#))
    }

    @Test(
        "a query is logged without the values in it",
        arguments: [
            ("name == 'it\\'s' AND age > 30", "name == ? AND age > ?"),
            ("owner == link('key') OR _id == oid(64f0abc)", "owner == link(?) OR _id == oid(?)"),
            ("ANY tags IN {'a', \"b\"} AND x2 BETWEEN {1, 2.5e3}", "ANY tags IN {?, ?} AND x2 BETWEEN {?, ?}"),
            ("data == B64\"AAEC\" AND secret == uuid(a(b)c)", "data == B64? AND secret == uuid(?)"),
            ("name == 'open", "name == ?"),
        ])
    func masked(_ query: String, _ shown: String) {
        #expect(MaskedQuery.text(query) == shown)
        #expect(MaskedQuery.text(String(repeating: "a == b OR ", count: 1_000)).count <= MaskedQuery.lengthMax + 1)
    }

    @Test("names that come from outside are no labels")
    func labels() {
        let telemetry = Telemetry(Configuration.Log(), logger: logger)
        let observer = EndpointTelemetry(databases: ["a"], telemetry: telemetry)
        let invalid = SyncFailure(.tokenInvalid, "The token is not signed.")
        for number in 0..<1_000 {
            var facts = RequestFacts(address: "10.0.0.1")
            (facts.call, facts.database, facts.failure) = ("x\(number)", "db\(number)", invalid)
            observer.observe(.answered(facts))
            observer.observe(
                .accountAnswered(
                    AccountFacts(
                        call: "y\(number)", database: "db\(number)", address: "10.0.0.1", status: 400,
                        code: "badRequest")))
        }
        let text = telemetry.registry.text()
        let refused = #"causeway_requests_total{database="unknown",call="unknown",code="tokenInvalid"} 1000"#
        #expect(text.contains(refused))
        #expect(
            text.contains(#"causeway_account_calls_total{database="unknown",call="unknown",outcome="badRequest"} 1000"#)
        )
        #expect(!text.contains("db1"))
        #expect(lines.all.count == 2 * LineBudget.linesOfSource)
        #expect(lines.all[0].contains(#""reason":"The token is not signed.""#))
    }

    @Test("a message that may hold a primary key is not logged")
    func keys() {
        let telemetry = Telemetry(Configuration.Log(), logger: logger)
        var facts = RequestFacts(address: "10.0.0.1")
        (facts.call, facts.database, facts.user) = ("upload", "a", "ann")
        facts.failure = SyncFailure(.operationInvalid, "The object secret-key does not fit.")
        EndpointTelemetry(databases: ["a"], telemetry: telemetry).observe(.answered(facts))
        #expect(lines.all.count == 1)
        #expect(lines.all[0].contains(#""user":"ann""#) && lines.all[0].contains("operationInvalid"))
        #expect(!lines.all[0].contains("secret"))
    }
}
