import CausewayStore

/// The thread that commits uploads.
final class CommitQueue: Sendable {
    private let line: CommitLine
    let thread = StoreThread(label: "causeway.commit")

    init(_ line: CommitLine) {
        self.line = line
    }

    /// - Parameter committed: called on the thread that commits, before the uploads are answered.
    func submit(
        _ batch: UploadBatch, committed: @escaping CommitLine.Listener
    ) async -> Result<CommitOutcome, StoreFailure> {
        await withCheckedContinuation { continuation in
            let starts = line.add(batch, committed: committed) { continuation.resume(returning: $0) }
            if starts { thread.start { [line] in while line.commitGroup() {} } }
        }
    }
}
