import CausewayWire
import Foundation
import Testing

@Suite("Protocol version")
struct ProtocolVersionTests {
    /// When this fails, the schema of the wire has changed. A change that an older program reads without harm keeps
    /// the version: put the new digest here. Any other raises `WireProtocol.version` and gets a line in PROTOCOL.md.
    @Test("the schema of the envelopes is the one that this protocol version stands for")
    func digest() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Shared/Wire/envelopes.proto").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        // Comments and spaces may change.
        let words = text.split(separator: "\n").map {
            $0.prefix(upTo: $0.firstRange(of: "//")?.lowerBound ?? $0.endIndex)
        }
        .flatMap { $0.split(separator: " ") }.joined(separator: " ")
        let digest = "\(WireProtocol.version)-\(String(fingerprint(words), radix: 16))"
        #expect(digest == "2-216b13603180d1cf")
    }

    /// FNV-1a.
    private func fingerprint(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
