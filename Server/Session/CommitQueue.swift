import CausewayModel
import CausewayStore
import Synchronization

/// Commits uploads. Those that arrive while a commit runs wait and are committed together by the next one: the price
/// of making a commit durable is then paid once for all of them.
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
        var uploads: [Submission] = []
        var isRunning = false
    }

    /// Bounds how much memory waiting uploads take, together with the size of one frame.
    static let waitingMax = 256
    static let groupMax = 64

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
                guard waiting.uploads.count < Self.waitingMax else { return (isFull: true, starts: false) }
                waiting.uploads.append(Submission(batch: batch, committed: committed, answer: answer))
                defer { waiting.isRunning = true }
                return (isFull: false, starts: !waiting.isRunning)
            }
            if verdict.isFull {
                answer.resume(
                    returning: .failure(
                        StoreFailure(.busy, "\(Self.waitingMax) uploads wait for this database. Send it again later.")
                    ))
            }
            if verdict.starts { thread.start { self.commitAll() } }
        }.get()
    }

    private func commitAll() {
        while true {
            let group = waiting.withLock { waiting in
                let group = Array(waiting.uploads.prefix(Self.groupMax))
                waiting.uploads.removeFirst(group.count)
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
