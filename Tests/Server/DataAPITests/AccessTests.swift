import CausewayJSON
import CausewayDataAPI
import CausewayHTTP
import CausewayStore
import Testing

@Suite("What a caller may read and write")
struct AccessTests {
    /// Plants up to number 5 can be read, their price and pot only up to 3, and written up to 4.
    private func bench() async throws -> APIBench {
        let bench = try APIBench()
        for id in 0..<10 {
            try await bench.call(
                "POST", "objects/Plant",
                #"{"_id": \#(id), "name": "n\#(id)", "price": {"$numberDecimal": "\#(id)"}, "pot": {"size": \#(id)}}"#)
        }
        bench.rules.value = AccessRules(
            byClass: [
                "Plant": AccessRules.OfClass(
                    read: try APIBench.rule("_id <= 5"), create: try APIBench.rule("_id <= 4"),
                    write: try APIBench.rule("_id <= 4"), delete: .never,
                    properties: [
                        "price": .init(read: try APIBench.rule("_id <= 3"), write: .never),
                        "pot": .init(read: try APIBench.rule("_id <= 3")), "nick": .init(read: .never),
                    ])
            ])
        return bench
    }

    @Test("objects and properties that may not be read are left out")
    func reading() async throws {
        let bench = try await bench()
        let page = try await bench.call("GET", "objects/Plant?count=true")
        #expect(page.objects.compactMap { $0["_id"]?.int } == [0, 1, 2, 3, 4, 5] && page.json["count"]?.int == 6)
        for object in page.objects {
            let isOpen = try #require(object["_id"]?.int) <= 3
            #expect((object["price"] != nil) == isOpen && (object["pot"] != nil) == isOpen && object["nick"] == nil)
        }
        let single = try await bench.call("GET", "objects/Plant/5")
        #expect(single.json["name"] == .string("n5") && single.json["price"] == nil && !single.text.contains("size"))
        #expect(try await bench.call("GET", "objects/Plant/5?fields=price").text == #"{"_id":5}"#)
        #expect(try await bench.call("GET", "objects/Plant/6").code == "objectUnknown")
    }

    @Test("no query and no order reveals what may not be read")
    func querying() async throws {
        let bench = try await bench()
        func found(_ query: String) async throws -> [Int64] {
            try await bench.call("GET", "objects/Plant?\(query)").objects.compactMap { $0["_id"]?.int }
        }
        #expect(try await found("where=_id%20%3E%204") == [5])
        #expect(try await found("where=price%20%3E%3D%200") == [0, 1, 2, 3])
        #expect(try await found("where=pot.size%20%3E%202") == [3])
        #expect(try await found("where=NOT%20price%20%3D%3D%201") == [0, 2, 3])
        #expect(try await found("sort=-price") == [3, 2, 1, 0])
        #expect(try await bench.call("GET", "objects/Plant?where=nick%20%3D%3D%20nil").code == "queryInvalid")
        #expect(try await bench.call("GET", "objects/Plant?sort=nick").code == "queryInvalid")
    }

    @Test("a write that is not permitted is refused as a whole, with its reasons")
    func writing() async throws {
        let bench = try await bench()
        #expect(try await bench.call("PATCH", "objects/Plant/4", #"{"name": "x"}"#).status == 200)
        let refused = try await bench.call("PATCH", "objects/Plant/5", #"{"name": "x"}"#)
        #expect(refused.status == 403 && refused.code == "permissionDenied", "\(refused.text)")
        #expect(refused.json["refusals"]?.elements?.first?["code"] == .string("permissionDenied"))
        #expect(try await bench.call("DELETE", "objects/Plant/1").status == 403)
        #expect(try await bench.call("POST", "objects/Plant", #"{"_id": 20}"#).status == 403)
        let price = #"{"name": "y", "price": {"$numberDecimal": "9"}}"#
        #expect(try await bench.call("PATCH", "objects/Plant/1", price).status == 403)
        #expect(try await bench.call("GET", "objects/Plant/1").json["name"] == .string("n1"))
        let body = #"""
            {"operations": [{"patch": "Plant", "key": 1, "object": {"name": "a"}},
              {"patch": "Plant", "key": 5, "object": {"name": "b"}}, {"patch": "Plant", "key": 2, "object": {"name": "c"}}]}
            """#
        let transaction = try await bench.call("POST", "transaction", body)
        #expect(transaction.status == 403 && transaction.json["operation"]?.int == 1, "\(transaction.text)")
        #expect(transaction.json["refusals"]?.elements?.map { $0["operation"]?.int } == [1])
        #expect(try await bench.call("GET", "objects/Plant/1").json["name"] == .string("n1"))
    }

    @Test("an object that may not be read is answered as one that does not exist")
    func hidden() async throws {
        let bench = try await bench()
        for (method, body) in [("GET", nil), ("PATCH", #"{"name": "x"}"#), ("DELETE", nil)] as [(String, String?)] {
            let hidden = try await bench.call(method, "objects/Plant/8", body)
            let absent = try await bench.call(method, "objects/Plant/88", body)
            #expect(hidden.status == 404 && hidden.text == absent.text)
        }
        for method in ["POST", "PUT"] {
            let path = method == "POST" ? "objects/Plant" : "objects/Plant/"
            let hidden = try await bench.call(method, path + (method == "PUT" ? "8" : ""), #"{"_id": 8}"#)
            let absent = try await bench.call(method, path + (method == "PUT" ? "88" : ""), #"{"_id": 88}"#)
            #expect(hidden.status == 403 && hidden.text == absent.text, "\(hidden.text) \(absent.text)")
        }
    }

    @Test("a put leaves what may not be read as it was")
    func put() async throws {
        let bench = try await bench()
        #expect(try await bench.call("PUT", "objects/Plant/4", #"{"name": "new"}"#).status == 200)
        bench.rules.value = nil
        let plant = try await bench.call("GET", "objects/Plant/4").json
        #expect(plant["name"] == .string("new") && plant["price"]?["$numberDecimal"] == .string("4"))
        #expect(plant["pot"]?["size"]?.int == 4)
    }

    /// One plant, with properties of every kind that can be written and not read.
    private func benchOfHidden() async throws -> APIBench {
        let bench = try APIBench()
        let plant = #"""
            {"_id": 1, "name": "n", "visits": 2, "notes": "abc", "colours": ["a"], "labels": ["a"], "ratings": {"a": 1},
             "pot": {"size": 1}}
            """#
        #expect(try await bench.call("POST", "objects/Plant", plant).status == 201)
        bench.rules.value = AccessRules(
            byClass: [
                "Plant": AccessRules.OfClass(
                    properties: [
                        "name": .init(read: .never), "visits": .init(read: .never), "notes": .init(read: .never),
                        "colours": .init(read: .never), "labels": .init(read: .never), "ratings": .init(read: .never),
                        "pot": .init(read: .never),
                    ])
            ])
        return bench
    }

    @Test(
        "no write depends on a value that may not be read, whether it fits the value or not",
        arguments: [
            ("notes", #""abc""#), ("notes", #""x""#), ("notes", #"{"$splice": {"at": 3, "insert": "x"}}"#),
            ("notes", #"{"$splice": {"at": 9, "insert": "x"}}"#), ("colours", #"["a"]"#), ("colours", "[]"),
            ("colours", #"{"$append": ["b"]}"#), ("colours", #"{"$removeAt": {"at": 0}}"#),
            ("colours", #"{"$removeAt": {"at": 5}}"#), ("labels", #"["a"]"#), ("labels", #"{"$add": ["a"]}"#),
            ("labels", #"{"$remove": ["b"]}"#), ("ratings", #"{"a": 1}"#), ("ratings", #"{"$put": {"b": 1}}"#),
            ("ratings", #"{"$remove": ["b"]}"#), ("pot", #"{"$patch": {"size": 2}}"#), ("pot", #"{"$patch": {}}"#),
        ])
    func hiddenValues(_ property: String, _ json: String) async throws {
        let bench = try await benchOfHidden()
        for method in ["PATCH", "PUT"] where method == "PATCH" || !json.contains("$") {
            let reply = try await bench.call(method, "objects/Plant/1", #"{"\#(property)": \#(json)}"#)
            #expect(reply.status == 403 && reply.code == "permissionDenied", "\(reply.text)")
            #expect(reply.text.contains("may not set “Plant.\(property)” of this object"), "\(reply.text)")
            #expect(reply.json["refusals"]?.elements?.first?["operation"]?.int == 0)
        }
    }

    @Test("what may not be read can be set as a whole, and counted up")
    func hiddenFields() async throws {
        let bench = try await benchOfHidden()
        let body = #"{"name": "new", "visits": {"$increment": 3}, "pot": {"size": 7}}"#
        let reply = try await bench.call("PATCH", "objects/Plant/1", body)
        #expect(reply.status == 200, "\(reply.text)")
        bench.rules.value = nil
        let plant = try await bench.call("GET", "objects/Plant/1").json
        #expect(plant["name"] == .string("new") && plant["visits"]?.int == 5 && plant["pot"]?["size"]?.int == 7)
        #expect(plant["notes"] == .string("abc"))
    }

    @Test("without a good token nothing is answered")
    func tokens() async throws {
        let bench = try APIBench()
        for token in [nil, "bad"] as [String?] {
            for (method, path) in [("GET", "objects/Plant"), ("POST", "transaction"), ("GET", "schema")] {
                let reply = try await bench.call(method, path, method == "POST" ? "{}" : nil, as: token)
                #expect(reply.status == 401 && reply.code == "tokenInvalid")
                #expect(reply.header("www-authenticate") == "Bearer")
            }
        }
    }

    @Test("who watches the server is told of each request: its outcome, what it read, and what the rules refused")
    func observed() async throws {
        let bench = try await bench()
        let before = bench.events.all.count
        try await bench.call("GET", "objects/Plant?limit=3")
        try await bench.call("GET", "objects/Plant/1", as: "bad")
        try await bench.call("PATCH", "objects/Plant/5", #"{"name": "x"}"#)
        try await bench.call("GET", "schema", "{}")
        let events = bench.events.all.dropFirst(before).map { event -> (String, APIFacts) in
            switch event {
            case .refused(let facts): ("refused", facts)
            case .answered(let facts, _): ("answered", facts)
            }
        }
        #expect(events.map(\.0) == ["answered", "refused", "answered", "refused"])
        let facts = events.map(\.1)
        #expect(facts.map(\.call) == [.listObjects, .readObject, .patchObject, .readSchema])
        #expect(facts.map(\.user) == ["ann", nil, "ann", nil])
        #expect(facts.map(\.failure?.code) == [nil, .tokenInvalid, .permissionDenied, .bodyTooLarge])
        #expect(facts[0].objectsRead == 3 && facts[0].database == APIBench.database)
        #expect(facts[2].failure?.denied.map(\.className) == ["Plant"])
        #expect(facts[2].failure?.denied.map(\.count) == [1])
    }

    @Test("what the listener refuses is answered as JSON")
    func refusals() async throws {
        let bench = try APIBench()
        for (refusal, status, code) in [
            (.targetInvalid, 400, "requestInvalid"), (.bodyTooLarge(bytesMax: 7), 413, "bodyTooLarge"),
            (.answersUnread, 503, "serverBusy"),
        ] as [(HTTPRefusal, Int, String)] {
            let answer = bench.api.answer(to: refusal, of: nil)
            guard case .whole(let bytes) = answer.body else {
                Issue.record("The answer is a stream.")
                continue
            }
            #expect(answer.status == status)
            #expect(try JSONReader.read(bytes)["code"]?.string == code)
            #expect(answer.headers.contains { $0.name == "retry-after" } == (status == 503))
        }
    }
}
