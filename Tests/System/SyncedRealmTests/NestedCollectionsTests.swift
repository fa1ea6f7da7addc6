import Causeway
import Foundation
import Testing

@Suite("Collections in mixed values, synced", .serialized)
@MainActor
struct SyncedNestedTests {
    @Test(
        "two devices that were cut off and edited one nested collection hold both edits; a replacement wins over them")
    func nestedCollections() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = { $0.append(QuerySubscription<Chore>()) }
        let a = try Realm(configuration: try await bench.configuration("a", initial: all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try a.write {
            let details: [String: Any] = ["tags": ["old", ["deep": 1]] as [Any], "count": 1]
            a.create(Chore.self, value: ["id": 1, "details": details, "notes": [["x"]]] as [String: Any])
        }
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        let (here, there) = (
            try #require(a.object(ofType: Chore.self, forPrimaryKey: 1)),
            try #require(b.object(ofType: Chore.self, forPrimaryKey: 1))
        )
        let tags = try #require(there.details.dictionaryValue?["tags"]?.listValue)
        #expect(tags[1].dictionaryValue?["deep"] == .int(1))

        bench.cutOff("a", "b")
        try a.write {
            here.details.dictionaryValue?["tags"]?.listValue?.append(.string("a"))
            here.details.dictionaryValue?["tags"]?.listValue?[1].dictionaryValue?["wide"] = .fromArray([.int(2)])
            here.notes[0].listValue?.append(.string("lost"))
        }
        try b.write {
            tags.insert(.string("b"), at: 0)
            tags[2].dictionaryValue?["deep"] = .int(3)
            there.details.dictionaryValue?["count"] = nil
            there.notes[0] = .fromDictionary(["now": .string("b")])
        }
        try await bench.rejoin(["a": a, "b": b])
        for chore in [here, there] {
            let map = try #require(chore.details.dictionaryValue)
            #expect(map.keys == ["tags"])
            let list = try #require(map["tags"]?.listValue)
            #expect([list[0], list[1], list[3]] == [.string("b"), .string("old"), .string("a")])
            #expect(list[2].dictionaryValue?["deep"] == .int(3))
            #expect(list[2].dictionaryValue?["wide"]?.listValue?.first == .int(2))
            #expect(chore.notes.count == 1)
            #expect(chore.notes[0].dictionaryValue?["now"] == .string("b"))
        }
        #expect(!tags.isInvalidated)

        // What leaves the view takes its collections with it, and what comes back brings them.
        let subscriptions = b.subscriptions
        try await subscriptions.update { subscriptions.removeAll() }
        b.refresh()
        #expect(b.isEmpty)
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Chore>(name: "b", where: "details['tags'][0] == 'b'"))
        }
        b.refresh()
        #expect(b.objects(Chore.self).first?.details.dictionaryValue?["tags"]?.listValue?.count == 4)
        try a.write { here.details.dictionaryValue?["tags"]?.listValue?.remove(at: 0) }
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        #expect(b.isEmpty)
        await bench.end()
    }
}
