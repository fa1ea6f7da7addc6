import Causeway
import Testing

/// A list that is long enough to be told by what happened to it.
final class Playlist: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var lengths: List<Int>
    @Persisted var ratings: Map<String, Int>
}

@Suite("Large collections on devices joined by a server's core", .serialized)
@MainActor
struct LargeCollectionTests {
    private func open(_ bench: Bench, _ device: String) async throws -> Realm {
        var configuration = try await bench.configuration(device) { $0.append(QuerySubscription<Playlist>()) }
        configuration.objectTypes = [Playlist.self]
        return try Realm(configuration: configuration)
    }

    @Test("an observer of a long list hears exactly what another device did to it")
    func observed() async throws {
        let bench = try Bench()
        let (a, b) = (try await open(bench, "a"), try await open(bench, "b"))
        try a.write {
            let playlist = a.create(Playlist.self, value: ["id": 1])
            playlist.lengths.append(objectsIn: (0..<1_000).map { $0 * 7_919 % 1_009 })
            for number in 0..<200 { playlist.ratings["song \(number)"] = number }
        }
        try await settle(a, b)
        let there = try #require(b.object(ofType: Playlist.self, forPrimaryKey: 1))
        var heard: [[Int]] = []
        let token = there.lengths.observe { change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                heard += [deletions, insertions, modifications]
            }
        }
        var keys: [[String]] = []
        let other = there.ratings.observe { change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                keys += [deletions, insertions, modifications]
            }
        }
        b.refresh()
        let here = try #require(a.object(ofType: Playlist.self, forPrimaryKey: 1))
        try a.write {
            here.lengths.insert(-1, at: 500)
            here.lengths.remove(at: 10)
            here.ratings["song 7"] = -7
            here.ratings["song 8"] = nil
            here.ratings["another"] = 1
        }
        try await settle(a, b)
        #expect(heard == [[10], [499], []], "\(heard)")
        #expect(keys == [["song 8"], ["another"], ["song 7"]], "\(keys)")
        #expect(Array(there.lengths) == Array(here.lengths) && there.ratings.count == 200)
        token.invalidate()
        other.invalidate()
        await bench.end()
    }
}
