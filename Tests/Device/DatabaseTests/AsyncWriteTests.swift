import Causeway
import Dispatch
import Foundation
import Testing

class QueuedNote: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Somebody on another thread who writes, and takes his time.
private final class SlowWriter: Sendable {
    private let queue = DispatchQueue(label: "slow writer")
    private let configuration: Realm.Configuration
    nonisolated(unsafe) private var realm: Realm?

    init(_ configuration: Realm.Configuration) {
        self.configuration = configuration
    }

    func begin() throws {
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            realm.beginWrite()
            self.realm = realm
        }
    }

    func end() throws {
        try queue.sync {
            realm?.create(QueuedNote.self, value: ["id": 1000, "text": "slow"])
            try realm?.commitWrite()
            realm = nil
        }
    }
}

@Suite("Writing without blocking", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct AsyncWriteTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [QueuedNote.self])

    /// What callbacks said, in their order.
    private func makeReports() -> (stream: AsyncStream<String>, say: AsyncStream<String>.Continuation) {
        let made = AsyncStream.makeStream(of: String.self)
        return (made.stream, made.continuation)
    }

    private func ids(_ realm: Realm) -> [Int] { realm.objects(QueuedNote.self).map(\.id).sorted() }

    @Test("writeAsync calls the block later, in a transaction, and says when it is on the disk")
    func writeAsync() async throws {
        let realm = try Realm(configuration: configuration)
        let (reports, say) = makeReports()
        realm.writeAsync {
            #expect(realm.isInWriteTransaction)
            realm.create(QueuedNote.self, value: ["id": 1])
        } onComplete: { error in
            #expect(error == nil)
            #expect(!realm.isInWriteTransaction)
            say.finish()
        }
        #expect(ids(realm) == [])
        #expect(realm.isPerformingAsynchronousWriteOperations)
        for await _ in reports {}
        #expect(ids(realm) == [1])
        #expect(!realm.isPerformingAsynchronousWriteOperations)
    }

    @Test("beginAsyncWrite undoes what its block did not commit")
    func uncommitted() async throws {
        let realm = try Realm(configuration: configuration)
        let (reports, say) = makeReports()
        realm.beginAsyncWrite {
            realm.create(QueuedNote.self, value: ["id": 1])
        }
        realm.beginAsyncWrite {
            #expect(ids(realm) == [])
            realm.create(QueuedNote.self, value: ["id": 2])
            realm.commitAsyncWrite { error in
                #expect(error == nil)
                say.finish()
            }
            #expect(ids(realm) == [2], "visible before it is on the disk")
        }
        for await _ in reports {}
        #expect(ids(realm) == [2])
    }

    @Test("a block that was cancelled is not called; of a commit only the report is cancelled")
    func cancelling() async throws {
        let realm = try Realm(configuration: configuration)
        let (reports, say) = makeReports()
        let cancelled = realm.writeAsync { Issue.record("cancelled, and called") }
        try realm.cancelAsyncWrite(cancelled)
        realm.beginWrite()
        realm.create(QueuedNote.self, value: ["id": 1])
        let committed = realm.commitAsyncWrite { _ in Issue.record("cancelled, and reported") }
        try realm.cancelAsyncWrite(committed)
        realm.writeAsync {
            realm.create(QueuedNote.self, value: ["id": 2])
        } onComplete: { _ in
            say.finish()
        }
        for await _ in reports {}
        #expect(ids(realm) == [1, 2])
        #expect(!realm.isPerformingAsynchronousWriteOperations)
    }

    @Test("a write that blocks goes before those that wait at the same place, and these keep their order")
    func blockingAmongWaiting() async throws {
        let realm = try Realm(configuration: configuration)
        let (reports, say) = makeReports()
        for id in 1...3 {
            realm.writeAsync {
                realm.create(QueuedNote.self, value: ["id": id])
                say.yield("\(id)")
            }
        }
        for id in 11...12 { try realm.write { _ = realm.create(QueuedNote.self, value: ["id": id]) } }
        say.yield("blocking")
        realm.writeAsync {
        } onComplete: { _ in
            say.finish()
        }
        var said: [String] = []
        for await report in reports { said.append(report) }
        #expect(said == ["blocking", "1", "2", "3"])
        #expect(ids(realm) == [1, 2, 3, 11, 12])
    }

    @Test("a task that was given its turn does not keep the place from writing")
    func blockingBeforeATask() async throws {
        let realm = try Realm(configuration: configuration)
        for round in 0..<20 {
            let task = Task { try await realm.asyncWrite { realm.create(QueuedNote.self, value: ["id": round]).id } }
            // The turn is granted on another thread, while this one does not let the task run.
            await Task.yield()
            usleep(500)
            try realm.write { _ = realm.create(QueuedNote.self, value: ["id": round + 100]) }
            #expect(try await task.value == round)
        }
        #expect(ids(realm).count == 40)
    }

    @Test("a task that is cancelled stops waiting, however long the others write")
    func cancelledTask() async throws {
        let realm = try Realm(configuration: configuration)
        let writer = SlowWriter(configuration)
        try writer.begin()
        let cancelled = Task { try await realm.asyncWrite { Issue.record("cancelled, and called") } }
        let patient = Task { try await realm.asyncWrite { _ = realm.create(QueuedNote.self, value: ["id": 1]) } }
        await Task.yield()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try writer.end()
        try await patient.value
        #expect(ids(realm) == [1, 1000])
    }

    @Test("a task that was cancelled before it began does not write")
    func cancelledBefore() async throws {
        let realm = try Realm(configuration: configuration)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await realm.asyncWrite { Issue.record("cancelled, and called") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try realm.write { _ = realm.create(QueuedNote.self, value: ["id": 1]) }
    }

    @Test("an error of the block undoes the write and reaches the caller")
    func blockThatThrows() async throws {
        struct Refused: Error {}
        let realm = try Realm(configuration: configuration)
        await #expect(throws: Refused.self) {
            try await realm.asyncWrite {
                realm.create(QueuedNote.self, value: ["id": 1])
                throw Refused()
            }
        }
        #expect(ids(realm) == [])
    }

    @Test("a commit that fails says so in its report, and is undone")
    func failingCommit() async throws {
        try await withFile { configuration in
            var configuration = configuration
            configuration.maximumNumberOfActiveVersions = 2
            let realm = try Realm(configuration: configuration)
            var frozen: [Realm] = []
            let (reports, say) = makeReports()
            var failed: [Int] = []
            for id in 0..<6 {
                frozen.append(realm.freeze())
                realm.writeAsync {
                    realm.create(QueuedNote.self, value: ["id": id])
                } onComplete: { error in
                    if error is Realm.Error { failed.append(id) }
                    if id == 5 { say.finish() }
                }
                // Each of them freezes the version before it.
                while realm.isPerformingAsynchronousWriteOperations { await Task.yield() }
            }
            for await _ in reports {}
            #expect(!failed.isEmpty)
            #expect(Set(ids(realm)).isDisjoint(with: failed))
            #expect(ids(realm).count + failed.count == 6)
        }
    }

    @Test("grouped commits are all in the file that is opened again")
    func grouped() async throws {
        try await withFile { configuration in
            do {
                let realm = try Realm(configuration: configuration)
                let (reports, say) = makeReports()
                var count = 0
                for id in 0..<50 {
                    realm.beginWrite()
                    realm.create(QueuedNote.self, value: ["id": id])
                    realm.commitAsyncWrite(allowGrouping: true) { error in
                        #expect(error == nil)
                        count += 1
                        if count == 50 { say.finish() }
                    }
                }
                #expect(ids(realm).count == 50)
                for await _ in reports {}
                #expect(!realm.isPerformingAsynchronousWriteOperations)
            }
            let again = try Realm(configuration: configuration)
            #expect(ids(again) == Array(0..<50))
        }
    }

    private func withFile(_ body: (Realm.Configuration) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(
            Realm.Configuration(
                fileURL: folder.appendingPathComponent("notes.realm"), objectTypes: [QueuedNote.self]))
    }
}

@Suite("Threads that run a loop")
struct RunLoopTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [QueuedNote.self])

    /// Runs a body on a thread of its own, and waits for it without keeping a thread of the test's pool.
    private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    private func add(_ id: Int) throws {
        let (configuration, queue) = (configuration, DispatchQueue(label: "another"))
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            try realm.write { _ = realm.create(QueuedNote.self, value: ["id": id]) }
        }
    }

    @Test("a Realm of such a thread follows others and is told of changes", .timeLimit(.minutes(10)))
    func following() async throws {
        let configuration = configuration
        try await onThread {
            let realm = try Realm(configuration: configuration)
            let notes = realm.objects(QueuedNote.self)
            var heard: [Int] = []
            let token = notes.observe { change in
                switch change {
                case .initial(let notes), .update(let notes, _, _, _): heard.append(notes.count)
                case .error: break
                }
            }
            while heard.isEmpty { RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.01)) }
            DispatchQueue.global().async { #expect(throws: Never.self) { try add(1) } }
            while heard.count < 2 { RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.01)) }
            #expect(heard == [0, 1])
            token.invalidate()
        }
    }

    @Test("from within the loop, writes need not block", .timeLimit(.minutes(10)))
    func writing() async throws {
        let configuration = configuration
        try await onThread {
            // All on this one thread.
            nonisolated(unsafe) let realm = try Realm(configuration: configuration)
            nonisolated(unsafe) var isDone = false
            RunLoop.current.perform {
                realm.writeAsync {
                    realm.create(QueuedNote.self, value: ["id": 1])
                } onComplete: { error in
                    #expect(error == nil)
                    isDone = true
                }
            }
            while !isDone { RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.01)) }
            #expect(realm.objects(QueuedNote.self).count == 1)
        }
    }

    @Test("a loop ends once no Realm of its thread can hear anything there")
    func ending() async throws {
        let configuration = configuration
        try await onThread {
            do {
                let realm = try Realm(configuration: configuration)
                #expect(RunLoop.current.run(mode: .default, before: Date()))
                #expect(realm.isEmpty)
            }
            #expect(!RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 3600)))
        }
    }
}
