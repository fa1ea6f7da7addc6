import Causeway
import Foundation
import Testing

@Suite("Synced Realms that are let go of right after a write", .serialized)
@MainActor
struct ReopeningTests {
    /// Writes a chore to a Realm that nobody holds when this returns.
    private func write(_ id: Int, _ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { _ = realm.create(Chore.self, value: ["id": id]) }
    }

    /// Lets the session get more or less far.
    private func pause(_ round: Int) async throws {
        switch round % 4 {
        case 0: break
        case 1: await Task.yield()
        default: try await Task.sleep(for: .microseconds(50 * (round % 37)))
        }
    }

    @Test("one that is opened again at once uploads what was written, however far its session had come")
    func openedAgain() async throws {
        let bench = try Bench()
        let configuration = try await bench.configuration("a") { $0.append(QuerySubscription<Chore>()) }
        for round in 0..<200 {
            try write(2 * round, configuration)
            try await pause(round)
            if round % 5 == 4 { try write(2 * round + 1, configuration) }
            let realm = try Realm(configuration: configuration)
            let session = try #require(realm.syncSession)
            try await within { try await session.wait(for: .upload) }
            if round % 3 == 0 { try await within { try await session.wait(for: .download) } }
        }
        #expect(try await held(by: "b", bench) == 240)
        await bench.end()
    }

    @Test("a file that is new each time")
    func newFiles() async throws {
        let bench = try Bench()
        for round in 0..<60 {
            let configuration = try await bench.configuration("a\(round)") { $0.append(QuerySubscription<Chore>()) }
            try write(round, configuration)
            try await pause(round)
            let realm = try Realm(configuration: configuration)
            let session = try #require(realm.syncSession)
            try await within { try await session.wait(for: .upload) }
        }
        #expect(try await held(by: "b", bench) == 60)
        await bench.end()
    }

    @Test("what was written leaves although nobody opens the file again")
    func notOpenedAgain() async throws {
        let bench = try Bench()
        let b = try Realm(configuration: try await bench.configuration("b") { $0.append(QuerySubscription<Chore>()) })
        let (counts, count) = AsyncStream.makeStream(of: Int.self)
        let token = b.objects(Chore.self).observe { _ in count.yield(b.objects(Chore.self).count) }
        let configuration = try await bench.configuration("a")
        for round in 0..<100 {
            try write(round, configuration)
            if round % 2 == 0 { try await within { for await count in counts where count == round + 1 { break } } }
        }
        try await within { for await count in counts where count == 100 { break } }
        token.invalidate()
        await bench.end()
    }

    private func held(by device: String, _ bench: Bench) async throws -> Int {
        let realm = try Realm(
            configuration: try await bench.configuration(device) { $0.append(QuerySubscription<Chore>()) })
        let session = try #require(realm.syncSession)
        try await within { try await session.wait(for: .download) }
        realm.refresh()
        return realm.objects(Chore.self).count
    }

    /// Throws instead of waiting for ever. The limit is for hangs, not for busy machines.
    private func within(_ body: @escaping @MainActor @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: .seconds(60))
                throw CancellationError()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
