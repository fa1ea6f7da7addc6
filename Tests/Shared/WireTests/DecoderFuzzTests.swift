import CausewayDecoderFuzzing
import CausewaySeeds
import Foundation
import Testing

@Suite("Bytes that no program of ours wrote")
struct DecoderFuzzTests {
    private static let seeds = SeedList.drawn(for: "fuzz", count: 3)

    @Test(
        "every decoder reads them and writes the same again, or refuses them with a reason",
        arguments: FuzzTarget.allCases)
    func drawn(_ target: FuzzTarget) throws {
        for seed in Self.seeds {
            var fuzzer = DecoderFuzzer(seed: seed, targets: [target])
            // A few bytes of these may stand for four million values, which take a program without optimisation long.
            try fuzzer.run(count: [.download, .objects].contains(target) ? 30 : 200)
            let whole = DecoderFuzzer.seed(seed, for: target)
            #expect(try target.check(whole) == .read, "seed \(seed)")
        }
    }

    /// Inputs that once broke a promise, or come near to it. The first byte names the decoder.
    @Test("kept inputs hold")
    func kept() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Vectors/fuzz").standardized
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        #expect(!names.isEmpty)
        for name in names.sorted() {
            let input = [UInt8](try Data(contentsOf: folder.appending(path: name)))
            let target = try #require(FuzzTarget.allCases.first { name.hasPrefix($0.rawValue + "-") }, "\(name)")
            _ = try target.check(input)
        }
    }
}
