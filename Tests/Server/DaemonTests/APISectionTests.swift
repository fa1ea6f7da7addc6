import Foundation
import Testing

@testable import CausewayDaemon

@Suite("The section api of the configuration")
struct APISectionTests {
    private func read(_ section: String) throws -> Configuration {
        try Configuration.read(
            """
            \(section)
            tls: {certificate: a.pem, key: b.pem}
            databases: [{name: flights, folder: data}]
            tokens:
              keys: [{file: t.pem, algorithm: ES256}]
            """)
    }

    @Test("without it back ends are not served, and an empty one takes the defaults")
    func defaults() throws {
        #expect(try read("").api == nil)
        #expect(try read("api:").api == Configuration.Listen(host: "127.0.0.1", port: 7445))
        #expect(try read("api: {host: 0.0.0.0, port: 8443}").api == Configuration.Listen(host: "0.0.0.0", port: 8443))
    }

    @Test(
        "what is wrong with it is told",
        arguments: ["api: {prt: 1}", "api: {port: 70000}", "api: {host: ''}", "api: 7445", "api: {port: x}"])
    func wrong(_ section: String) {
        #expect(throws: ConfigurationError.self) { try read(section) }
    }

    @Test("the example shows the defaults")
    func example() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../deploy/sync-server.example.yaml")
        let line = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").first { $0.hasPrefix("# api:") }
        let section = String(try #require(line).dropFirst(2))
        #expect(try read(section).api == Configuration.Listen.backEnds)
    }

    @Test("a port that devices use, and an address that is none, are told")
    func machine() async throws {
        func keys(_ section: String) async throws -> [String] {
            await Inspection(try read(section), now: Date()).problems.map(\.key).filter { $0.hasPrefix("api") }
        }
        #expect(try await keys("api: {port: 7443}") == ["api.port"])
        #expect(try await keys("api: {host: no address}") == ["api.host"])
        #expect(try await keys("api:") == [])
    }

    @Test("a change waits for the next start")
    func reloading() throws {
        #expect(try read("api:").sectionsForNextStart(after: try read("")) == ["api"])
        #expect(try read("api:").sectionsForNextStart(after: try read("api: {port: 7445}")) == [])
    }
}
