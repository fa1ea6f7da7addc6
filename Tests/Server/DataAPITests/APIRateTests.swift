import CausewayLimits
import CausewaySession
import CausewayStoreEmbedded
import Testing

@testable import CausewayDataAPI

@Suite("Rates of back ends")
struct APIRateTests {
    private let bed = #"{"_id": "north", "sun": 3}"#

    private func refused(_ reply: APIBench.Reply, _ limit: Limit) {
        #expect(reply.status == 429 && reply.code == "tooManyRequests", "\(reply.text)")
        #expect(reply.header("retry-after").flatMap { Int($0) } ?? 0 >= 1)
        #expect(reply.text.contains("limits.\(limit.rawValue)"), "\(reply.text)")
    }

    @Test("requests: a user over the rate is told to wait, and another one is answered")
    func requests() async throws {
        let bench = try APIBench(rates: Rates(amounts: [.requestsPerSecondOfUser: 1], burstSeconds: 2))
        for _ in 0..<2 { #expect(try await bench.call("GET", "schema").status == 200) }
        refused(try await bench.call("GET", "schema"), .requestsPerSecondOfUser)
        #expect(try await bench.call("GET", "schema", as: "bob").status == 200)
    }

    @Test("writes are charged as a device's, and reading goes on")
    func writes() async throws {
        let bench = try APIBench(rates: Rates(amounts: [.operationsPerSecondOfUser: 1], burstSeconds: 1))
        #expect(try await bench.call("POST", "objects/Bed", bed).status == 201)
        refused(try await bench.call("PATCH", "objects/Bed/north", #"{"sun": 4}"#), .operationsPerSecondOfUser)
        #expect(try await bench.call("GET", "objects/Bed/north").status == 200)
        #expect(try await bench.call("PATCH", "objects/Bed/north", #"{"sun": 5}"#, as: "bob").status == 200)
    }

    @Test("creates over the objects of a user: 507 with a time, and deletes make room")
    func objectsOfUser() async throws {
        let bench = try APIBench()
        bench.store.take(StoreEmbedded.Options(objectsOfUserMax: 1))
        #expect(try await bench.call("POST", "objects/Bed", bed).status == 201)
        let south = #"{"_id": "south", "sun": 1}"#
        let refused = try await bench.call("POST", "objects/Bed", south)
        #expect(refused.status == 507 && refused.code == "serverOutOfSpace", "\(refused.text)")
        #expect(refused.header("retry-after") == "300")
        #expect(refused.text.contains("limits.objectsOfUser"), "\(refused.text)")
        #expect(bench.events.met.map(\.limit) == [.objectsOfUser] && bench.events.met.first?.subject == "ann")
        #expect(try await bench.call("PATCH", "objects/Bed/north", #"{"sun": 5}"#).status == 200)
        #expect(try await bench.call("POST", "objects/Bed", south, as: "bob").status == 201)
        #expect(try await bench.call("DELETE", "objects/Bed/north").status == 200)
        #expect(try await bench.call("POST", "objects/Bed", bed).status == 201)
        #expect(try bench.store.objects(of: "ann") == 1)
    }

    @Test("a full database: 507 with a time, and the limit is counted")
    func full() async throws {
        let bench = try APIBench()
        bench.store.take(StoreEmbedded.Options(storageBytesMax: 1))
        let refused = try await bench.call("POST", "objects/Bed", bed)
        #expect(refused.status == 507 && refused.header("retry-after") == "300")
        #expect(bench.events.met.map(\.limit) == [.storageMegabytes])
    }

    @Test("reading is charged by its time")
    func reading() async throws {
        let bench = try APIBench(rates: Rates(amounts: [.readMillisecondsPerSecondOfUser: 1], burstSeconds: 1))
        bench.conversations.rates.charge(.init(.readMillisecondsPerSecondOfUser, of: "ann", 5_000_000))
        refused(try await bench.call("GET", "objects/Bed"), .readMillisecondsPerSecondOfUser)
        #expect(try await bench.call("GET", "objects/Bed", as: "bob").status == 200)
    }
}
