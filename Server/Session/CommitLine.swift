package import CausewayModel
import CausewayOperations
package import CausewayStore
package import CausewayWire
import Synchronization

/// Uploads that wait to be committed. Those that arrive while a commit runs wait and are committed together by the next
/// one, as far as they are small (`UploadLine`): the price of making a commit durable is then paid once for all of them.
package final class CommitLine: Sendable {
    private let backend: any StoreBackend
    private let now: @Sendable () -> UInt64
    private let waiting = Mutex(Waiting())

    package typealias Answer = @Sendable (Result<CommitOutcome, StoreFailure>) -> Void

    /// Told of a commit, with the clients that wrote it.
    package typealias Listener = @Sendable (Set<ClientID>) -> Void

    private struct Submission {
        var batch: UploadBatch
        var committed: Listener
        var answer: Answer
    }

    private struct Waiting {
        var uploads = UploadLine<Submission>(
            operationsMax: CommitLine.groupOperationsMax, uploadsMax: CommitLine.groupMax)
        var isRunning = false
    }

    static let waitingMax = 256
    /// Of one user, so that nobody's uploads are all that wait.
    static let waitingMaxOfUser = 128
    static let groupMax = 64
    /// Operations that are committed together. They take some tens of milliseconds; an upload of more is a commit of its
    /// own, for what it edits may be large: each commit reads and writes whole sets, maps and texts.
    static let groupOperationsMax = 2_500

    package init(backend: any StoreBackend, now: @escaping @Sendable () -> UInt64) {
        self.backend = backend
        self.now = now
    }

    /// Adds an upload to the line.
    ///
    /// - Parameter committed: called where the commit is made, before the uploads are answered. Of those that one commit
    ///   holds only the first one's is.
    /// - Returns: whether nobody commits at the moment: then ``commitGroup()`` is to be called until it says that nothing
    ///   is left.
    package func add(_ batch: UploadBatch, committed: @escaping Listener, answer: @escaping Answer) -> Bool {
        let verdict = waiting.withLock { waiting in
            guard waiting.uploads.count < Self.waitingMax,
                waiting.uploads.count(of: batch.user) < Self.waitingMaxOfUser
            else { return (isFull: true, starts: false) }
            waiting.uploads.add(
                Submission(batch: batch, committed: committed, answer: answer),
                operations: batch.changesets.reduce(0) { $0 + $1.workCount }, of: batch.user)
            defer { waiting.isRunning = true }
            return (isFull: false, starts: !waiting.isRunning)
        }
        if verdict.isFull {
            answer(
                .failure(
                    StoreFailure(
                        .busy,
                        "\(Self.waitingMax) uploads wait for this database, or \(Self.waitingMaxOfUser) of this user. "
                            + "Send it again later.")
                ))
        }
        return verdict.starts
    }

    /// Commits what the line lets go together, and answers it. Blocks for the disk.
    ///
    /// - Returns: whether anything may be left.
    package func commitGroup() -> Bool {
        let group = waiting.withLock { waiting in
            let group = waiting.uploads.takeGroup()
            if group.isEmpty { waiting.isRunning = false }
            return group
        }
        guard let first = group.first else { return false }
        let result = Result { () throws(StoreFailure) in
            try backend.commit(group.map(\.batch), receivedAt: now())
        }
        switch result {
        case .success(let outcomes):
            first.committed(Set(group.lazy.map(\.batch.client)))
            for (upload, outcome) in zip(group, outcomes) { upload.answer(.success(outcome)) }
        case .failure(let failure):
            for upload in group { upload.answer(.failure(failure)) }
        }
        return true
    }
}

extension UploadAnswer {
    /// What an upload is answered.
    package init(_ result: Result<CommitOutcome, StoreFailure>) throws(SyncFailure) {
        switch result {
        case .success(let outcome):
            self.init(committed: outcome.committed, failure: outcome.failure.map { SyncFailure($0) })
        case .failure(let failure): throw SyncFailure(failure)
        }
    }
}
