import Causeway
import CausewayPrograms
import Testing

@Suite("One-way readings over the wire", .serialized)
@MainActor
struct OneWayTests {
    @Test("S139 readings are on the server exactly once and in no file of a device")
    func readings() async throws {
        let bench = try Bench("readings")
        defer { bench.end() }
        let (a, b) = (try await bench.device("A"), try await bench.device("B"))
        try a.writeItems(1...3)
        for batch in 0..<20 {
            try a.write {
                for id in 0..<10 { a.create(Reading.self, value: ["id": batch * 10 + id, "celsius": Double(batch)]) }
            }
        }
        try await a.uploaded()
        try await b.downloaded()
        // Each of them, not only as many: an id that came twice would hide one that is missing.
        #expect(try bench.server.count("Reading") == 200)
        for batch in [0, 7, 19] {
            #expect(try bench.server.count("Reading", where: "id >= \(batch * 10) AND id < \(batch * 10 + 10)") == 10)
            #expect(try bench.server.count("Reading", where: "celsius == \(batch)") == 10)
        }
        for device in ["A", "B"] {
            #expect(try bench.server.count("Reading", inFile: bench.file(device)) == 0)
            #expect(try bench.server.count("Item", inFile: bench.file(device)) == 3)
        }
    }
}
