import AsyncHTTPClient
import Causeway
import CausewayPrograms
import CausewayTelemetry
import Foundation
import FoundationNetworking
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

/// What a running daemon says about itself: metrics, readiness, its log and its audit log.
@Suite("The admin listener of a daemon", .serialized)
@MainActor
struct AdminListenerTests {
    /// Metrics whose series exist only once something has happened, because their labels cannot be known before.
    private static let rare: Set<String> = [
        "causeway_operations_refused_total", "causeway_account_calls_total", "causeway_logins_total",
        "causeway_downloads_stalled_total", "causeway_log_lines_suppressed_total", "causeway_feed_refused_total",
        // Of nodes: NodeTests.
        "causeway_journal_position", "causeway_journal_answers", "causeway_journal_age_seconds",
    ]

    private func withServer(
        api: Int? = nil,
        _ body:
            @MainActor (Bench, _ get: @MainActor (String, String?) async throws -> (Int, String)) async throws -> Void
    ) async throws {
        try await Bench.withAdmin(
            "admin",
            accounts: """
                log: {format: json, audit: audit.log}
                backups: {folder: backups}
                \(api.map { "api: {host: 127.0.0.1, port: \($0)}" } ?? "")
                """,
            settings: """
                sinks:
                  - {name: files, type: files, folder: lines}
                """
        ) { bench, port in
            try await body(bench) { path, token in try await Self.get(port, path, token) }
        }
    }

    private static func get(_ port: Int, _ path: String, _ token: String?) async throws -> (Int, String) {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "authorization") }
        let (data, answer) = try await URLSession.shared.data(for: request)
        return ((answer as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    private func lines(_ bench: Bench, _ file: String) throws -> [[String: Any]] {
        let text = try String(contentsOf: bench.folder.appending(path: "server/\(file)"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
        }
    }

    /// Waits until something is there: what is logged may come a moment after its answer.
    private func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<500 {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    @Test("a daemon exposes the metrics of the catalog and no others, and they count what devices do")
    func metrics() async throws {
        try await withServer { bench, get in
            let (writer, reader) = (try await bench.device("writer"), try await bench.device("reader"))
            try writer.writeItems(1...20)
            try await writer.uploaded()
            try await reader.downloaded()
            #expect(reader.objects(Item.self).count == 20)
            _ = try? await get("/nothing", "wrong")
            var text = ""
            // A scrape is at most a second old.
            let isCounted = try await eventually {
                text = try await get("/metrics", nil).1
                return text.contains("causeway_sessions{database=\"items\",state=\"live\"} 2\n")
                    && text.contains("causeway_commit_to_told_seconds_count")
                    && text.contains("causeway_carrier_success_age_seconds{")
                    && text.contains("causeway_carrier_lag_seconds{")
                    && text.contains("causeway_backup_last_duration_seconds{")
                    && text.contains("causeway_admin_requests_total{route=\"GET /metrics\",status=\"200\"}")
            }
            #expect(isCounted, "\(text)")
            let exposed = Dictionary(
                uniqueKeysWithValues: text.matches(of: /# TYPE (\S+) (\S+)/).map { (String($0.1), String($0.2)) })
            let known = Dictionary(uniqueKeysWithValues: MetricCatalog.all.map { ($0.name, $0.kind.rawValue) })
            #expect(exposed.filter { known[$0.key] != $0.value } == [:])
            #expect(Set(known.keys).subtracting(exposed.keys).subtracting(Self.rare) == [])
            for line in [
                "causeway_sessions_opened_total{database=\"items\"} 2",
                "causeway_operations_merged_total{database=\"items\"} 20",
                "causeway_database_up{database=\"items\"} 1",
                "causeway_audiences{database=\"items\"} 1",
                "causeway_admin_refused_total{reason=\"token\"} 1",
                "causeway_carrier_behind{database=\"items\",kind=\"sink\",name=\"files\"} 0",
                "causeway_feed_readers{database=\"items\"} 0",
                "causeway_backup_failures_total{database=\"items\"} 0",
                "causeway_configuration_reloads_total{outcome=\"refused\"} 0",
            ] { #expect(text.contains(line + "\n"), "\(line)") }
            let listeners = text.matches(of: /causeway_certificate_expiry_timestamp_seconds{listener="(\w+)"}/)
            #expect(listeners.map { $0.1 } == ["devices"])
            #expect(!text.contains("tester"))
            try promtool(text)
        }
    }

    /// Where Prometheus' own tool is installed, it has nothing to say about the text.
    private func promtool(_ text: String) throws {
        let path = "/usr/bin/promtool"
        guard FileManager.default.isExecutableFile(atPath: path) else { return }
        let tool = Process()
        let (input, output) = (Pipe(), Pipe())
        tool.executableURL = URL(filePath: path)
        tool.arguments = ["check", "metrics"]
        (tool.standardInput, tool.standardOutput, tool.standardError) = (input, output, output)
        try tool.run()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        let complaint = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        while tool.isRunning { usleep(10_000) }
        #expect(tool.terminationStatus == 0 && complaint.isEmpty, "\(complaint)")
    }

    @Test("the log tells who came from where and left, and the audit log who was refused")
    func logs() async throws {
        try await withServer { bench, get in
            do {
                let realm = try await bench.device("device")
                try realm.writeItems(1...1)
                try await realm.uploaded()
                realm.invalidate()
            }
            try bench.server.makeKeys("foreign")
            let foreign = try bench.server.token(user: "mallory", keys: "foreign")
            let stranger = try await bench.open("stranger", token: foreign)
            for _ in 0..<40 { _ = try await get("/databases", "wrong") }
            let isTold = try await eventually {
                let log = try lines(bench, "server.log")
                return log.contains { $0["message"] as? String == "session opened" }
                    && log.contains { $0["message"] as? String == "token refused" }
            }
            #expect(isTold)
            let log = try lines(bench, "server.log")
            let opened = try #require(log.first { $0["message"] as? String == "session opened" })
            #expect(opened["user"] as? String == "tester")
            #expect(opened["address"] as? String == "127.0.0.1")
            #expect(opened["database"] as? String == "items")
            #expect(opened["protocol"] is Int)
            let refused = log.filter { $0["message"] as? String == "token refused" }
            #expect(refused.allSatisfy { $0["address"] as? String == "127.0.0.1" && $0["code"] is String })
            stranger.invalidate()
            let atAdmin = log.filter { $0["message"] as? String == "request to the admin listener refused" }
            // The minute may have ended in between.
            #expect((LineBudget.linesOfSource...2 * LineBudget.linesOfSource).contains(atAdmin.count))
            bench.server.stop()
            let audit = try lines(bench, "audit.log")
            let events = audit.compactMap { $0["event"] as? String }
            #expect(events.first == "serverStarted" && events.last == "serverEnded")
            #expect(Set(["schemaExtended", "tokenRefused", "adminRefused"]).isSubset(of: events))
            // The lines and the summary are together all.
            var count = 0
            for line in audit where line["event"] as? String == "adminRefused" {
                count += (line["count"] as? Int) ?? 1
            }
            #expect(count == 40, "\(audit)")
            let all = try ["server.log", "audit.log"].map {
                try String(contentsOf: bench.folder.appending(path: "server/\($0)"), encoding: .utf8)
            }.joined()
            for secret in [foreign, Bench.adminToken, "item 1"] { #expect(!all.contains(secret)) }
        }
    }

    /// Asks as a back end, over TLS.
    private func ask(_ url: String, token: String, authority: String) async throws -> UInt {
        var configuration = HTTPClient.Configuration()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(authority)
        configuration.tlsConfiguration = tls
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "authorization", value: "Bearer \(token)")
        let answer = try await client.execute(request, timeout: .seconds(60))
        _ = try await answer.body.collect(upTo: 1 << 20)
        try await client.shutdown()
        return answer.status.code
    }

    @Test("requests of back ends are counted, and their refused tokens are in the audit log")
    func backEnds() async throws {
        let port = try SyncServer.freePort()
        try await withServer(api: port) { bench, get in
            let good = try bench.server.token(user: "back-end")
            for (token, status) in [(good, 200), ("wrong", 401)] as [(String, UInt)] {
                for path in ["schema", "changes?live=false"] {
                    let url = "https://localhost:\(port)/api/v1/items/\(path)"
                    #expect(try await ask(url, token: token, authority: bench.server.authority) == status)
                }
            }
            var text = ""
            let isCounted = try await eventually {
                text = try await get("/metrics", nil).1
                return [
                    #"causeway_api_requests_total{database="items",call="readSchema",outcome="ok"} 1"#,
                    #"causeway_api_requests_total{database="items",call="readSchema",outcome="tokenInvalid"} 1"#,
                    #"causeway_feed_ended_total{database="items",reason="complete"} 1"#,
                    #"causeway_feed_refused_total{database="items",code="tokenInvalid"} 1"#,
                ].allSatisfy { text.contains($0 + "\n") }
            }
            #expect(isCounted, "\(text)")
            let refused = try lines(bench, "audit.log").filter { $0["event"] as? String == "tokenRefused" }
            #expect(refused.compactMap { $0["subject"] as? String } == ["readSchema", "changes"])
            #expect(refused.allSatisfy { $0["address"] as? String == "127.0.0.1" })
        }
    }

    @Test("monitoring needs no token here, and everything else does")
    func readiness() async throws {
        try await withServer { _, get in
            let ready = try await get("/readyz", nil)
            #expect(ready.0 == 200 && ready.1 == "ready\n")
            for (path, token, status) in [
                ("/healthz", nil, 200), ("/databases", nil, 401), ("/databases", "wrong", 401),
                ("/databases", Bench.adminToken, 404),
            ] {
                let answer = try await get(path, token)
                #expect(answer.0 == status, "\(path)")
            }
        }
    }
}
