import CausewayJSON
import CausewayFeed
import CausewayModel
import Testing

@Suite("The JSON of the feed")
struct EncodingTests {
    @Test(
        "each type has its form",
        arguments: [
            (Value.null, "null"), (.bool(true), "true"), (.int(1 << 53 - 1), "9007199254740991"),
            (.int(.max), #"{"$numberLong":"9223372036854775807"}"#), (.double(0.1), "0.1"),
            (.double(.nan), #"{"$numberDouble":"NaN"}"#), (.float(-.infinity), #"{"$numberDouble":"-Infinity"}"#),
            (.string("a\"\\\n\u{1}é"), #""a\"\\\n\u0001é""#),
            (.bytes([1, 2, 255]), #"{"$binary":{"base64":"AQL/","subType":"00"}}"#),
            (.timestamp(Timestamp(seconds: 0, nanoseconds: 0)), #"{"$date":"1970-01-01T00:00:00Z"}"#),
            (
                .timestamp(Timestamp(seconds: -1, nanoseconds: -1)), #"{"$date":"1969-12-31T23:59:58.999999999Z"}"#
            ),
            (
                .timestamp(Timestamp(seconds: 951_827_696, nanoseconds: 120_000_000)),
                #"{"$date":"2000-02-29T12:34:56.12Z"}"#
            ),
            (
                .timestamp(Timestamp(seconds: -62_135_596_800, nanoseconds: 0)), #"{"$date":"0001-01-01T00:00:00Z"}"#
            ),
            (
                .objectId(ObjectIdentifier12(high: 0x0102_0304_0506_0708, low: 9)),
                #"{"$oid":"010203040506070800000009"}"#
            ),
            (
                .uuid(UUID16(high: 1, low: 2)), #"{"$uuid":"00000000-0000-0001-0000-000000000002"}"#
            ),
            (.double(1), "1.0"),
        ])
    func forms(value: Value, json: String) throws {
        #expect(Self.written(.single(.value(value))) == json)
        // The data API reads the same back.
        guard let type = value.type else { return }
        let read = try ValueReader.value(try JSONReader.read(Array(json.utf8)), type)
        #expect(Self.written(.single(.value(read))) == json)
    }

    private static func written(_ content: ObjectValues.Content) -> String {
        var writer = JSONWriter()
        writer.write(content)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("links, mixed values and names that begin with $ have the forms of the data API")
    func dataForms() {
        #expect(Self.written(.single(.link(ClassedLink("Task", .string("x"))))) == #"{"$ref":"Task","$id":"x"}"#)
        #expect(Self.written(.single(.mixed(.double(1)))) == #"{"$numberDouble":"1.0"}"#)
        #expect(Self.written(.single(.mixed(.float(0.5)))) == #"{"$numberFloat":"0.5"}"#)
        let map = ObjectValues.Content.map([.init(key: "$oid", item: .value(.int(1)))])
        #expect(Self.written(map) == #"{"$map":{"$oid":1}}"#)
    }

    @Test("no time is too far away to be written")
    func farTimes() {
        for seconds in [Int64.min, -62_135_596_801, 253_402_300_800, Int64.max] {
            let written = Self.written(.single(.value(.timestamp(Timestamp(seconds: seconds, nanoseconds: 0)))))
            #expect(written == #"{"$date":{"seconds":{"$numberLong":"\#(seconds)"},"nanoseconds":0}}"#)
        }
        #expect(DateText.text(milliseconds: .max).hasPrefix("9999-12-31T23:59:59"))
        #expect(DateText.text(milliseconds: 1_700_000_000_020) == "2023-11-14T22:13:20.020Z")
    }

    @Test("a position reads back from its text, and nonsense is no position")
    func positions() {
        for text in ["0", "17", "17.250", "17.250@1f", "17@0"] { #expect(FeedPosition(text)?.text == text) }
        for text in ["", "-1", "1.-2", "x", "1.2.3", "1@", "1@xyz", "99999999999999999999", "1.99999999999"] {
            #expect(FeedPosition(text) == nil, "\(text)")
        }
    }
}
