import CausewayOperations
package import CausewayStore
package import CausewayWire
import Synchronization

/// Uploads that wait to be committed. Small ones (`UploadLine`) that arrive while a commit runs are committed together
/// by the next one: one fsync then makes all of them durable.
package final class CommitLine: Sendable {
    private let backend: any StoreBackend
    private let now: @Sendable () -> UInt64
    private let observer: any SessionObserver
    private let waiting = Mutex(Waiting())

    package typealias Answer = @Sendable (Result<CommitOutcome, StoreFailure>) -> Void

    /// Told of a commit.
    package typealias Listener = @Sendable () -> Void

    private struct Submission {
        var batch: UploadBatch
        var committed: Listener
        var answer: Answer
        let arrival = ContinuousClock.now
        var operations: Int
    }

    private struct Waiting {
        var uploads = UploadLine<Submission>(
            operationsMax: CommitLine.groupOperationsMax, uploadsMax: CommitLine.groupMax)
        var isRunning = false
        /// What the last group took for each of its uploads.
        var uploadMicroseconds: UInt64 = 1_000
    }

    static let waitingMax = 256
    /// For one user, so that no user's uploads fill the line.
    static let waitingMaxOfUser = 128
    /// The shortest time after which an upload that found no place is to come again.
    static let waitMinMilliseconds: UInt64 = 250
    static let groupMax = 64
    /// Operations that are committed together; they take some tens of milliseconds. A larger upload is a commit of its
    /// own. What it edits may be large: each commit reads and writes whole sets, maps and texts.
    static let groupOperationsMax = 2_500

    package init(
        backend: any StoreBackend, observer: any SessionObserver = NoSessionObserver(),
        now: @escaping @Sendable () -> UInt64
    ) {
        self.backend = backend
        self.observer = observer
        self.now = now
    }

    /// Adds an upload to the line.
    ///
    /// - Parameter committed: called on the committing thread, before the uploads are answered. Of the uploads in one
    ///   commit only the first one's is called.
    /// - Returns: whether no commit runs at the moment: then call ``commitGroup()`` until it returns false.
    package func add(_ batch: UploadBatch, committed: @escaping Listener, answer: @escaping Answer) -> Bool {
        let verdict = waiting.withLock { waiting in
            guard waiting.uploads.count < Self.waitingMax,
                waiting.uploads.count(of: batch.user) < Self.waitingMaxOfUser
            else {
                let wait = UInt64(waiting.uploads.count) * waiting.uploadMicroseconds / 1_000
                return (isFull: true, starts: false, wait: max(wait, Self.waitMinMilliseconds))
            }
            let operations = batch.changesets.reduce(0) { $0 + $1.workCount }
            waiting.uploads.add(
                Submission(batch: batch, committed: committed, answer: answer, operations: operations),
                operations: operations, of: batch.user)
            defer { waiting.isRunning = true }
            return (isFull: false, starts: !waiting.isRunning, wait: UInt64(0))
        }
        if verdict.isFull {
            answer(
                .failure(
                    StoreFailure(
                        .busy,
                        "\(Self.waitingMax) uploads wait for this database, or \(Self.waitingMaxOfUser) of this user. "
                            + "Send it again later.", retryAfterMilliseconds: verdict.wait)
                ))
        }
        return verdict.starts
    }

    /// Commits the next group of uploads and answers them. Blocks for the disk.
    ///
    /// - Returns: whether anything may be left.
    package func commitGroup() -> Bool {
        let group = waiting.withLock { waiting in
            let group = waiting.uploads.takeGroup()
            if group.isEmpty { waiting.isRunning = false }
            return group
        }
        guard let first = group.first else { return false }
        let (received, start) = (now(), ContinuousClock.now)
        let result = Result { () throws(StoreFailure) in
            try backend.commit(group.map(\.batch), receivedAt: received)
        }
        let nanoseconds = start.elapsedNanoseconds
        waiting.withLock { $0.uploadMicroseconds = nanoseconds / 1_000 / UInt64(group.count) }
        observer.observe(.committed(committed(group, first, result, since: start, nanoseconds)))
        switch result {
        case .success(let outcomes):
            first.committed()
            for (upload, outcome) in zip(group, outcomes) { upload.answer(.success(outcome)) }
        case .failure(let failure):
            for upload in group { upload.answer(.failure(failure)) }
        }
        return true
    }

    private func committed(
        _ group: [Submission], _ first: Submission, _ result: Result<[CommitOutcome], StoreFailure>,
        since start: ContinuousClock.Instant, _ nanoseconds: UInt64
    ) -> Committed {
        let largest = group.max { $0.operations < $1.operations } ?? first
        var failure: StoreFailure.Code?
        if case .failure(let error) = result { failure = error.code }
        return Committed(
            queuedNanoseconds: group.map { $0.arrival.nanoseconds(until: start) },
            operations: group.reduce(0) { $0 + $1.operations }, nanoseconds: nanoseconds,
            version: backend.version, failure: failure, client: largest.batch.client, user: largest.batch.user,
            arrival: group.reduce(first.arrival) { min($0, $1.arrival) })
    }
}

extension UploadAnswer {
    /// The answer to an upload. Throws what its commit failed with.
    package init(_ result: Result<CommitOutcome, StoreFailure>) throws(SyncFailure) {
        switch result {
        case .success(let outcome):
            self.init(committed: outcome.committed, failure: outcome.failure.map { SyncFailure($0) })
        case .failure(let failure): throw SyncFailure(failure)
        }
    }
}
