import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("Whose a client id is")
struct ClientIdTests {
    private static let seeds = SeedList.drawn(for: "client-ids", count: 10)

    @Test("no stamp in the record names a client that is not registered, whatever a changeset says")
    func stamps() throws {
        var found = 0
        for seed in Self.seeds {
            let record = try Record("stamps \(seed)")
            var random = Drawing(seed: seed)
            for _ in 0..<40 {
                let client = random.pick([Record.ann, Record.bob])
                var changeset = record.changeset(client, (0..<4).map { _ in random.operation() })
                changeset.stamp = Stamp(time: changeset.stamp.time, client: ClientID(UInt64(3 + random.below(5))))
                #expect(try record.commit(client, changeset).failure == nil)
            }
            let snapshot = try record.store.snapshot()
            let dogs = try #require(snapshot.classNumber("Dog"))
            var contents: [ObjectContent] = []
            try snapshot.appendWhole(dogs, try snapshot.keys(dogs, matching: .constant(true))[...], to: &contents)
            let clients = Set(contents.flatMap { [$0.state.born.client] + $0.state.fields.map(\.stamp.client) })
            #expect(clients.isSubset(of: [Record.ann, Record.bob, Stamp.zero.client]), "seed \(seed): \(clients)")
            found += contents.count
        }
        #expect(found > 0)
    }

    @Test("a client id that any part of the record names stays its first user's, after another start too")
    func users() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1)))
        let next = try record.reopen()
        defer { next.close() }
        let failure = #expect(throws: StoreFailure.self) { try next.register(Record.ann, user: "eve") }
        #expect(failure?.code == .permissionDenied)
        #expect(try next.register(Record.ann, user: "user").committed == 1)
    }
}
