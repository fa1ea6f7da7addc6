import CausewaySeeds
extension OperationSequence {
    /// Runs the sequences of many seeds side by side, and throws the first answer that differs.
    /// - Parameters:
    ///   - folder: where the files may be; in memory is best, for nothing here depends on a disk.
    ///   - report: told now and then how many sequences one of the workers has done.
    package static func run(
        seeds: [UInt64], workers: Int, folder: String,
        backends: [StorageBackend] = StorageBackend.allCases,
        report: @escaping @Sendable (_ done: Int) -> Void = { _ in }
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<UInt64(workers) {
                group.addTask {
                    var done = 0
                    for seed in seeds where seed % UInt64(workers) == worker {
                        try Task.checkCancellation()
                        try run(seed: seed, folder: folder, backends: backends)
                        done += 1
                        if done.isMultiple(of: reportEvery) { report(reportEvery) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static let reportEvery = 100
}
