import CausewayJSON
import CausewayDataAPI
import Testing

/// Every type goes from JSON into the store and back, byte for byte.
@Suite("JSON forms of stored values")
struct FormTests {
    /// Writes one property, and returns what is read of it.
    private func readBack(_ property: String, _ json: String) async throws -> String {
        let bench = try APIBench()
        let created = try await bench.call("POST", "objects/Plant", #"{"_id": 1, "\#(property)": \#(json)}"#)
        #expect(created.status == 201, "\(created.text)")
        // The same by a patch of an object that has none of it.
        try await bench.call("POST", "objects/Plant", #"{"_id": 2}"#)
        let patched = try await bench.call("PATCH", "objects/Plant/2", #"{"\#(property)": \#(json)}"#)
        #expect(patched.status == 200, "\(patched.text)")
        let first = try await bench.call("GET", "objects/Plant/1?fields=\(property)")
        let second = try await bench.call("GET", "objects/Plant/2?fields=\(property)")
        #expect(first.text.dropFirst(9) == second.text.dropFirst(9))
        let (start, end) = (#"{"_id":1,"\#(property)":"#, "}")
        #expect(first.text.hasPrefix(start) && first.text.hasSuffix(end), "\(first.text)")
        return String(first.text.dropFirst(start.utf8.count).dropLast())
    }

    @Test(
        "what is written is read as it was",
        arguments: [
            ("name", #""é e\u0000\"\\""#), ("name", #""""#), ("nick", "null"), ("nick", #""""#), ("isWet", "true"),
            ("height", "0.1"), ("height", "-0.0"), ("height", "3.4028235e+38"), ("height", "1e-45"),
            ("height", #"{"$numberDouble":"NaN"}"#), ("weight", "0.1"), ("weight", "5e-324"),
            ("weight", "1.7976931348623157e+308"), ("weight", "-0.0"), ("weight", #"{"$numberDouble":"-Infinity"}"#),
            ("price", #"{"$numberDecimal":"1.500"}"#), ("price", #"{"$numberDecimal":"-0"}"#),
            ("price", #"{"$numberDecimal":"NaN"}"#),
            ("price", #"{"$numberDecimal":"9.999999999999999999999999999999999E+6144"}"#),
            ("price", "null"), ("seed", #"{"$binary":{"base64":"AAECAw==","subType":"00"}}"#),
            ("seed", #"{"$binary":{"base64":"","subType":"00"}}"#),
            ("sown", #"{"$date":"2026-11-27T18:59:49.000000001Z"}"#),
            ("sown", #"{"$date":"1969-12-31T23:59:59.5Z"}"#), ("sown", #"{"$date":"0001-01-01T00:00:00Z"}"#),
            ("sown", #"{"$date":"9999-12-31T23:59:59.999999999Z"}"#), ("sown", #"{"$date":"2024-02-29T12:00:00Z"}"#),
            ("sown", #"{"$date":{"seconds":{"$numberLong":"-9223372036854775808"},"nanoseconds":-999999999}}"#),
            ("tag", #"{"$oid":"00112233445566778899aabb"}"#),
            ("code", #"{"$uuid":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}"#),
            ("any", "null"), ("any", "1"), ("any", #"{"$numberLong":"9007199254740993"}"#), ("any", "0.5"),
            ("any", #"{"$numberDouble":"1.0"}"#), ("any", #"{"$numberDouble":"-0.0"}"#),
            ("any", #"{"$numberFloat":"0.1"}"#),
            ("any", #"{"$numberFloat":"Infinity"}"#), ("any", #"{"$numberDecimal":"1.0"}"#), ("any", "false"),
            ("any", #"{"$date":"2026-11-27T18:59:49Z"}"#), ("any", #"{"$ref":"Bed","$id":"north"}"#),
            ("any", #"[1,"a",[true,{"b":null}],{}]"#), ("any", #"{"a":{"b":{"c":[]}}}"#),
            ("any", #"{"$map":{"$oid":"no id","a":1}}"#), ("bed", #"{"$ref":"Bed","$id":"north"}"#), ("bed", "null"),
            ("pot", #"{"size":3,"marks":["a","b"],"inner":{"size":1,"marks":[],"inner":null}}"#), ("pot", "null"),
            ("visits", "7"), ("visits", #"{"$numberLong":"-9223372036854775808"}"#), ("notes", #""two\nlines 😀""#),
            ("colours", #"["red","red",""]"#), ("colours", "[]"),
            ("things", #"[null,1,[2],{"a":[3]},{"$oid":"00112233445566778899aabb"}]"#),
            ("pots", #"[{"size":1,"marks":[],"inner":null},{"size":2,"marks":["x"],"inner":null}]"#),
            ("beds", #"[{"$ref":"Bed","$id":"a"},{"$ref":"Bed","$id":"b"}]"#), ("labels", #"["a","b"]"#),
            ("ratings", #"{"":0,"a":1}"#), ("ratings", #"{"$map":{"$a":1}}"#),
            ("loose", #"{"a":[1,{"b":2}],"c":null}"#),
            ("named", #"{"big":{"size":9,"marks":[],"inner":null},"none":null}"#),
        ])
    func exact(_ property: String, _ json: String) async throws {
        #expect(try await readBack(property, json) == json)
    }

    @Test(
        "other forms are taken too, and read in the one form",
        arguments: [
            ("weight", "1", "1.0"), ("weight", "1E2", "100.0"), ("visits", #"{"$numberLong":"5"}"#, "5"),
            ("sown", #"{"$date":"2026-11-27T19:59:49+01:00"}"#, #"{"$date":"2026-11-27T18:59:49Z"}"#),
            ("sown", #"{"$date":{"$numberLong":"-1"}}"#, #"{"$date":"1969-12-31T23:59:59.999Z"}"#),
            ("tag", #"{"$oid":"00112233445566778899AABB"}"#, #"{"$oid":"00112233445566778899aabb"}"#),
            ("seed", #"{"$binary":{"base64":"AA=="}}"#, #"{"$binary":{"base64":"AA==","subType":"00"}}"#),
            ("labels", #"["b","a","b"]"#, #"["a","b"]"#), ("any", "1e2", #"{"$numberDouble":"100.0"}"#),
        ])
    func other(_ property: String, _ json: String, _ read: String) async throws {
        #expect(try await readBack(property, json) == read)
    }

    @Test(
        "what does not fit the type is refused, and nothing is written",
        arguments: [
            ("name", "1"), ("name", "null"), ("isWet", "1"), ("isWet", #""true""#), ("height", "1e39"),
            ("weight", "1e400"),
            ("weight", #""1""#), ("weight", #"{"$numberDouble":"0x1p4"}"#), ("visits", "1.0"), ("visits", "1e2"),
            ("visits", "9223372036854775808"), ("visits", "null"), ("price", "1.5"),
            ("price", #"{"$numberDecimal":"x"}"#), ("price", #"{"$numberDecimal":"-1e7000"}"#),
            ("seed", #"{"$binary":{"base64":"A"}}"#), ("seed", #"{"$binary":{"base64":"AB=="}}"#), ("seed", #""AA==""#),
            ("sown", #"{"$date":"2026-02-29T00:00:00Z"}"#), ("sown", #"{"$date":"2026-01-01"}"#),
            ("sown", #"{"$date":{"seconds":1,"nanoseconds":-1}}"#),
            ("sown", #"{"$date":{"seconds":1,"nanoseconds":{"$numberLong":"-9223372036854775808"}}}"#),
            ("tag", #"{"$oid":"0011"}"#), ("code", #"{"$uuid":"6ba7b8109dad11d180b400c04fd430c8"}"#),
            ("any", #"{"$unknown":1}"#), ("any", "9223372036854775808"),
            ("any", #"{"$oid":"00112233445566778899aabb","a":1}"#),
            ("bed", #""north""#), ("bed", #"{"$ref":"Plant","$id":1}"#), ("bed", #"{"$ref":"Bed","$id":1}"#),
            ("any", #"{"$ref":"Pot","$id":1}"#), ("pot", "[]"), ("pot", #"{"siz":1}"#), ("colours", #"["a",1]"#),
            ("colours", "null"), ("colours", #"[null]"#), ("labels", "{}"), ("ratings", #"{"a":"b"}"#),
            ("notes", "null"),
            ("things", "1"), ("nam", #""typing error""#),
        ])
    func refused(_ property: String, _ json: String) async throws {
        let bench = try APIBench()
        let reply = try await bench.call("POST", "objects/Plant", #"{"_id": 1, "\#(property)": \#(json)}"#)
        #expect((400...422).contains(reply.status), "\(reply.text)")
        #expect(reply.json["message"]?.string?.isEmpty == false)
        #expect(try await bench.call("GET", "objects/Plant/1").status == 404)
    }

    @Test("primary keys of every type name objects in paths")
    func keys() async throws {
        let bench = try APIBench()
        for (name, key, path) in [
            ("Plant", "-5", "-5"), ("Plant", #"{"$numberLong":"9223372036854775807"}"#, "9223372036854775807"),
            ("Bed", #""a/b é ?""#, "a%2Fb%20%C3%A9%20%3F"),
            ("Ticket", #"{"$oid":"00112233445566778899aabb"}"#, "00112233445566778899aabb"),
            ("Pass", #"{"$uuid":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}"#, "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
        ] {
            let created = try await bench.call("POST", "objects/\(name)", #"{"_id": \#(key)}"#)
            #expect(created.status == 201, "\(created.text)")
            let read = try await bench.call("GET", "objects/\(name)/\(path)")
            #expect(read.text.hasPrefix(#"{"_id":\#(key),"#), "\(read.text)")
        }
    }

    @Test("the server makes ObjectIds and UUIDs, and no other keys")
    func madeKeys() async throws {
        let bench = try APIBench()
        #expect(try await bench.call("POST", "objects/Ticket", "{}").json["key"]?["$oid"]?.string?.utf8.count == 24)
        let made = try await bench.call("POST", "objects/Pass", "{}").json["key"]?["$uuid"]?.string
        let uuid = try #require(made)
        #expect(Array(uuid)[14] == "4" && "89ab".contains(Array(uuid)[19]))
        #expect(try await bench.call("POST", "objects/Plant", "{}").code == "valueInvalid")
    }
}
