import CausewayJSON
import CausewayDataAPI
import CausewayStoreEmbedded
import Testing

@Suite("Requests that are repeated")
struct IdempotencyTests {
    private let key = ["Idempotency-Key": "k-1"]

    @Test("a request with a key takes effect once, and is answered the same")
    func once() async throws {
        let bench = try APIBench()
        try await bench.call("POST", "objects/Plant", #"{"_id": 1}"#)
        let body = #"{"visits": {"$increment": 1}}"#
        let first = try await bench.call("PATCH", "objects/Plant/1", body, as: "ann", key)
        let second = try await bench.call("PATCH", "objects/Plant/1", body, as: "ann", key)
        #expect(first.status == 200 && first.text == second.text)
        #expect(try await bench.call("GET", "objects/Plant/1").json["visits"] == .number("1"))
        // Another user's key is another key.
        #expect(try await bench.call("PATCH", "objects/Plant/1", body, as: "bob", key).text != first.text)
        #expect(try await bench.call("GET", "objects/Plant/1").json["visits"] == .number("2"))
    }

    @Test("a create that is repeated is no conflict, and keeps the key that the server made")
    func creates() async throws {
        let bench = try APIBench()
        let first = try await bench.call("POST", "objects/Ticket", #"{"row": 1}"#, as: "ann", key)
        let second = try await bench.call("POST", "objects/Ticket", #"{"row": 1}"#, as: "ann", key)
        #expect(first.status == 201 && first.text == second.text && second.status == 201)
        #expect(try await bench.call("GET", "objects/Ticket?count=true").json["count"]?.int == 1)
    }

    @Test("a kill between the commit and the answer loses nothing and doubles nothing")
    func restart() async throws {
        let bench = try APIBench()
        try await bench.call("POST", "objects/Plant", #"{"_id": 1}"#)
        let body = #"{"operations": [{"patch": "Plant", "key": 1, "object": {"visits": {"$increment": 1}}}]}"#
        // The answer is dropped, as when the server is killed before it is sent.
        let lost = try await bench.call("POST", "transaction", body, as: "ann", key)
        let restarted = try bench.restarted()
        let repeated = try await restarted.call("POST", "transaction", body, as: "ann", key)
        #expect(repeated.status == 200 && repeated.text == lost.text)
        #expect(try await restarted.call("GET", "objects/Plant/1").json["visits"] == .number("1"))
    }

    @Test("a request that finds everything as it asks for is answered the same when it is repeated")
    func nothing() async throws {
        let bench = try APIBench()
        try await bench.call("POST", "objects/Plant", #"{"_id": 1, "nick": "a"}"#)
        let body = #"{"nick": "a"}"#
        let first = try await bench.call("PATCH", "objects/Plant/1", body, as: "ann", key)
        try await bench.call("PATCH", "objects/Plant/1", #"{"nick": "b"}"#)
        let second = try await bench.call("PATCH", "objects/Plant/1", body, as: "ann", key)
        #expect(first.status == 200 && first.text == second.text)
        #expect(try await bench.call("GET", "objects/Plant/1").json["nick"] == .string("b"))
        #expect(try await bench.call("PATCH", "objects/Plant/1", "{}", as: "ann", key).code == "idempotencyKeyReused")
    }

    @Test("a key that was used for another request is refused")
    func reused() async throws {
        let bench = try APIBench()
        try await bench.call("POST", "objects/Plant", #"{"_id": 1}"#, as: "ann", key)
        let reply = try await bench.call("POST", "objects/Plant", #"{"_id": 2}"#, as: "ann", key)
        #expect(reply.status == 422 && reply.code == "idempotencyKeyReused")
        #expect(try await bench.call("GET", "objects/Plant/2").status == 404)
    }

    @Test("a refused request leaves no trace of its key")
    func refused() async throws {
        let bench = try APIBench()
        #expect(try await bench.call("PATCH", "objects/Plant/1", "{}", as: "ann", key).status == 404)
        try await bench.call("POST", "objects/Plant", #"{"_id": 1}"#)
        let reply = try await bench.call("PATCH", "objects/Plant/1", #"{"nick": "a"}"#, as: "ann", key)
        #expect(reply.status == 200, "\(reply.text)")
    }

    @Test("the same request at the same time takes effect once")
    func concurrent() async throws {
        let bench = try APIBench()
        try await bench.call("POST", "objects/Plant", #"{"_id": 1}"#)
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await bench.call(
                        "PATCH", "objects/Plant/1", #"{"visits": {"$increment": 1}}"#, as: "ann",
                        ["Idempotency-Key": "k-2"]
                    ).text
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts.count == 1)
        #expect(try await bench.call("GET", "objects/Plant/1").json["visits"] == .number("1"))
    }

    @Test("keys are short and printable", arguments: ["", " ", "a b", "ä", String(repeating: "k", count: 129)])
    func keys(_ key: String) async throws {
        let bench = try APIBench()
        let reply = try await bench.call("POST", "objects/Ticket", "{}", as: "ann", ["Idempotency-Key": key])
        #expect(reply.code == "requestInvalid")
    }
}
