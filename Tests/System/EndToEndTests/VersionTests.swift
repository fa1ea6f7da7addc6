import Causeway
import CausewayPrograms
import Foundation
import Testing

@Suite("The version")
@MainActor
struct VersionTests {
    @Test("the library, the program and the change log name one")
    func number() throws {
        let bench = try Bench("version")
        defer { bench.end() }
        #expect(try bench.server.version() == Causeway.version)
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let log = try String(contentsOf: root.appending(path: "deploy/CHANGELOG.md"), encoding: .utf8)
        let newest = try #require(log.split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(newest.dropFirst(3).prefix { !", ".contains($0) } == Causeway.version)
        let parts = Causeway.version.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3 && parts.allSatisfy { Int($0) != nil })
    }
}
