import CausewayHTTP
import CausewayModel
import CausewayTelemetry
import Foundation
import Logging
import Testing

@testable import CausewayDaemon
@testable import CausewayDataAPI
@testable import CausewayFeed

@Suite("What the server logs, counts and audits of back ends")
struct BackEndTelemetryTests {
    private let folder = URL.temporaryDirectory.appending(path: "causeway-audit-\(UUID().uuidString)")

    /// - Parameter body: its telemetry writes an audit log.
    /// - Returns: the lines of that log.
    private func audited(_ body: (Telemetry) throws -> Void) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "audit").path
        var log = Configuration.Log()
        log.audit = .file(file)
        let telemetry = Telemetry(log, logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() })
        try body(telemetry)
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    private func facts(_ database: String = "garden", _ failure: APIError? = nil) throws -> APIFacts {
        var facts = APIFacts(try #require(HTTPHead(method: "GET", target: "/")))
        (facts.call, facts.database, facts.failure) = (.listObjects, database, failure)
        (facts.address, facts.user) = ("10.0.0.1", "ann")
        return facts
    }

    @Test("requests to the data API are counted by call and outcome, and who is refused is audited")
    func api() throws {
        let lines = try audited { telemetry in
            let observer = APITelemetry(databases: ["garden"], telemetry: telemetry)
            var read = try facts()
            read.objectsRead = 7
            observer.observe(.answered(read, nanoseconds: 2_000_000))
            observer.observe(.refused(try facts("garden", APIError(.tokenInvalid, "It is not signed."))))
            var denied = APIError(.permissionDenied, "Plant 17 may not be written.")
            denied.denied = [DeniedWrites(className: "Plant", count: 3)]
            observer.observe(.answered(try facts("garden", denied), nanoseconds: 1_000))
            for number in 0..<100 {
                observer.observe(.refused(try facts("db\(number)", APIError(.databaseUnknown, "no"))))
            }
            let text = telemetry.registry.text()
            for line in [
                #"causeway_api_requests_total{database="garden",call="listObjects",outcome="ok"} 1"#,
                #"causeway_api_requests_total{database="garden",call="listObjects",outcome="tokenInvalid"} 1"#,
                #"causeway_api_requests_total{database="unknown",call="listObjects",outcome="databaseUnknown"} 100"#,
                #"causeway_api_request_seconds_count{database="garden",call="listObjects"} 2"#,
                #"causeway_api_objects_read_total{database="garden"} 7"#,
                #"causeway_operations_refused_total{database="garden",code="permissionDenied"} 3"#,
            ] { #expect(text.contains(line + "\n"), "\(line)") }
            #expect(!text.contains("db1"))
        }
        #expect(
            lines.contains(#""event":"tokenRefused","database":"garden","address":"10.0.0.1","subject":"listObjects""#))
        let denied =
            #""event":"operationsRefused","database":"garden","user":"ann","address":"10.0.0.1","subject":"Plant""#
        #expect(lines.contains(denied) && lines.contains(#""count":3"#))
        #expect(!lines.contains("Plant 17"))
    }

    @Test("readers of changes are counted from their start to their end, and refused tokens are audited")
    func feed() throws {
        let lines = try audited { telemetry in
            let observer = FeedTelemetry(databases: ["garden"], telemetry: telemetry)
            let reader = FeedParty(database: "garden", address: "10.0.0.1", user: "ann")
            let stranger = FeedParty(database: "shed", address: "10.0.0.2")
            observer.observe(.opened(reader))
            observer.observe(.told(reader, events: 5))
            observer.observe(.ended(reader, .failed(.historyGone), lifeMilliseconds: 4_000))
            observer.observe(.refused(stranger, FeedFailure(.tokenExpired, "It has expired.")))
            let text = telemetry.registry.text()
            for line in [
                #"causeway_feed_opened_total{database="garden"} 1"#,
                #"causeway_feed_events_total{database="garden"} 5"#,
                #"causeway_feed_ended_total{database="garden",reason="historyGone"} 1"#,
                #"causeway_feed_ended_total{database="garden",reason="gone"} 0"#,
                #"causeway_feed_refused_total{database="unknown",code="tokenExpired"} 1"#,
            ] { #expect(text.contains(line + "\n"), "\(line)") }
        }
        #expect(lines.contains(#""event":"tokenRefused","database":"shed","address":"10.0.0.2","subject":"changes""#))
    }
}
