/// Under what conditions a row was measured. What does not apply to it is nil.
package struct Conditions: Equatable {
    package enum Cache: String, Codable {
        /// The work was done before, on files that are in memory.
        case hot
        /// The files were opened anew after their pages had been dropped from memory.
        case cold
    }

    /// Threads of this process that worked at once.
    package var threads: Int?
    package var peerThreads: Int?
    package var cache: Cache?
    /// The figure is the median of so many runs.
    package var runs: Int?
    package var peerRuns: Int?

    package static let none = Conditions()

    package init(
        threads: Int? = nil, peerThreads: Int? = nil, cache: Cache? = nil, runs: Int? = nil, peerRuns: Int? = nil
    ) {
        self.threads = threads
        self.peerThreads = peerThreads
        self.cache = cache
        self.runs = runs
        self.peerRuns = peerRuns
    }

    package static func hot(_ ours: Sample, _ peer: Sample? = nil) -> Conditions { of(.hot, ours, peer) }
    package static func cold(_ ours: Sample, _ peer: Sample? = nil) -> Conditions { of(.cold, ours, peer) }

    private static func of(_ cache: Cache, _ ours: Sample, _ peer: Sample?) -> Conditions {
        Conditions(
            threads: ours.threads, peerThreads: peer?.threads, cache: cache, runs: ours.runs, peerRuns: peer?.runs)
    }
}
