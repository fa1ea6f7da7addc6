import Causeway
import CausewayPrograms
import Testing

@Suite("Realms that are let go of right after a write, over the wire", .serialized)
@MainActor
struct ReopeningTests {
    /// Writes an item to a Realm that nobody holds when this returns.
    private func write(_ id: Int, _ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.writeItems(id...id)
    }

    @Test("what was written arrives, whether the file is opened again at once, later or not at all")
    func reopened() async throws {
        let bench = try Bench("reopened")
        defer { bench.end() }
        let configuration = try await bench.configuration("A")
        for round in 1...60 {
            try write(round, configuration)
            // From not even connected to connected and done.
            if round % 3 > 0 { try await Task.sleep(for: .milliseconds(round % 3 == 1 ? 1 : round)) }
            if round % 4 > 0 { try await Realm.open(configuration: configuration).uploaded() }
        }
        // The last one was let go of and not opened again; another device waits until it is there.
        let b = try await bench.device("B")
        while b.objects(Item.self).count < 60 {
            try await Task.sleep(for: .milliseconds(20))
            try await b.downloaded()
        }
        #expect(try bench.server.count("Item") == 60)
    }
}
