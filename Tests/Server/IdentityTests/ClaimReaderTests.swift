import CausewayIdentity
import CausewaySeeds
import Foundation
import Testing

@Suite("JSON of outsiders")
struct ClaimReaderTests {
    private static let seeds = SeedList.drawn(for: "claims", count: 1)

    private func read(_ text: String, _ limits: ClaimLimits = .userCall) -> ClaimValue? {
        try? ClaimValue(json: text.utf8, within: limits)
    }

    @Test("every form of value is read as it is meant")
    func forms() {
        #expect(
            read(#" {"a" : [ 1 , -2.5 , 1e3, true,false , null, "é\n\u00e9\ud83d\ude00\/" ] , "b":{} } "#)
                == .object([
                    "a": .array([
                        .int(1), .double(-2.5), .int(1_000), .bool(true), .bool(false), .null, .string("é\né😀/"),
                    ]),
                    "b": .object([:]),
                ]))
        #expect(read("9223372036854775807") == .int(.max))
        #expect(read("9223372036854775808") == .double(9_223_372_036_854_775_808))
    }

    @Test(
        "what is no JSON is refused",
        arguments: [
            "", " ", "[1,]", "[,1]", "[1", "{\"a\":1,}", "{\"a\"}", "{a:1}", "01", "-", "1.", ".5", "1e", "+1", "tru",
            "nulls", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\u{1}\"", "1 2", "NaN", "1e999",
            #"{"a":1,"a":2}"#, #"{"é":1,"\u0065\u0301":2}"#,
        ])
    func malformed(_ text: String) {
        #expect(read(text) == nil)
        #expect(read("[\(text)]") == nil || text == " " || text.isEmpty)
    }

    @Test("bytes that are no text are refused")
    func notText() {
        #expect((try? ClaimValue(json: [0x22, 0xC3, 0x28, 0x22], within: .userCall)) == nil)
        #expect((try? ClaimValue(json: [0x22, 0xED, 0xA0, 0x80, 0x22], within: .userCall)) == nil)
    }

    @Test("each limit holds to the last one, and not beyond it")
    func limits() {
        let limits = ClaimLimits(bytes: 100, depth: 3, elements: 5)
        #expect(read("[[[1]]]", limits) != nil)
        #expect(read("[[[[1]]]]", limits) == nil)
        #expect(read("[1,2,3,4,5]", limits) != nil)
        #expect(read("[1,2,3,4,5,6]", limits) == nil)
        #expect(read(#"{"a":[1,2],"b":[3]}"#, limits) != nil)
        #expect(read(#"{"a":[1,2],"b":[3,4]}"#, limits) == nil)
        #expect(read("\"" + String(repeating: "a", count: 98) + "\"", limits) != nil)
        #expect(read("\"" + String(repeating: "a", count: 99) + "\"", limits) == nil)
    }

    @Test("what it reads, JSONDecoder reads in the same way", arguments: seeds)
    func agreement(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let telling = Array("{}[]\":,.-0e9\\u tn".utf8)
        let leaves = [
            "null", "true", "-0", "1.5", "0.1e-5", "1E+2", "12345678901234567890", "\"a\"", #""\u00e9\n\"""#, "\"é\"",
        ]
        func draw(_ depth: Int) -> String {
            switch numbers.below(depth > 3 ? 1 : 3) {
            case 0: return numbers.one(of: leaves)
            case 1: return "[" + (0..<numbers.below(4)).map { _ in draw(depth + 1) }.joined(separator: " , ") + "]"
            default:
                return "{" + (0..<numbers.below(4)).map { "\"k\($0)\": " + draw(depth + 1) }.joined(separator: ",")
                    + "}"
            }
        }
        var readCount = 0
        for number in 0..<3_000 {
            var bytes = Array(draw(0).utf8)
            if numbers.once(in: 2) { bytes.insert(numbers.one(of: telling), at: numbers.below(bytes.count + 1)) }
            // It refuses more: a comma behind the last element, names that come twice.
            guard let value = try? ClaimValue(json: bytes, within: .userCall) else { continue }
            readCount += 1
            let other = try JSONDecoder().decode(ClaimValue.self, from: Data(bytes))
            #expect(value == other || "\(value)".contains("e+"), "seed \(seed), number \(number)")
        }
        #expect(readCount > 1_500)
    }
}
