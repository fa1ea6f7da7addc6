import CausewaySeeds
import Testing

@testable import CausewayDaemon

@Suite("A configuration file that was damaged")
struct HostileConfigurationTests {
    private static let seeds = SeedList.drawn(for: "hostile-configuration", count: 1)

    private static let whole = """
        listen: {host: 127.0.0.1, port: 0}
        tls: {certificate: a.pem, key: b.pem}
        databases:
          - {name: a, folder: x}
        tokens:
          keys:
            - {file: t.pem, algorithm: EdDSA, id: one}
          issuers: https://one
        limits:
          connections: 5
          creditKilobytes: 64
          historyVersions: 1_000
        log: {level: debug, format: json}
        """

    @Test("every text is a configuration, or its problems are named", arguments: seeds)
    func damaged(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let telling = Array("{}[]:,&*!|>-#'\"\n \t%@0\u{0}é".utf8)
        var readCount = 0
        for number in 0..<2_000 {
            var bytes = Array(Self.whole.utf8)
            for _ in 0..<numbers.below(3) + 1 {
                let place = numbers.below(bytes.count)
                switch numbers.below(4) {
                case 0: bytes.insert(numbers.one(of: telling), at: place)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + numbers.below(6)))
                case 2: bytes.insert(contentsOf: "99999999999999999999".utf8, at: place)
                default: bytes[place] = numbers.one(of: telling)
                }
            }
            do throws(ConfigurationError) {
                _ = try Configuration.read(String(decoding: bytes, as: UTF8.self))
                readCount += 1
            } catch {
                #expect(!error.problems.isEmpty, "seed \(seed), number \(number)")
            }
        }
        #expect(readCount > 0)
    }

    @Test("aliases that multiply, and depth without end, are refused")
    func bombs() {
        var laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            laughs += "a\(level): &a\(level) [\(aliases)]\n"
        }
        for text in [laughs, String(repeating: "[", count: 20_000), String(repeating: "{a: ", count: 20_000)] {
            #expect(throws: ConfigurationError.self) { _ = try Configuration.read(text) }
        }
    }
}
