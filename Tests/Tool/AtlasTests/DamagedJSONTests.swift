import CausewayAtlas
import CausewayFiles
import CausewaySeeds
import Testing

@Suite("Damaged documents as extended JSON")
struct DamagedJSONTests {
    private static let seeds = SeedList.drawn(for: "damaged-extended-json", count: 4)
    private static let damagesPerSeed = 150
    private static let document =
        #"{"_id":{"$oid":"00112233445566778899aabb"},"d":-1.5e3,"s":"t\u00ebxt \ud83d\ude00","part":{"street":"Main"},"#
        + #""list":[1,{"$numberLong":"7"}],"at":{"$date":{"$numberLong":"-1500"}},"on":{"$date":"2013-01-01T00:00:00Z"},"#
        + #""b":{"$binary":{"base64":"AQID","subType":"00"}},"to":{"$ref":"a","$id":{"$oid":"00112233445566778899aabb"}},"#
        + #""x":[true,null,["é",{"y":{"$numberDecimal":"1.50"}}]]}"#

    private let imports: Imports

    init() throws { imports = try Imports() }

    @Test func `every cut of a document is told, and nothing is written`() throws {
        let bytes = Array(Self.document.utf8)
        for count in 1..<bytes.count {
            imports.write(Array("{\"_id\":1}".utf8) + bytes.prefix(count), to: "a.json")
            let message = try imports.failure("a.json")
            #expect(message.hasPrefix("Document 2 of"), "\(count): \(message)")
        }
    }

    @Test(arguments: seeds) func `are imported or told, and leave a sound file or none`(_ seed: UInt64) throws {
        let pieces = Array(#"{}[],:"\$0e.-é"#.utf8)
        var numbers = SeededNumbers(seed: seed)
        var refused = 0
        for damage in 0..<Self.damagesPerSeed {
            var bytes = Array(Self.document.utf8)
            for _ in 0...numbers.below(2) {
                let place = numbers.below(bytes.count)
                switch numbers.below(3) {
                case 0: bytes[place] = UInt8(numbers.below(256))
                case 1: bytes[place] = numbers.one(of: pieces)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 1 + numbers.below(9)))
                }
            }
            imports.write(bytes, to: "a.json")
            do {
                try imports.run("a.json", .mongoexport, AtlasImport(.mongoexport, unmapped: .null), to: "file\(damage)")
                #expect(try imports.lines("file\(damage)").count <= 1)
            } catch is FileFailure {
                refused += 1
                #expect(!imports.names.contains("file\(damage)"))
            }
        }
        #expect(refused > 0)
    }
}
