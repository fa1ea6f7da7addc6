import CausewayJSON
import CausewayDataAPI
import CausewayModel
import Testing

@Suite("Reading objects")
struct ReadTests {
    private func bench(_ count: Int) async throws -> APIBench {
        let bench = try APIBench()
        try await bench.fill(0..<count)
        return bench
    }

    /// All pages of a list, as the numbers of their plants.
    private func pages(
        _ bench: APIBench, _ query: String, between: (Int) async throws -> Void = { _ in }
    ) async throws -> [[Int64]] {
        var pages: [[Int64]] = []
        var after = ""
        while true {
            let page = try await bench.call("GET", "objects/Plant?fields=_id&\(query)\(after)")
            #expect(page.status == 200, "\(page.text)")
            pages.append(page.objects.compactMap { $0["_id"]?.int })
            guard let next = page.json["next"]?.string else { return pages }
            after = "&after=\(next)"
            try await between(pages.count)
        }
    }

    @Test("pages follow each other without gaps and without repetitions")
    func paging() async throws {
        let bench = try await bench(25)
        #expect(try await pages(bench, "limit=10").map(\.count) == [10, 10, 5])
        #expect(try await pages(bench, "limit=10").flatMap { $0 } == Array(0..<25))
        #expect(try await pages(bench, "limit=25").map(\.count) == [25])
        #expect(try await pages(bench, "where=_id%20%3E%2020&limit=2") == [[21, 22], [23, 24]])
    }

    @Test("an order is kept across pages, with ties in the order of the rows")
    func sorted() async throws {
        let bench = try await bench(25)
        // The name is the number modulo 3.
        let expected = (0..<25).map(Int64.init).sorted { ($0 % 3, -$0) < ($1 % 3, -$1) }
        #expect(try await pages(bench, "sort=name,-_id&limit=4").flatMap { $0 } == expected)
        let ties = (0..<25).map(Int64.init).sorted { ($0 % 3, $0) < ($1 % 3, $1) }
        #expect(try await pages(bench, "sort=name&limit=7").flatMap { $0 } == ties)
        let reversed = (0..<25).map(Int64.init).sorted { (-($0 % 3), $0) < (-($1 % 3), $1) }
        #expect(try await pages(bench, "sort=-name&limit=7").flatMap { $0 } == reversed)
    }

    @Test("while others insert and delete, what stays is told once", arguments: ["limit=5", "sort=name&limit=5"])
    func insertsMeanwhile(_ query: String) async throws {
        let bench = try await bench(40)
        let found = try await pages(bench, query) { page in
            try await bench.fill(1_000 + page * 10..<1_000 + page * 10 + 3)
            try await bench.call("DELETE", "objects/Plant/\(39 - page)")
        }.flatMap { $0 }
        #expect(Set(found).count == found.count)
        let kept = Set(try await pages(bench, "limit=1000").flatMap { $0 }.filter { $0 < 1_000 })
        #expect(kept.isSubset(of: found))
    }

    @Test("a count is of the whole list")
    func count() async throws {
        let bench = try await bench(25)
        let page = try await bench.call("GET", "objects/Plant?where=_id%3C20&count=true&limit=3")
        #expect(page.json["count"]?.int == 20 && page.objects.count == 3)
        let next = try #require(page.json["next"]?.string)
        let second = try await bench.call("GET", "objects/Plant?where=_id%3C20&count=true&limit=3&after=\(next)")
        #expect(second.json["count"]?.int == 20 && second.objects.first?["_id"]?.int == 3)
    }

    @Test("a page has the version that its objects are of")
    func version() async throws {
        let bench = try await bench(1)
        let written = try await bench.call("PATCH", "objects/Plant/0", #"{"nick": "n"}"#)
        #expect(try await bench.call("GET", "objects/Plant").version == written.version)
    }

    @Test(
        "what cannot be answered is refused with its reason",
        arguments: [
            ("objects/Plant?limit=0", "requestInvalid"), ("objects/Plant?limit=-1", "requestInvalid"),
            ("objects/Plant?limit=1001", "requestInvalid"), ("objects/Plant?limit=1&limit=2", "requestInvalid"),
            ("objects/Plant?limit=99999999999999999999", "requestInvalid"), ("objects/Plant?lmit=1", "requestInvalid"),
            ("objects/Plant?count=yes", "requestInvalid"), ("objects/Plant?after=x", "requestInvalid"),
            ("objects/Plant?after=AQ", "requestInvalid"), ("objects/Plant?fields=nam", "requestInvalid"),
            ("objects/Plant?sort=colours", "requestInvalid"), ("objects/Plant?sort=bed", "requestInvalid"),
            ("objects/Plant?sort=", "requestInvalid"), ("objects/Plant?sort=name,-name", "requestInvalid"),
            ("objects/Plant?sort=_id,_id,_id,_id,_id,_id,_id,_id,_id", "requestInvalid"),
            ("objects/Plant?where=nme%3D%3D1", "queryInvalid"), ("objects/Plant?where=)", "queryInvalid"),
            ("objects/Plant?where=", "queryInvalid"), ("objects/Plant?where=bed.sun%3D%3D1", "queryInvalid"),
            ("objects/Plan", "classUnknown"), ("objects/Pot", "classUnknown"), ("objects/%23List", "classUnknown"),
            ("objects/Plant/x", "objectUnknown"), ("objects/Plant/99", "objectUnknown"), ("objects", "pathUnknown"),
            ("nothing", "pathUnknown"), ("objects/Plant/1/2", "pathUnknown"),
        ])
    func refused(_ path: String, _ code: String) async throws {
        let bench = try await bench(3)
        let reply = try await bench.call("GET", path)
        #expect(reply.code == code, "\(reply.text)")
        #expect(reply.status == APIError.Code(rawValue: code)?.status)
    }

    @Test("a wrong name is answered with the nearest one")
    func names() async throws {
        let bench = try await bench(1)
        #expect(try await bench.call("GET", "objects/Plnat").text.contains("Did you mean “Plant”?"))
        #expect(try await bench.call("PATCH", "objects/Plant/0", #"{"nmae": "x"}"#).text.contains("“name”"))
    }

    @Test("a cursor of another list is refused")
    func foreignCursor() async throws {
        let bench = try await bench(3)
        let next = try #require(try await bench.call("GET", "objects/Plant?limit=1").json["next"]?.string)
        for query in ["where=_id%3E0", "sort=name"] {
            let reply = try await bench.call("GET", "objects/Plant?limit=1&\(query)&after=\(next)")
            #expect(reply.code == "requestInvalid")
        }
    }

    @Test("a method that a path does not take is refused with those that it takes")
    func methods() async throws {
        let bench = try await bench(1)
        let reply = try await bench.call("POST", "objects/Plant/0", "{}")
        #expect(reply.status == 405 && reply.header("allow") == "GET, PATCH, PUT, DELETE")
    }

    @Test("the schema has every class and property")
    func schema() async throws {
        let bench = try APIBench()
        let classes = try await bench.call("GET", "schema").json["classes"]?.elements ?? []
        #expect(classes.compactMap { $0["name"]?.string } == ["Bed", "Pass", "Plant", "Pot", "Ticket"])
        let plant = try #require(classes.first { $0["name"] == .string("Plant") }?["properties"]?.elements)
        #expect(plant.count == APIBench.schema["Plant"]?.properties.count)
        let visits = try #require(plant.first { $0["name"] == .string("visits") })
        #expect(visits["type"] == .string("int") && visits["counter"] == .bool(true))
    }
}

extension APIBench {
    /// Creates plants of these numbers.
    func fill(_ numbers: Range<Int>) async throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 500) {
            let creates = (start..<min(start + 500, numbers.upperBound)).map {
                #"{"create": "Plant", "object": {"_id": \#($0), "name": "\#($0 % 3)"}}"#
            }
            let reply = try await call("POST", "transaction", "{\"operations\": [\(creates.joined(separator: ","))]}")
            #expect(reply.status == 200, "\(reply.text)")
        }
    }
}
