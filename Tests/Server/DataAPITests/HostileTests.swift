import CausewayModel
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import Testing

@testable import CausewayDataAPI

@Suite("Requests that want to harm")
struct HostileTests {
    private func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(Unicode.Scalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }.joined()
    }

    @Test("queries of thousands of terms, deep and long ones are refused")
    func queries() async throws {
        let bench = try APIBench()
        let terms = Array(repeating: "name == 'a'", count: 5_000).joined(separator: " OR ")
        let deep = String(repeating: "(", count: 30_000) + "TRUEPREDICATE" + String(repeating: ")", count: 30_000)
        let long = "name == '" + String(repeating: "a", count: 70_000) + "'"
        for query in [terms, deep, long] {
            let reply = try await bench.call("GET", "objects/Plant?where=\(escaped(query))")
            #expect(reply.code == "queryInvalid" && reply.text.utf8.count < 4_000)
        }
    }

    @Test("bodies that nest, repeat or lie are refused, whatever they pretend to be")
    func bodies() async throws {
        let bench = try APIBench()
        let nested = String(repeating: "[", count: 120) + String(repeating: "]", count: 120)
        for value in [
            String(repeating: "[", count: 500_000), #"{"a":"# + String(repeating: #"{"a":"#, count: 100_000), nested,
            String(repeating: "9", count: 1_000), "1e999999999", "-", "\"\\ud800\"",
            "[" + String(repeating: "1,", count: 300_000) + "1]",
        ] {
            let reply = try await bench.call("POST", "objects/Plant", #"{"_id": 1, "any": \#(value)}"#)
            #expect([400, 413].contains(reply.status), "\(reply.text.prefix(200))")
        }
        let bytes: [UInt8] = Array(#"{"_id": 1, "name": ""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)
        #expect(try await bench.call("POST", "objects/Plant", bytes: bytes).code == "requestInvalid")
        #expect(try await bench.call("GET", "objects/Plant").objects.isEmpty)
    }

    @Test("bodies are bounded, and requests without one take none")
    func sizes() async throws {
        let bench = try APIBench()
        let large = [UInt8](repeating: 0x20, count: APILimits().bodyBytes + 1)
        #expect(try await bench.call("POST", "objects/Plant", bytes: large).status == 413)
        #expect(try await bench.call("GET", "objects/Plant", "{}").status == 413)
        let operations = Array(repeating: #"{"delete":"Bed","key":"a"}"#, count: 1_001).joined(separator: ",")
        #expect(
            try await bench.call("POST", "transaction", #"{"operations":[\#(operations)]}"#).code == "requestInvalid")
    }

    @Test("a scan that takes too long is cut where it can go on, and refused where it cannot")
    func scans() async throws {
        let bench = try APIBench()
        try await bench.fill(0..<3_000)
        let number = try #require(try bench.store.snapshot().classNumber("Plant"))
        // The time of every step is over when it begins.
        let over = StepEnd { true }
        func scan(isCounting: Bool) throws -> PageScan {
            let snapshot = try bench.store.snapshot()
            let query = try SingleQuery(nil, of: number, in: snapshot, under: nil)
            let scan = PageScan(snapshot, query, order: SortOrder(), after: nil, limit: 10, isCounting: isCounting)
            while !(try scan.step(until: over)) {}
            return scan
        }
        let cut = try scan(isCounting: false)
        #expect(cut.isCut && cut.found.isEmpty && cut.cutPosition.row.rawValue == -1)
        #expect(throws: APIError.self) { try scan(isCounting: true) }
    }

    @Test("one user's requests do not take all places")
    func places() async throws {
        var limits = APILimits()
        limits.requestsOfUser = 1
        limits.requests = 2
        let bench = try APIBench(limits: limits)
        try await bench.fill(0..<2_000)
        let replies = try await withThrowingTaskGroup(of: APIBench.Reply.self) { group in
            for _ in 0..<20 { group.addTask { try await bench.call("GET", "objects/Plant?limit=1000") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(
            replies.allSatisfy { $0.status == 200 || $0.code == "tooManyRequests" && $0.header("retry-after") != nil })
        #expect(replies.contains { $0.status == 429 })
        // Every place is given back.
        #expect(try await bench.call("GET", "objects/Plant").status == 200)
    }

    @Test("keys that are too long, and names with other bytes, harm nothing")
    func names() async throws {
        let bench = try APIBench()
        let long = String(repeating: "k", count: 500)
        #expect(try await bench.call("POST", "objects/Bed", #"{"_id": "\#(long)"}"#).code == "operationInvalid")
        #expect(try await bench.call("GET", "objects/Bed/\(long)").code == "objectUnknown")
        #expect(try await bench.call("GET", "objects/\(long)").code == "classUnknown")
        #expect(try await bench.call("PATCH", "objects/Bed/a", #"{"\#(long)": 1}"#).status == 404)
    }
}
