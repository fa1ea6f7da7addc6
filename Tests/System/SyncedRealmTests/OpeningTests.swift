import Causeway
import CausewayStoreEmbedded
import Foundation
import Testing

@Suite("Opening synced Realms, with a server's core in one process", .serialized)
@MainActor
struct SyncedOpeningTests {
    @Test("a file opened again goes on from its checkpoint, with its unsent writes")
    func reopening() async throws {
        let bench = try Bench()
        let configuration = try await bench.configuration("a") { $0.append(QuerySubscription<Chore>()) }
        do {
            let realm = try Realm(configuration: configuration)
            try await realm.syncSession?.wait(for: .download)
            bench.network("a").isCut = true
            try realm.write { _ = realm.create(Chore.self, value: ["id": 1, "title": "kept"]) }
        }
        bench.network("a").isCut = false
        let realm = try Realm(configuration: configuration)
        realm.syncSession?.reconnect()
        try await realm.syncSession?.wait(for: .upload)
        #expect(try bench.store.count(of: "Chore") == 1)
        #expect(realm.objects(Chore.self).first?.title == "kept")
        await bench.end()
    }

    @Test("a Realm that downloads before it opens holds what its first subscriptions match")
    func downloadBeforeOpen() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a"))
        try a.write { for id in 0..<50 { a.create(Chore.self, value: ["id": id]) } }
        try await a.syncSession?.wait(for: .upload)
        let configuration = try await bench.configuration("b") {
            $0.append(QuerySubscription<Chore>(name: "few") { $0.id < 10 })
        }
        let b = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
        #expect(b.objects(Chore.self).count == 10)
        await bench.end()
    }

    @Test("a Realm that is opened in the background holds what its first subscriptions match, and tells how far it is")
    func asyncOpen() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a"))
        try a.write { for id in 0..<50 { a.create(Chore.self, value: ["id": id]) } }
        try await a.syncSession?.wait(for: .upload)
        let configuration = try await bench.configuration("b") {
            $0.append(QuerySubscription<Chore>(name: "few") { $0.id < 10 })
        }
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        // Set and read on the main queue.
        nonisolated(unsafe) var opened: Result<Realm, any Error>?
        await withCheckedContinuation { continuation in
            let task = Realm.asyncOpen(configuration: configuration) {
                opened = $0
                continuation.resume()
            }
            task.addProgressNotification { end.yield($0.isTransferComplete) }
        }
        #expect(try opened?.get().objects(Chore.self).count == 10)
        end.finish()
        for await _ in ends {}
        await bench.end()
    }

    @Test("an opening in the background that waits for the server can be cancelled")
    func cancelledAsyncOpen() async throws {
        let bench = try Bench()
        let configuration = try await bench.configuration("b") { $0.append(QuerySubscription<Chore>()) }
        bench.network("b").isCut = true
        var task: Realm.AsyncOpenTask?
        let code: POSIXErrorCode? = await withCheckedContinuation { continuation in
            task = Realm.asyncOpen(configuration: configuration) { result in
                if case .failure(let error) = result {
                    continuation.resume(returning: (error as? POSIXError)?.code)
                } else {
                    continuation.resume(returning: nil)
                }
            }
            task?.cancel()
        }
        #expect(code == .ECANCELED)
        await bench.end()
    }
}
