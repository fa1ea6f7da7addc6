import Causeway
import CausewayStoreEmbedded
import Foundation
import Synchronization
import Testing

@Suite("A server that was restored from an older copy", .serialized)
@MainActor
struct RestoredServerTests {
    private nonisolated static let all: @Sendable (SyncSubscriptionSet) -> Void = {
        $0.append(QuerySubscription<Chore>(), QuerySubscription<Person>())
    }

    /// Everything that can be seen of all chores and persons.
    private func picture(_ realm: Realm) -> [String] {
        let chores = realm.objects(Chore.self).map { chore in
            "\(chore.id) \(chore.title) \(chore.priority) \(chore.owner?.name ?? "-") \(Array(chore.helpers.map(\.name))) "
                + "\(Array(chore.labels)) \(chore.hours.map { "\($0.key)=\($0.value)" }.sorted()) \(chore.story.string)"
        }
        return (chores + realm.objects(Person.self).map { "\($0.name) \($0.age)" }).sorted()
    }

    @Test("gets back what devices had been acknowledged, once, and everybody ends with the same")
    func refill() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        try a.write {
            let ann = a.create(Person.self, value: ["name": "ann", "age": 30])
            let chore = a.create(Chore.self, value: ["id": 1, "title": "sweep", "owner": ann])
            chore.helpers.append(ann)
            chore.story.append("once")
            _ = a.create(Chore.self, value: ["id": 2, "title": "wash"])
        }
        try await settle(a, b)
        let copy = try bench.copyServer()

        try a.write {
            let chore = try #require(a.object(ofType: Chore.self, forPrimaryKey: 1))
            chore.title = "sweep twice"
            chore.helpers.append(a.create(Person.self, value: ["name": "cid"]))
            chore.labels.insert("home")
            chore.story.append(" more")
            a.delete(try #require(a.object(ofType: Chore.self, forPrimaryKey: 2)))
            _ = a.create(Chore.self, value: ["id": 3, "title": "cook", "priority": 3])
        }
        try b.write {
            b.object(ofType: Chore.self, forPrimaryKey: 1)?.hours["monday"] = 2
            b.object(ofType: Person.self, forPrimaryKey: "ann")?.age = 31
        }
        try await settle(a, b)
        try await settle(a, b)
        let before = picture(a)
        #expect(before == picture(b) && before.count == 4)

        bench.cutOff("a", "b")
        try b.write { b.object(ofType: Chore.self, forPrimaryKey: 1)?.priority = 8 }
        try await bench.restoreServer(from: copy)
        let c = try Realm(configuration: try await bench.configuration("c", initial: Self.all))
        try await settle(c)
        #expect(c.object(ofType: Chore.self, forPrimaryKey: 1)?.title == "sweep")
        // Nothing that the app sees goes while the server is filled.
        try await bench.rejoin(["a": a, "b": b])
        try await settle(a, b, c)
        try await settle(a, b, c)
        let expected = before.map { $0.replacingOccurrences(of: "sweep twice 0", with: "sweep twice 8") }
        for realm in [a, b, c] { #expect(picture(realm) == expected) }
        #expect(a.unsyncedChanges.isEmpty && b.unsyncedChanges.isEmpty)

        // The lanes go on, and a further restore finds what was sent again kept again.
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 3)?.priority = 4 }
        try await settle(a, b, c)
        bench.cutOff("a", "b", "c")
        try await bench.restoreServer(from: copy)
        try await bench.rejoin(["a": a, "b": b, "c": c])
        try await settle(a, b, c)
        try await settle(a, b, c)
        for realm in [a, b, c] {
            #expect(realm.object(ofType: Chore.self, forPrimaryKey: 3)?.priority == 4)
            #expect(picture(realm) == picture(a))
        }
        await bench.end()
    }

    @Test("that was gone past its old version meanwhile is noticed by those who wrote")
    func goneOn() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        try a.write { _ = a.create(Chore.self, value: ["id": 1, "title": "sweep"]) }
        try await settle(a)
        let copy = try bench.copyServer()
        try a.write { a.object(ofType: Chore.self, forPrimaryKey: 1)?.title = "sweep twice" }
        try await settle(a)
        bench.cutOff("a")
        try await bench.restoreServer(from: copy)
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        for id in 10..<20 {
            try b.write { _ = b.create(Chore.self, value: ["id": id, "title": "new"]) }
            try await settle(b)
        }
        try b.write { b.object(ofType: Chore.self, forPrimaryKey: 1)?.priority = 5 }
        try await bench.rejoin(["a": a])
        try await settle(a, b)
        try await settle(a, b)
        #expect(picture(a) == picture(b) && picture(a).count == 11)
        let chore = try #require(b.object(ofType: Chore.self, forPrimaryKey: 1))
        #expect(chore.title == "sweep twice" && chore.priority == 5)
        await bench.end()
    }

    @Test("keeps a change of what it lost for its writer, and gets it when whoever made that has sent it again")
    func lostObject() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        try await settle(a, b)
        let copy = try bench.copyServer()
        try a.write { _ = a.create(Chore.self, value: ["id": 1, "title": "sweep"]) }
        try await settle(a, b)
        try b.write { b.object(ofType: Chore.self, forPrimaryKey: 1)?.priority = 6 }
        try await settle(b, a)
        bench.cutOff("a", "b")
        try await bench.restoreServer(from: copy)
        try await bench.rejoin(["b": b])
        try await settle(b)
        #expect(b.objects(Chore.self).isEmpty)
        #expect(b.unsyncedChanges.map { $0.operations.map(\.description) } == [["set Chore 1.priority to 6"]])
        #expect(b.unsyncedChanges.map(\.code) == [308])
        try await bench.rejoin(["a": a])
        try await settle(a, b)
        try await settle(a, b)
        #expect(b.objects(Chore.self).count == 1 && b.unsyncedChanges.isEmpty)
        for realm in [a, b] { #expect(realm.object(ofType: Chore.self, forPrimaryKey: 1)?.priority == 6) }
        await bench.end()
    }

    @Test("takes one-way objects from where the device is")
    func oneWay() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all))
        func write(_ id: Int) async throws {
            try a.write { a.create(Reading.self, value: ["id": id]) }
            try await a.syncSession?.wait(for: .upload)
        }
        try await write(1)
        let copy = try bench.copyServer()
        try await write(2)
        try await write(3)
        bench.cutOff("a")
        try await bench.restoreServer(from: copy)
        try await bench.rejoin(["a": a])
        try await write(4)
        #expect(try bench.store.count(of: "Reading") == 2)
        await bench.end()
    }

    @Test("is a reset to the app: its blocks get the frozen Realm before and the live one after, once")
    func resetBlocks() async throws {
        let bench = try Bench()
        let calls = Mutex<[String]>([])
        let titles: @Sendable (Realm) -> [String] = { $0.objects(Chore.self).map(\.title).sorted() }
        let mode = ClientResetMode.recoverUnsyncedChanges(
            beforeReset: { before in
                let call = "before: \(before.isFrozen) \(titles(before))"
                calls.withLock { $0.append(call) }
            },
            afterReset: { before, after in
                let call = "after: \(before.isFrozen) \(titles(before)) \(after.isFrozen) \(titles(after))"
                calls.withLock { $0.append(call) }
            })
        let a = try Realm(configuration: try await bench.configuration("a", initial: Self.all, resetMode: mode))
        try a.write { _ = a.create(Chore.self, value: ["id": 1, "title": "sweep"]) }
        try await settle(a)
        let copy = try bench.copyServer()
        try a.write { _ = a.create(Chore.self, value: ["id": 2, "title": "wash"]) }
        try await settle(a)
        // Neither a first download nor a new session is a reset.
        bench.cutOff("a")
        try await bench.rejoin(["a": a])
        #expect(calls.withLock { $0 } == [])
        bench.cutOff("a")
        try a.write { _ = a.create(Chore.self, value: ["id": 3, "title": "cook"]) }
        try await bench.restoreServer(from: copy)
        let b = try Realm(configuration: try await bench.configuration("b", initial: Self.all))
        try b.write { _ = b.create(Chore.self, value: ["id": 4, "title": "iron"]) }
        try await settle(b)
        try await bench.rejoin(["a": a])
        try await settle(a, b)
        #expect(
            calls.withLock { $0 } == [
                #"before: true ["cook", "sweep", "wash"]"#,
                #"after: true ["cook", "sweep", "wash"] false ["cook", "iron", "sweep", "wash"]"#,
            ])
        #expect(titles(a) == titles(b) && titles(a).count == 4)
        bench.cutOff("a")
        try await bench.rejoin(["a": a])
        #expect(calls.withLock { $0.count } == 2)
        await bench.end()
    }
}
