import Causeway
import CausewayIngest
import CausewaySession
import CausewayStoreEmbedded
import Foundation
import Testing

@Suite("Versions that a server lost", .serialized)
@MainActor
struct LostVersionsTests {
    @Test("a device that was ahead of it goes back with it, keeps its unsent writes, and goes on")
    func restored() async throws {
        let bench = try Bench()
        let a = try await open("a", bench)
        try a.write {
            for id in 1...200 { a.create(Chore.self, value: ["id": id, "title": "task \(id)"]) }
            a.create(Person.self, value: ["name": "ann"])
        }
        try await a.syncSession?.wait(for: .upload)
        try await a.syncSession?.wait(for: .download)
        let backup = try bench.copyServer()

        // What another device writes after the backup reaches the first, and is lost with the server.
        let b = try await open("b", bench)
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        try b.write {
            b.object(ofType: Chore.self, forPrimaryKey: 7)?.title = "lost"
            b.object(ofType: Chore.self, forPrimaryKey: 8)?.labels.insert("lost")
            b.object(ofType: Chore.self, forPrimaryKey: 9).map { b.delete($0) }
            b.create(Chore.self, value: ["id": 1_000, "title": "lost"])
        }
        try await b.syncSession?.wait(for: .upload)
        try await a.syncSession?.wait(for: .download)
        a.refresh()
        #expect(a.objects(Chore.self).count == 200)
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 7)?.title == "lost")

        bench.cutOff("a", "b")
        try a.write {
            a.object(ofType: Chore.self, forPrimaryKey: 7)?.priority = 3
            a.object(ofType: Chore.self, forPrimaryKey: 11)?.title = "pending"
            a.create(Chore.self, value: ["id": 2_000, "title": "pending"])
        }
        try await bench.restoreServer(from: backup)
        // The restored server goes past the version that the device knows.
        let c = try await open("c", bench)
        for number in 0..<5 { try await write(3_000 + number, c) }
        try await bench.rejoin(["a": a, "c": c])

        #expect(a.objects(Chore.self).count == 200 + 1 + 5)
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 7)?.title == "task 7")
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 7)?.priority == 3)
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 8)?.labels.isEmpty == true)
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 9)?.title == "task 9")
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 11)?.title == "pending")
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 1_000) == nil)
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 2_000)?.title == "pending")
        #expect(a.objects(Person.self).map(\.name) == ["ann"])
        #expect(c.objects(Chore.self).count == 200 + 1 + 5)
        #expect(c.object(ofType: Chore.self, forPrimaryKey: 7)?.priority == 3)
        // And both go on as before.
        try await write(4_000, c)
        try await bench.rejoin(["c": c, "a": a])
        #expect(a.object(ofType: Chore.self, forPrimaryKey: 4_000) != nil)
        await bench.end()
    }

    private func open(_ device: String, _ bench: Bench) async throws -> Realm {
        try Realm(
            configuration: try await bench.configuration(device) {
                $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
            })
    }

    private func write(_ id: Int, _ realm: Realm) async throws {
        try realm.write { _ = realm.create(Chore.self, value: ["id": id, "title": "new"]) }
        try await realm.syncSession?.wait(for: .upload)
    }
}
