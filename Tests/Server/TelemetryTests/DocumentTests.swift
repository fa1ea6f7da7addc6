import Foundation
import Testing

@testable import CausewayTelemetry

/// The pages say what the code does.
@Suite("METRICS.md and AUDIT.md")
struct DocumentTests {
    private static func page(_ name: String) throws -> String {
        let repository = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: repository.appending(path: name), encoding: .utf8)
    }

    /// The cells of the rows of tables whose first cell is code.
    private static func rows(_ page: String) -> [[String]] {
        page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("every metric of the catalog has a row that says the same, and there are no others")
    func metrics() throws {
        let rows = Self.rows(try Self.page("Server/Telemetry/METRICS.md"))
        let written = MetricCatalog.all.map { definition in
            [
                "`\(definition.name)`", definition.kind.rawValue, definition.unit,
                definition.labels.map { "`\($0)`" }.joined(separator: ", "), definition.meaning,
            ]
        }
        #expect(Set(rows) == Set(written), "\(Set(rows).symmetricDifference(written))")
        #expect(rows.count == written.count)
    }

    @Test("names keep the rules of Prometheus")
    func names() {
        for metric in MetricCatalog.all {
            #expect(metric.name.wholeMatch(of: /(causeway|process)_[a-z0-9_]+/) != nil, "\(metric.name)")
            #expect((metric.kind == .counter) == metric.name.hasSuffix("_total"), "\(metric.name)")
            if !metric.unit.isEmpty {
                let base = metric.name.hasSuffix("_total") ? String(metric.name.dropLast(6)) : metric.name
                #expect(base.hasSuffix("_" + metric.unit), "\(metric.name)")
            }
            #expect((metric.kind == .histogram) == !metric.bounds.isEmpty, "\(metric.name)")
            #expect(metric.meaning.hasSuffix("."), "\(metric.name)")
        }
    }

    @Test("every metric that the dashboard shows is in the catalog")
    func dashboard() throws {
        let text = try Self.page("deploy/grafana-dashboard.json")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        var shown: Set<String> = []
        func collect(_ value: Any) {
            if let values = value as? [Any] { values.forEach(collect) }
            guard let object = value as? [String: Any] else { return }
            for (key, value) in object {
                if key == "expr" || key == "query", let text = value as? String {
                    for match in text.matches(of: /\b(?:causeway|process)_[a-z0-9_]+/) { shown.insert(String(match.0)) }
                }
                collect(value)
            }
        }
        collect(json)
        let known = Set(
            MetricCatalog.all.flatMap { metric in
                metric.kind == .histogram ? ["_bucket", "_sum", "_count"].map { metric.name + $0 } : [metric.name]
            })
        #expect(shown.subtracting(known) == [])
        #expect(shown.count > 20)
    }

    @Test("every event of the audit log has a row, and there are no others")
    func audit() throws {
        let rows = Self.rows(try Self.page("Server/Telemetry/AUDIT.md")).filter { $0.count > 2 }
        #expect(rows.map { $0[0] }.sorted() == AuditEvent.Kind.allCases.map { "`\($0.rawValue)`" }.sorted())
    }
}
