import Causeway
import Dispatch
import Foundation
import Synchronization
import Testing

class ConfinedCounter: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private actor Counting {
    private let configuration: Realm.Configuration
    private var heard: [[Int]] = []
    /// An in-memory Realm lives while somebody has it open.
    private var held: Realm?

    init(_ configuration: Realm.Configuration) {
        self.configuration = configuration
    }

    func increase() async throws -> Int {
        let realm = try await Realm(configuration: configuration, actor: self)
        held = realm
        return try await realm.asyncWrite {
            let counter =
                realm.object(ofType: ConfinedCounter.self, forPrimaryKey: 1)
                ?? realm.create(ConfinedCounter.self, value: ["id": 1])
            counter.value += 1
            return counter.value
        }
    }

    func value() async throws -> Int? {
        let realm = try await Realm.open(configuration: configuration)
        await realm.asyncRefresh()
        return realm.object(ofType: ConfinedCounter.self, forPrimaryKey: 1)?.value
    }

    func hear(_ modifications: [Int]) { heard.append(modifications) }

    var heardSoFar: [[Int]] { heard }
}

@Suite("Where a Realm may be used")
struct ConfinementTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [ConfinedCounter.self])

    @Test("opening again at the same place gives the same Realm, at another place another")
    func caching() throws {
        let first = try Realm(configuration: configuration)
        #expect(try Realm(configuration: configuration) == first)
        let queue = DispatchQueue(label: "other")
        let work = configuration
        try queue.sync {
            let other = try Realm(configuration: work, queue: queue)
            let again = try Realm(configuration: work, queue: queue)
            #expect(again == other)
            try other.write { other.create(ConfinedCounter.self, value: ["id": 5, "value": 55]) }
        }
        first.refresh()
        #expect(first.object(ofType: ConfinedCounter.self, forPrimaryKey: 5)?.value == 55)
    }

    @Test("a queue's Realm is used on whatever thread the queue runs")
    func queueOnManyThreads() throws {
        let held = try Realm(configuration: configuration)
        let queue = DispatchQueue(label: "wandering")
        nonisolated(unsafe) var counter: ConfinedCounter?
        let work = configuration
        for round in 0..<20 {
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                // Only the queue touches the object, one block at a time.
                queue.sync {
                    do {
                        let realm = try Realm(configuration: work, queue: queue)
                        try realm.write {
                            if counter == nil { counter = realm.create(ConfinedCounter.self, value: ["id": 1]) }
                            counter?.value += 1
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            queue.sync { #expect(counter?.value == (round + 1) * 4) }
        }
        queue.sync { counter = nil }
        #expect(!held.isInWriteTransaction)
    }

    @Test("actors write in turns and see each other's commits", .timeLimit(.minutes(10)))
    func actors() async throws {
        let keeper = Counting(configuration)
        #expect(try await keeper.increase() == 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let configuration = configuration
                group.addTask {
                    let actor = Counting(configuration)
                    for _ in 0..<10 { _ = try await actor.increase() }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await keeper.value() == 41)
    }

    @Test("an actor observes what others commit", .timeLimit(.minutes(10)))
    func observingOnAnActor() async throws {
        let actor = Counting(configuration)
        _ = try await actor.increase()
        let configuration = configuration
        let token = try await observe(configuration, on: actor)
        #expect(await actor.heardSoFar == [[]])
        _ = try await Counting(configuration).increase()
        while await actor.heardSoFar.count < 2 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(await actor.heardSoFar == [[], [0]])
        token.invalidate()
    }

    private func observe(
        _ configuration: Realm.Configuration, on actor: Counting
    ) async throws -> NotificationToken {
        let results = try Realm(configuration: configuration).objects(ConfinedCounter.self)
        return await results.observe(on: actor) { actor, change in
            switch change {
            case .initial: actor.hear([])
            case .update(_, _, _, let modifications): actor.hear(modifications)
            case .error: break
            }
        }
    }

    @Test("an actor observes key paths that the compiler checks", .timeLimit(.minutes(10)))
    func observingKeyPathsOnAnActor() async throws {
        let actor = Counting(configuration)
        _ = try await actor.increase()
        let configuration = configuration
        let token = try await observeKeyPaths(configuration, on: actor)
        _ = try await Counting(configuration).increase()
        while await actor.heardSoFar.count < 4 { try await Task.sleep(for: .milliseconds(2)) }
        // Two modifications of the number, and none that the key path of the id would tell.
        #expect(await actor.heardSoFar.sorted { $0.count < $1.count } == [[], [], [0], [0]])
        for token in token { token.invalidate() }
    }

    private func observeKeyPaths(
        _ configuration: Realm.Configuration, on actor: Counting
    ) async throws -> [NotificationToken] {
        let results = try Realm(configuration: configuration).objects(ConfinedCounter.self)
        let hear: @Sendable (isolated Counting, RealmCollectionChange<Results<ConfinedCounter>>) -> Void = {
            if case .update(_, _, _, let modifications) = $1 { $0.hear(modifications) } else { $0.hear([]) }
        }
        let counter = results[0]
        return [
            await results.observe(keyPaths: [\ConfinedCounter.id], on: actor, hear),
            await results.observe(keyPaths: [\ConfinedCounter.value], on: actor, hear),
            await counter.observe(keyPaths: [\.value], on: actor) { actor, change in
                if case .change(_, let properties) = change, properties.map(\.name) == ["value"] { actor.hear([0]) }
            },
        ]
    }

    @Test("writeAsync does not wait, and tells when it is done", .timeLimit(.minutes(10)))
    func writeAsync() async throws {
        let queue = DispatchQueue(label: "async")
        let configuration = configuration
        let keeper = try Realm(configuration: configuration)
        let isDone = await withCheckedContinuation { continuation in
            queue.async {
                do {
                    let realm = try Realm(configuration: configuration, queue: queue)
                    realm.writeAsync({
                        realm.create(ConfinedCounter.self, value: ["id": 9])
                    }) { error in continuation.resume(returning: error == nil) }
                } catch {
                    continuation.resume(returning: false)
                }
            }
        }
        #expect(isDone)
        _ = keeper
    }
}

@Suite("A Realm closes when nobody holds it")
struct ClosingTests {
    @Test("objects, lists, results and tokens hold it; once they are gone its file can be deleted")
    func closing() throws {
        let configuration = Realm.Configuration(
            fileURL: FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).realm"),
            objectTypes: [ConfinedCounter.self])
        try use(configuration)
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(!Realm.fileExists(for: configuration))
    }

    private func use(_ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        let counter = try realm.write { realm.create(ConfinedCounter.self, value: ["id": 1]) }
        let results = realm.objects(ConfinedCounter.self).where { $0.value > 0 }
        var changes = 0
        let tokens = [
            results.observe { _ in changes += results.count },
            counter.observe { _ in changes += counter.value },
            realm.observe { _, realm in changes += realm.isEmpty ? 1 : 0 },
        ]
        realm.refresh()
        try realm.write { counter.value = 5 }
        realm.refresh()
        #expect(changes == 6)
        #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration) }
        for token in tokens { token.invalidate() }
    }
}
