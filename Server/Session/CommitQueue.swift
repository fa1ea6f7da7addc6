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
            if starts { commitNext() }
        }
    }

    /// Commits a group. What else waits for the thread comes before the next one, however many uploads follow.
    private func commitNext() {
        thread.start { [self] in
            if line.commitGroup() { commitNext() }
        }
    }

    /// Runs a change of the record behind the uploads that wait now.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable () throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        try await thread.result { [line] () throws(StoreFailure) in
            // What comes meanwhile may be among them: no more wait at a time.
            var groups = 0
            while groups < CommitLine.waitingMax, line.commitGroup() { groups += 1 }
            return try body()
        }
        .get()
    }
}
