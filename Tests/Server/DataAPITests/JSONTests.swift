import CausewayJSON
import CausewayDataAPI
import CausewayModel
import Testing

@Suite("Reading JSON")
struct JSONTests {
    private func read(_ text: String) throws -> JSON { try JSONReader.read(Array(text.utf8)) }

    @Test("numbers keep their digits, objects their order")
    func exact() throws {
        #expect(try read("12345678901234567890.50e-3") == .number("12345678901234567890.50e-3"))
        let members = try read(#" { "b" : [true, null], "a": "x" } "#).members?.map(\.name.string)
        #expect(members == ["b", "a"])
        #expect(try read(#""é😀\n""#) == .string("é😀\n"))
    }

    @Test(
        "what is not JSON is refused",
        arguments: [
            "", " ", "{", "[1,]", "[1 2]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "01", "1.", ".5", "+1", "-", "1e", "NaN",
            "Infinity", "nul", "truex", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"",
            "\"\\ud800\\u0041\"",
            "\"\u{01}\"", "1 1", "// a\n1", "\u{FEFF}1",
        ])
    func refused(_ text: String) {
        #expect(throws: JSONReader.Failure.self) { try read(text) }
    }

    @Test("an object that names a member twice is refused")
    func twice() {
        #expect(throws: JSONReader.Failure.self) { try read(#"{"a": 1, "a": 1}"#) }
        #expect(throws: JSONReader.Failure.self) { try read(#"{"a": 1, "\u0061": 1}"#) }
        // Unicode calls these equal, and their bytes are not.
        #expect(throws: Never.self) { try read("{\"\u{E9}\": 1, \"e\u{301}\": 1}") }
    }

    @Test("text that is not UTF-8 is refused")
    func encoding() {
        for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
            #expect(throws: JSONReader.Failure.self) { try JSONReader.read(bytes) }
        }
    }

    @Test("depth, values and numbers are bounded")
    func bounds() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        let bounds = JSONReader.Bounds()
        #expect(throws: Never.self) { try read(nested(bounds.depth + 1)) }
        #expect(throws: JSONReader.Failure.self) { try read(nested(bounds.depth + 2)) }
        #expect(throws: JSONReader.Failure.self) { try read(nested(1 << 20)) }
        let many = Array(repeating: "1", count: bounds.values).joined(separator: ",")
        #expect(throws: JSONReader.Failure.self) { try read("[\(many)]") }
        #expect(throws: JSONReader.Failure.self) { try read(String(repeating: "9", count: bounds.numberBytes + 1)) }
    }

    @Test("what is written is read back")
    func roundTrip() throws {
        let texts = [
            "", "plain", "\"\\/\u{08}\u{0C}\n\r\t\u{01}\u{1F}", "é e\u{301} \u{2028} 😀 \u{10FFFF}", "\u{7F}\u{0}",
        ]
        for text in texts {
            var writer = JSONWriter()
            writer.write(text)
            #expect(try JSONReader.read(writer.bytes) == .string(text))
        }
    }
}
