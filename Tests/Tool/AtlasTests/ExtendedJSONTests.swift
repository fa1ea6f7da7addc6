import CausewayAtlas
import CausewayFiles
import Testing

@Suite("Documents as extended JSON")
struct ExtendedJSONTests {
    /// A value, the type that it is taken for, and how an export writes it.
    private static let values = [
        ("true", "bool", "true"),
        ("12", "int", "12"),
        (#"{"$numberInt":"-12"}"#, "int", "-12"),
        (#"{"$numberLong":"9223372036854775807"}"#, "int", #"{"$numberLong":"9223372036854775807"}"#),
        ("-9223372036854775808", "int", #"{"$numberLong":"-9223372036854775808"}"#),
        ("1.5", "double", "1.5"),
        ("1e22", "double", "1e+22"),
        ("1.7976931348623157e308", "double", "1.7976931348623157e+308"),
        ("0.30000000000000004", "double", "0.30000000000000004"),
        (#"{"$numberDouble":"-0.25"}"#, "double", "-0.25"),
        (#"{"$numberDouble":"NaN"}"#, "double", #"{"$numberDouble":"NaN"}"#),
        (#"{"$numberDouble":"-Infinity"}"#, "double", #"{"$numberDouble":"-Infinity"}"#),
        (#"{"$numberDecimal":"1.50"}"#, "decimal128", #"{"$numberDecimal":"1.50"}"#),
        (#"{"$numberDecimal":"-Infinity"}"#, "decimal128", #"{"$numberDecimal":"-Infinity"}"#),
        (#""text""#, "string", #""text""#),
        (#""a\"\\\/\n\u00e9\ud83d\ude00é""#, "string", #""a\"\\/\né😀é""#),
        (#"{"$date":"2013-01-01T05:15:00.25Z"}"#, "date", #"{"$date":"2013-01-01T05:15:00.25Z"}"#),
        (#"{"$date":{"$numberLong":"-1500"}}"#, "date", #"{"$date":"1969-12-31T23:59:58.5Z"}"#),
        (#"{"$date":1500}"#, "date", #"{"$date":"1970-01-01T00:00:01.5Z"}"#),
        (#"{"$oid":"00112233445566778899aabb"}"#, "objectId", #"{"$oid":"00112233445566778899aabb"}"#),
        (
            #"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#, "uuid",
            #"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#
        ),
        (
            #"{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}}"#, "uuid",
            #"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#
        ),
        (#"{"$binary":{"base64":"AQID","subType":"00"}}"#, "data", #"{"$binary":{"base64":"AQID","subType":"00"}}"#),
        (#"{"$binary":"AQID","$type":"00"}"#, "data", #"{"$binary":{"base64":"AQID","subType":"00"}}"#),
    ]

    @Test(arguments: ["1E-7000", "9.9E+6145", "12345678901234567890123456789012345", "x"])
    func `decimal numbers that would become other ones are refused`(_ number: String) throws {
        imports.write(#"{"_id":1,"value":{"$numberDecimal":"\#(number)"}}"#, to: "things.json")
        #expect(try imports.failure("things.json").contains("$numberDecimal is followed by another form than its own"))
    }

    private let imports: Imports

    init() throws { imports = try Imports() }

    @Test(arguments: values) func `values of every type, canonical and relaxed`(
        _ value: String, _ type: String, _ line: String
    ) throws {
        imports.write(#"{"_id":1,"value":\#(value)}"# + "\n", to: "things.json")
        let report = try imports.run("things.json")
        #expect(report.text == "Documents: 1 read\nObjects: 1 created")
        #expect(try imports.schema() == "things\n    _id: int primaryKey\n    value: \(type)")
        #expect(try imports.lines() == [#"{"class":"things","object":{"_id":1,"value":\#(line)}}"#])
    }

    @Test(arguments: [
        #"{"_id":1,"a":1}\#n{"_id":2,"a":2}\#n"#,
        #"{"_id":1,"a":1}{"_id":2,"a":2}"#,
        "{\n  \"_id\": 1,\n  \"a\": 1\n}\r\n\n{\"_id\": 2, \"a\": 2}",
        #"[{"_id":1,"a":1},{"_id":2,"a":2}]"#,
        " [ {\"_id\":1,\"a\":1} ,\n {\"_id\":2,\"a\":2} ]\n",
        "\u{FEFF}" + #"{"_id":1,"a":1} {"_id":2,"a":2}"#,
    ]) func `one document a line, printed over several lines, or all in one array`(_ text: String) throws {
        imports.write(text, to: "things.json")
        try imports.run("things.json")
        #expect(
            try imports.lines() == [
                #"{"class":"things","object":{"_id":1,"a":1}}"#, #"{"class":"things","object":{"_id":2,"a":2}}"#,
            ])
    }

    @Test func `an array whose first document is larger than what is read at once`() throws {
        let text = String(repeating: "x", count: 9 << 20)
        imports.write(#"[{"_id":1,"a":"\#(text)"},{"_id":2,"a":"y"}]"#, to: "things.json")
        #expect(try imports.run("things.json").created == 2)
        #expect(try imports.lines().map(\.utf8.count).max() ?? 0 > 9 << 20)
    }

    @Test(arguments: ["", "\n", "[]", " [ ] "]) func `no documents make an empty class`(_ text: String) throws {
        imports.write(text, to: "things.json")
        #expect(try imports.run("things.json").documents == 0)
        #expect(try imports.lines() == [])
    }

    @Test(arguments: [
        (#"{"_id":1"#, "cut off"), (#"[{"_id":1}"#, "cut off"), (#"[{"_id":1},"#, "cut off"),
        (#"[{"_id":1},]"#, "a comma stands before the end"), (#"[{"_id":1}]{}"#, "text follows the array"),
        (#"[{"_id":1} {"_id":2}]"#, "a comma or ]"), ("12", "a document is expected"),
        (#"{"_id":01}"#, "begins with a zero"), (#"{"_id":99999999999999999999}"#, "beyond 64 bits"),
        (#"{"_id":1,"a":1e999}"#, "beyond the largest double"), (#"{"_id":1,"a":nul}"#, "no value begins"),
        (#"{"_id":1,"a":"\x"}"#, "backslash"), (#"{"_id":1,"a":"\ud800"}"#, "surrogate"),
        (#"{"_id":1,"a":{"$oid":"12"}}"#, "$oid is followed by another form"),
        (#"{"_id":1,"a":{"$numberInt":"2147483648"}}"#, "$numberInt is followed"),
        (#"{"_id":1,"a":{"$date":"yesterday"}}"#, "$date is followed"),
        (#"{"_id":1,"a":{"$binary":{"base64":"A","subType":"00"}}}"#, "$binary is followed"),
        (#"{"_id":1,"a":1,"a":2}"#, "has 'things.a' twice"),
        (#"{"_id":1.5}"#, "cannot be a primary key"), (#"{"_id":{"a":1}}"#, "cannot be a primary key"),
        (#"{"_id":null}"#, "cannot be a primary key"), (#"{"_id":1}{"_id":"a"}"#, "cannot be a primary key"),
        (#"{"_id":1}{"a":1}"#, "Only 1 of 2 documents"), (#"{"_id":1}{"_id":1}"#, "in the import twice"),
    ]) func `what is no document is told with a sentence`(_ text: String, _ words: String) throws {
        imports.write(text, to: "things.json")
        let message = try imports.failure("things.json")
        #expect(message.contains(words), "\(message)")
    }

    @Test(arguments: [
        (#"{"$undefined":true}"#, "undefined"), (#"{"$minKey":1}"#, "MinKey"), (#"{"$maxKey":1}"#, "MaxKey"),
        (#"{"$regularExpression":{"pattern":"a","options":"i"}}"#, "a regular expression"),
        (#"{"$timestamp":{"t":1,"i":2}}"#, "a timestamp of replication"), (#"{"$symbol":"a"}"#, "a symbol"),
        (#"{"$code":"f()","$scope":{}}"#, "JavaScript code"),
    ]) func `types without a counterpart are refused, or counted and left out`(_ value: String, _ words: String) throws
    {
        imports.write(#"{"_id":1,"a":\#(value)}{"_id":2,"a":3}"#, to: "things.json")
        let message = try imports.failure("things.json")
        #expect(message.contains("Document 1 of"))
        #expect(message.contains("the document has \(words)"), "\(message)")
        let report = try imports.run("things.json", .mongoexport, AtlasImport(.mongoexport, unmapped: .null))
        #expect(report.losses.values.map(\.count) == [1])
        #expect(try imports.lines().first == #"{"class":"things","object":{"_id":1,"a":null}}"#)
    }

    @Test func `values that nest too deeply are refused`() throws {
        func nested(_ levels: Int) -> String {
            #"{"_id":1,"a":"# + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}"
        }
        imports.write(nested(100), to: "things.json")
        try imports.run("things.json")
        #expect(try imports.lines().count == 1)
        imports.write(nested(100_000), to: "things.json")
        #expect(try imports.failure("things.json", .mongoexport).contains("nest more than 100 deep"))
    }
}
