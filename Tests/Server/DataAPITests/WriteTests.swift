import CausewayJSON
import CausewayDataAPI
import Testing

@Suite("Writing objects")
struct WriteTests {
    private let whole = #"""
        {"_id": 1, "name": "rose", "nick": "r", "visits": 5, "notes": "abc", "colours": ["a", "b", "c"],
         "labels": ["x", "y"], "ratings": {"a": 1, "b": 2}, "pot": {"size": 1, "marks": ["m"]},
         "pots": [{"size": 1}, {"size": 2}], "any": {"k": [1]}}
        """#

    private func bench() async throws -> APIBench {
        let bench = try APIBench()
        #expect(try await bench.call("POST", "objects/Plant", whole).status == 201)
        return bench
    }

    /// What a patch makes of one property.
    private func patched(_ property: String, _ edit: String) async throws -> String {
        let bench = try await bench()
        let reply = try await bench.call("PATCH", "objects/Plant/1", #"{"\#(property)": \#(edit)}"#)
        #expect(reply.status == 200, "\(reply.text)")
        let text = try await bench.call("GET", "objects/Plant/1?fields=\(property)").text
        return String(text.dropFirst(#"{"_id":1,"\#(property)":"#.utf8.count).dropLast())
    }

    @Test(
        "edits of parts",
        arguments: [
            ("visits", #"{"$increment": 3}"#, "8"), ("visits", #"{"$increment": -6}"#, "-1"), ("visits", "2", "2"),
            ("colours", #"{"$append": ["d", "e"]}"#, #"["a","b","c","d","e"]"#),
            ("colours", #"{"$insert": {"at": 0, "values": ["x", "y"]}}"#, #"["x","y","a","b","c"]"#),
            ("colours", #"{"$insert": {"at": 3, "values": ["x"]}}"#, #"["a","b","c","x"]"#),
            ("colours", #"{"$setAt": {"at": 1, "value": "B"}}"#, #"["a","B","c"]"#),
            ("colours", #"{"$removeAt": {"at": 1}}"#, #"["a","c"]"#),
            ("colours", #"{"$removeAt": {"at": 0, "count": 2}}"#, #"["c"]"#), ("colours", #"["z"]"#, #"["z"]"#),
            ("colours", "[]", "[]"), ("labels", #"{"$add": ["y", "z"]}"#, #"["x","y","z"]"#),
            ("labels", #"{"$remove": ["x", "q"]}"#, #"["y"]"#), ("labels", #"["y", "w"]"#, #"["w","y"]"#),
            ("ratings", #"{"$put": {"b": 3, "c": 4}}"#, #"{"a":1,"b":3,"c":4}"#),
            ("ratings", #"{"$remove": ["a", "q"]}"#, #"{"b":2}"#), ("ratings", #"{"z": 1}"#, #"{"z":1}"#),
            ("notes", #"{"$splice": {"at": 1, "remove": 1, "insert": "XY"}}"#, #""aXYc""#),
            ("notes", #"{"$splice": {"at": 3, "insert": "d"}}"#, #""abcd""#), ("notes", #""axc""#, #""axc""#),
            ("pot", #"{"$patch": {"size": 7}}"#, #"{"size":7,"marks":["m"],"inner":null}"#),
            ("pot", #"{"$patch": {"marks": {"$append": ["n"]}}}"#, #"{"size":1,"marks":["m","n"],"inner":null}"#),
            ("pot", #"{"size": 7}"#, #"{"size":7,"marks":[],"inner":null}"#), ("pot", "null", "null"),
            (
                "pots", #"{"$append": [{"size": 3}]}"#,
                #"[{"size":1,"marks":[],"inner":null},{"size":2,"marks":[],"inner":null},{"size":3,"marks":[],"inner":null}]"#
            ),
            (
                "pots", #"{"$setAt": {"at": 0, "value": {"size": 9}}}"#,
                #"[{"size":9,"marks":[],"inner":null},{"size":2,"marks":[],"inner":null}]"#
            ),
            ("any", #"[{"n": 1}]"#, #"[{"n":1}]"#), ("any", "3", "3"), ("nick", "null", "null"),
        ])
    func edits(_ property: String, _ edit: String, _ expected: String) async throws {
        #expect(try await patched(property, edit) == expected)
    }

    @Test(
        "edits that do not fit are refused",
        arguments: [
            ("name", #"{"$increment": 1}"#), ("visits", #"{"$increment": "1"}"#), ("visits", #"{"$append": [1]}"#),
            ("colours", #"{"$append": "a"}"#), ("colours", #"{"$append": ["a"], "$insert": []}"#),
            ("colours", #"{"$insert": {"at": 4, "values": []}}"#),
            ("colours", #"{"$insert": {"at": -1, "values": []}}"#),
            ("colours", #"{"$setAt": {"at": 3, "value": "a"}}"#), ("colours", #"{"$removeAt": {"at": 2, "count": 2}}"#),
            ("colours", #"{"$removeAt": {"at": 9223372036854775807, "count": 1}}"#),
            ("colours", #"{"$removeAt": {"at": 0, "count": -1}}"#), ("labels", #"{"$add": [1]}"#),
            ("ratings", #"{"$put": [1]}"#), ("ratings", #"{"$remove": [1]}"#), ("ratings", #"{"$other": 1}"#),
            ("notes", #"{"$splice": {"at": 4, "insert": "x"}}"#), ("notes", #"{"$splice": {"at": 0, "remove": 4}}"#),
            ("notes", #"{"$splice": {"at": 0, "more": 4}}"#), ("nick", #"{"$patch": {}}"#), ("_id", "2"),
        ])
    func badEdits(_ property: String, _ edit: String) async throws {
        let bench = try await bench()
        let reply = try await bench.call("PATCH", "objects/Plant/1", #"{"isWet": true, "\#(property)": \#(edit)}"#)
        #expect(reply.code == "valueInvalid", "\(reply.text)")
        #expect(try await bench.call("GET", "objects/Plant/1").json["isWet"] == .bool(false))
    }

    @Test("a put replaces everything, or creates")
    func put() async throws {
        let bench = try await bench()
        let replaced = try await bench.call("PUT", "objects/Plant/1", #"{"name": "tulip"}"#)
        #expect(replaced.status == 200 && replaced.json["created"] == .bool(false))
        let created = try await bench.call("PUT", "objects/Plant/2", #"{"name": "tulip"}"#)
        #expect(created.status == 201 && created.json["created"] == .bool(true))
        let first = try await bench.call("GET", "objects/Plant/1").text
        let second = try await bench.call("GET", "objects/Plant/2").text
        #expect(first.replacing("\"_id\":1", with: "\"_id\":2") == second)
    }

    @Test("a deleted object is gone, and its key is free again")
    func delete() async throws {
        let bench = try await bench()
        for _ in 0..<3 {
            #expect(try await bench.call("DELETE", "objects/Plant/1").status == 200)
            #expect(try await bench.call("GET", "objects/Plant/1").code == "objectUnknown")
            #expect(try await bench.call("DELETE", "objects/Plant/1").code == "objectUnknown")
            #expect(try await bench.call("PATCH", "objects/Plant/1", "{}").code == "objectUnknown")
            #expect(try await bench.call("POST", "objects/Plant", whole).status == 201)
            #expect(try await bench.call("POST", "objects/Plant", whole).code == "objectExists")
        }
        #expect(try await bench.call("GET", "objects/Plant/1").json["name"] == .string("rose"))
    }

    @Test("a transaction is applied as a whole or not at all")
    func transaction() async throws {
        let bench = try await bench()
        let good = #"""
            {"operations": [{"create": "Bed", "object": {"_id": "north", "sun": 3}},
              {"patch": "Plant", "key": 1, "object": {"bed": {"$ref": "Bed", "$id": "north"}}},
              {"put": "Bed", "object": {"_id": "south"}}]}
            """#
        let done = try await bench.call("POST", "transaction", good)
        #expect(done.status == 200, "\(done.text)")
        #expect(done.json["results"]?.elements?.map { $0["created"] } == [.bool(true), .bool(false), .bool(true)])
        let bad = #"""
            {"operations": [{"delete": "Bed", "key": "south"}, {"patch": "Plant", "key": 9, "object": {}}]}
            """#
        let refused = try await bench.call("POST", "transaction", bad)
        #expect(refused.code == "objectUnknown" && refused.json["operation"]?.int == 1)
        #expect(try await bench.call("GET", "objects/Bed/south").status == 200)
    }

    @Test(
        "transactions of another shape are refused",
        arguments: [
            "{}", "[]", #"{"operations": []}"#, #"{"operations": [1]}"#, #"{"operations": [{"create": "Bed"}]}"#,
            #"{"operations": [{"create": "Bed", "put": "Bed", "object": {}}]}"#,
            #"{"operations": [{"patch": "Bed", "object": {}}]}"#, #"{"operations": [], "more": 1}"#,
            #"{"operations": [{"delete": "Bed", "key": "a", "object": {}}]}"#,
            #"{"operations": [{"delete": "Bed", "key": "a"}, {"delete": "Bed", "key": "a"}]}"#,
        ])
    func misshapen(_ body: String) async throws {
        let bench = try APIBench()
        try await bench.call("POST", "objects/Bed", #"{"_id": "a"}"#)
        #expect(try await bench.call("POST", "transaction", body).code == "requestInvalid")
    }

    @Test("If-Match takes the state that the client has seen, and no other")
    func preconditions() async throws {
        let bench = try await bench()
        let tag = try #require(try await bench.call("GET", "objects/Plant/1").header("etag"))
        let first = try await bench.call("PATCH", "objects/Plant/1", #"{"nick": "a"}"#, ["If-Match": tag])
        #expect(first.status == 200, "\(first.text)")
        let second = try await bench.call("PATCH", "objects/Plant/1", #"{"nick": "b"}"#, ["If-Match": tag])
        #expect(second.code == "preconditionFailed")
        #expect(try await bench.call("PUT", "objects/Plant/7", "{}", ["If-Match": "*"]).code == "preconditionFailed")
        #expect(try await bench.call("DELETE", "objects/Plant/1", nil, ["If-Match": "*"]).status == 200)
    }

    @Test("concurrent additions all count, and of concurrent creates one succeeds")
    func concurrent() async throws {
        let bench = try await bench()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let reply = try await bench.call("PATCH", "objects/Plant/1", #"{"visits": {"$increment": 1}}"#)
                    #expect(reply.status == 200, "\(reply.text)")
                }
            }
            try await group.waitForAll()
        }
        #expect(try await bench.call("GET", "objects/Plant/1").json["visits"] == .number("25"))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { try await bench.call("POST", "objects/Bed", #"{"_id": "one"}"#).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 201 } == 1 && statuses.count { $0 == 409 } == 19)
    }

    @Test("a change guarded by If-Match is never lost to a concurrent one")
    func guarded() async throws {
        let bench = try await bench()
        try await bench.call("POST", "objects/Bed", #"{"_id": "sum", "sun": 0}"#)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<5 {
                        while true {
                            let read = try await bench.call("GET", "objects/Bed/sum")
                            let sun = try #require(read.json["sun"]?.int)
                            let tag = try #require(read.header("etag"))
                            let reply = try await bench.call(
                                "PATCH", "objects/Bed/sum", #"{"sun": \#(sun + 1)}"#, ["If-Match": tag])
                            if reply.status == 200 { break }
                            #expect(["preconditionFailed", "conflict"].contains(reply.code))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await bench.call("GET", "objects/Bed/sum").json["sun"] == .number("40"))
    }
}

extension APIBench {
    fileprivate func call(
        _ method: String, _ path: String, _ body: String? = nil, _ headers: [String: String]
    ) async throws -> Reply {
        try await call(method, path, body, as: "ann", headers)
    }
}
