import CausewayStore
import Synchronization

/// Commits uploads. Those that arrive while a commit runs wait and are committed together by the next one: the price
/// of making a commit durable is then paid once for all of them.
final class CommitQueue: Sendable {
    private let backend: any StoreBackend
    private let now: @Sendable () -> UInt64
    private let thread = StoreThread(label: "causeway.commit")
    private let waiting = Mutex(Waiting())

    private typealias Answer = CheckedContinuation<Result<CommitOutcome, StoreFailure>, Never>

    private struct Waiting {
        var uploads: [(batch: UploadBatch, answer: Answer)] = []
        var isRunning = false
    }

    /// Bounds how much memory waiting uploads take, together with the size of one frame.
    static let waitingMax = 256
    static let groupMax = 64

    init(backend: any StoreBackend, now: @escaping @Sendable () -> UInt64) {
        self.backend = backend
        self.now = now
    }

    func submit(_ batch: UploadBatch) async throws(StoreFailure) -> CommitOutcome {
        try await withCheckedContinuation { answer in
            let verdict = waiting.withLock { waiting in
                guard waiting.uploads.count < Self.waitingMax else { return (isFull: true, starts: false) }
                waiting.uploads.append((batch, answer))
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
            if group.isEmpty { return }
            let result = Result { () throws(StoreFailure) in
                try backend.commit(group.map(\.batch), receivedAt: now())
            }
            switch result {
            case .success(let outcomes):
                for (upload, outcome) in zip(group, outcomes) { upload.answer.resume(returning: .success(outcome)) }
            case .failure(let failure):
                for upload in group { upload.answer.resume(returning: .failure(failure)) }
            }
        }
    }
}
