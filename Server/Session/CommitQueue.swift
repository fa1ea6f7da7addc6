import CausewayModel
import CausewayOperations
import CausewayStore
import Synchronization

/// Commits uploads. Those that arrive while a commit runs wait and are committed together by the next one, as far as they
/// are small (`UploadLine`): the price of making a commit durable is then paid once for all of them.
final class CommitQueue: Sendable {
    private let backend: any StoreBackend
    private let now: @Sendable () -> UInt64
    let thread = StoreThread(label: "causeway.commit")
    private let waiting = Mutex(Waiting())

    private typealias Answer = CheckedContinuation<Result<CommitOutcome, StoreFailure>, Never>

    /// Told of a commit, with the clients that wrote it.
    typealias Listener = @Sendable (Set<ClientID>) -> Void

    private struct Submission {
        var batch: UploadBatch
        var committed: Listener
        var answer: Answer
    }

    private struct Waiting {
        var uploads = UploadLine<Submission>(
            operationsMax: CommitQueue.groupOperationsMax, uploadsMax: CommitQueue.groupMax)
        var isRunning = false
    }

    static let waitingMax = 256
    /// Of one user, so that nobody's uploads are all that wait.
    static let waitingMaxOfUser = 128
    static let groupMax = 64
    /// Operations that are committed together. They take some tens of milliseconds; an upload of more is a commit of its
    /// own, for what it edits may be large: each commit reads and writes whole sets, maps and texts.
    static let groupOperationsMax = 2_500

    init(backend: any StoreBackend, now: @escaping @Sendable () -> UInt64) {
        self.backend = backend
        self.now = now
    }

    /// - Parameter committed: called on the thread that commits, before the uploads are answered. Of those that one commit
    ///   holds only the first one's is.
    func submit(
        _ batch: UploadBatch, committed: @escaping Listener
    ) async throws(StoreFailure) -> CommitOutcome {
        try await withCheckedContinuation { answer in
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
                answer.resume(
                    returning: .failure(
                        StoreFailure(
                            .busy,
                            "\(Self.waitingMax) uploads wait for this database, or \(Self.waitingMaxOfUser) of this user. "
                                + "Send it again later.")
                    ))
            }
            if verdict.starts { thread.start { self.commitAll() } }
        }.get()
    }

    private func commitAll() {
        while true {
            let group = waiting.withLock { waiting in
                let group = waiting.uploads.takeGroup()
                if group.isEmpty { waiting.isRunning = false }
                return group
            }
            guard let first = group.first else { return }
            let result = Result { () throws(StoreFailure) in
                try backend.commit(group.map(\.batch), receivedAt: now())
            }
            switch result {
            case .success(let outcomes):
                first.committed(Set(group.lazy.map(\.batch.client)))
                for (upload, outcome) in zip(group, outcomes) { upload.answer.resume(returning: .success(outcome)) }
            case .failure(let failure):
                for upload in group { upload.answer.resume(returning: .failure(failure)) }
            }
        }
    }
}
