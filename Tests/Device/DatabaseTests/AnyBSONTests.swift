import Causeway
import CausewaySeeds
import Foundation
import Testing

@Suite("Values of BSON")
struct AnyBSONTests {
    private static let seeds = SeedList.drawn(for: "bson", count: 1)

    private func json(_ bson: AnyBSON) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(bson), as: UTF8.self)
    }

    private func read(_ json: String) throws -> AnyBSON {
        try JSONDecoder().decode(AnyBSON.self, from: Data(json.utf8))
    }

    private func samples() throws -> [(AnyBSON, String)] {
        let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        return [
            (.int32(-7), #"{"$numberInt":"-7"}"#),
            (.int64(.max), #"{"$numberLong":"9223372036854775807"}"#),
            (.double(1.5), #"{"$numberDouble":"1.5"}"#),
            (.double(-.infinity), #"{"$numberDouble":"-Infinity"}"#),
            (.decimal128("1.10"), #"{"$numberDecimal":"1.10"}"#),
            (.bool(true), "true"),
            (.string("a \"b\""), #""a \"b\"""#),
            (.null, "null"),
            (.binary(Data([1, 2, 255])), #"{"$binary":{"base64":"AQL/","subType":"00"}}"#),
            (.uuid(uuid), #"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#),
            (.objectId(ObjectId("11223344556677889900aabb")), #"{"$oid":"11223344556677889900aabb"}"#),
            (.datetime(Date(timeIntervalSince1970: -1.5)), #"{"$date":{"$numberLong":"-1500"}}"#),
            (.timestamp(Date(timeIntervalSince1970: 9)), #"{"$timestamp":{"i":0,"t":9}}"#),
            (
                .regex(try NSRegularExpression(pattern: "^a.b$", options: [.caseInsensitive, .anchorsMatchLines])),
                #"{"$regularExpression":{"options":"im","pattern":"^a.b$"}}"#
            ),
            (.minKey, #"{"$minKey":1}"#),
            (.maxKey, #"{"$maxKey":1}"#),
            (["a", nil, 1], #"["a",null,{"$numberLong":"1"}]"#),
            (["b": nil, "a": ["c": false]], #"{"a":{"c":false},"b":null}"#),
        ]
    }

    @Test("each type has its form in extended JSON, and comes back from it")
    func forms() throws {
        for (bson, text) in try samples() {
            #expect(try json(bson) == text)
            #expect(try read(text) == bson, "\(text)")
        }
        #expect(try read(#"{"$numberDouble":"NaN"}"#).doubleValue?.isNaN == true)
    }

    @Test("the relaxed form is read too")
    func relaxed() throws {
        #expect(
            try read("3") == .int32(3) && read("3000000000") == .int64(3_000_000_000) && read("1.5") == .double(1.5))
        #expect(try read(#"{"$date":"1970-01-01T00:00:01Z"}"#) == .datetime(Date(timeIntervalSince1970: 1)))
        #expect(try read(#"{"$date":"1970-01-01T00:00:01.500Z"}"#) == .datetime(Date(timeIntervalSince1970: 1.5)))
        #expect(
            try read(#"{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}}"#).uuidValue?.uuidString
                == "00112233-4455-6677-8899-AABBCCDDEEFF")
    }

    @Test("what is not of its form is refused with the form's name")
    func refused() throws {
        let wrong = [
            #"{"$numberInt":"3000000000"}"#, #"{"$numberInt":3}"#, #"{"$oid":"12"}"#, #"{"$oid":"12","x":1}"#,
            #"{"$date":"yesterday"}"#, #"{"$binary":{"base64":"?","subType":"00"}}"#, #"{"$minKey":2}"#,
            #"{"$regularExpression":{"pattern":"(","options":""}}"#,
            #"{"$regularExpression":{"pattern":"a","options":"q"}}"#,
        ]
        for text in wrong {
            #expect(throws: DecodingError.self, "\(text)") { _ = try read(text) }
        }
        let deep = String(repeating: "[", count: 150) + String(repeating: "]", count: 150)
        #expect(throws: DecodingError.self) { _ = try read(deep) }
    }

    @Test("random documents survive the way through JSON", arguments: seeds)
    func random(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<200 {
            let bson = randomValue(&numbers, depth: 4)
            #expect(try read(json(bson)) == bson, "seed \(seed)")
        }
    }

    private func randomValue(_ numbers: inout SeededNumbers, depth: Int) -> AnyBSON {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 8), using: &numbers) {
        case 0: return .int32(Int32.random(in: .min ... .max, using: &numbers))
        case 1: return .int64(Int64.random(in: .min ... .max, using: &numbers))
        case 2: return .double(Double.random(in: -1e9...1e9, using: &numbers))
        case 3: return .decimal128(Decimal128(Int64.random(in: .min ... .max, using: &numbers)))
        case 4: return .string(String(Int.random(in: 0..<1000, using: &numbers), radix: 36))
        case 5: return .datetime(Date(timeIntervalSince1970: Double(Int.random(in: -9_999...9_999, using: &numbers))))
        case 6: return .binary(Data((0..<5).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }))
        case 7: return .bool(Bool.random(using: &numbers))
        case 8:
            return .array((0..<3).map { $0 == 0 ? nil : randomValue(&numbers, depth: depth - 1) })
        default:
            var document: Document = [:]
            for name in ["a", "b.c", "d"] { document[name] = .some(randomValue(&numbers, depth: depth - 1)) }
            return .document(document)
        }
    }

    @Test("values are asked for by their type, and numbers for what they are worth")
    func values() {
        let document: AnyBSON = ["name": "Rex", "age": 10, "weight": 2.5]
        #expect(document.documentValue?["name"] == "Rex")
        let age: AnyBSON = 10
        let asInt: Int? = age.value()
        let asText: String? = age.value()
        #expect(asInt == 10 && asText == nil && age.int32Value == nil && age.int64Value == 10)
        #expect(AnyBSON.double(3).asInt() == 3 && AnyBSON.double(3.5).asInt() == nil)
        #expect(AnyBSON.decimal128("3.0").asInt32() == 3 && AnyBSON.decimal128("9E+30").asInt64() == nil)
        #expect(AnyBSON.int64(.max).asInt32() == nil && AnyBSON("2.50").asDecimal128() == 2.5)
        #expect(AnyBSON(MaxKey()) == .maxKey && AnyBSON(NSNull()).isNull && AnyBSON.convert(true) == .bool(true))
        #expect(AnyBSON.string("3").asDouble() == nil && AnyBSON.int32(3).asDouble() == 3)
    }
}
