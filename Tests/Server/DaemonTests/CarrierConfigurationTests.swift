import CausewayFolders
import CausewayModel
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("Webhooks and sinks in the configuration")
struct CarrierConfigurationTests {
    private func text(_ settings: String) -> String {
        """
        tls: {certificate: a.pem, key: b.pem}
        tokens: {keys: [{file: t.pem, algorithm: ES256}]}
        databases:
          - name: flights
            folder: data
        \(settings.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
        """
    }

    private func problems(_ settings: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration.read(text(settings))
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test("what the annotated example shows in comments is good when it is put in force")
    func example() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../deploy/sync-server.example.yaml")
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0 == "    # webhooks:" })
        let last = try #require(lines.firstIndex { $0.hasPrefix("    # oneWayDays:") })
        // Prose begins with a capital letter.
        let shown = lines[first...last].filter { $0.firstMatch(of: /^    # [A-Z]/) == nil }
        let settings = shown.map { $0.replacing(/^    # ?/, with: "") }.joined(separator: "\n")
        let carriers = try Configuration.read(text(settings)).databases[0].carriers
        #expect(carriers.webhooks.map(\.name) == ["orders"])
        #expect(carriers.webhooks[0].classes == ["Flight"])
        #expect(carriers.webhooks[0].tellsAfter && !carriers.webhooks[0].tellsBefore)
        #expect(carriers.webhooks[0].batchEvents == 100)
        #expect(
            carriers.sinks.map(\.place) == [
                .files(folder: "archive", rollMegabytes: 64, rollMinutes: 60),
                .postgresql(connectionFile: "keys/warehouse", area: "public"),
                .webhook(.init(url: "https://example.org/readings", secretFile: "keys/hook-secret")),
            ])
        #expect(carriers.oneWayDays == 7)
    }

    @Test("every problem is told with its place")
    func wrong() {
        let found = problems(
            """
            oneWayDays: 3
            webhooks:
              - {name: a, url: "ftp://x", secretFile: s, values: [after, later]}
              - {name: a, url: "https://x"}
            """)
        for part in [
            "databases[0].webhooks[0].url: 'ftp://x' is no address of the web",
            "databases[0].webhooks[0].values: 'later' is unknown",
            "databases[0].webhooks[1].name: Two have the name 'a'",
            "databases[0].webhooks[1].secretFile: The key is missing",
            "databases[0].oneWayDays: There is no sink",
        ] {
            #expect(found.contains { $0.contains(part) }, "\(part) in \(found)")
        }
        #expect(problems("sinks: [{name: a, type: kafka, folder: x}]").contains { $0.contains("'kafka' is unknown") })
        #expect(
            problems("sinks: [{name: a, type: files, folder: x, url: y}]").contains {
                $0.contains("sinks[0].url: The key is unknown")
            })
    }

    @Test("sinks share no folder with a sink of another database or with a database, however it is written")
    func folders() async throws {
        let folder = try TemporaryFolder()
        for name in ["data", "lines"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("lines"))
        let configuration = try Configuration.read(
            """
            tls: {certificate: a.pem, key: b.pem}
            tokens: {keys: [{file: t.pem, algorithm: ES256}]}
            databases:
              - name: one
                folder: \(folder.file("data"))
                sinks: [{name: a, type: files, folder: \(folder.file("lines"))}]
              - name: two
                folder: \(folder.file("other"))
                sinks:
                  - {name: b, type: files, folder: \(folder.file("link"))/}
                  - {name: c, type: files, folder: \(folder.file("data"))/archive}
                  - {name: d, type: files, folder: \(folder.file("database"))}
            """)
        var inspection = await Inspection(configuration, now: Date(), onlyKeys: true)
        inspection.problems = []
        inspection.inspectSinkFolders(configuration.databases)
        #expect(
            inspection.problems.map(\.description) == [
                "databases[1].sinks[0].folder: A sink of 'one' has this folder too. Give each its own.",
                "databases[1].sinks[1].folder: The folder belongs to the database 'one'. Give the sink one outside of it.",
            ])
    }

    @Test("relative paths count from the folder of the configuration")
    func paths() throws {
        let settings = """
            webhooks: [{name: a, url: "https://x", secretFile: s, trustRoots: r}]
            sinks: [{name: f, type: files, folder: lines}, {name: p, type: postgresql, connectionFile: c}]
            """
        let carriers = try Configuration.read(text(settings)).resolved(against: URL(filePath: "/etc/causeway"))
            .databases[0].carriers
        #expect(carriers.webhooks[0].receiver.secretFile == "/etc/causeway/s")
        #expect(carriers.webhooks[0].receiver.trustRootsFile == "/etc/causeway/r")
        #expect(
            carriers.sinks.map(\.place) == [
                .files(folder: "/etc/causeway/lines", rollMegabytes: 64, rollMinutes: 60),
                .postgresql(connectionFile: "/etc/causeway/c", area: "public"),
            ])
    }
}
