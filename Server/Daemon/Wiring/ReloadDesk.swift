import Synchronization

/// Takes requests to read the configuration anew: of SIGHUP, and of calls, which are told what became of it. `Reloading`
/// does them one after the other.
final class ReloadDesk: Sendable {
    /// Why something may have to be read.
    enum Occasion: Sendable {
        /// The operator has asked for it.
        case asked((@Sendable (ReloadReport) -> Void)?)
        /// A call adds or drops a database.
        case changed(Change, (@Sendable (ReloadReport) -> Void)?)
        /// It is time to look at the files.
        case looked
    }

    /// A database that comes or goes, while the rest of the configuration stays as it is.
    enum Change: Sendable {
        /// - Parameter text: of its file in `databasesFolder`.
        case add(name: String, text: String)
        /// - Parameter deletesFiles: whether its files are deleted then.
        case drop(name: String, deletesFiles: Bool)
        /// A node opens it anew, where it is not served or its replica has ended.
        case renew(name: String)
    }

    let occasions: AsyncStream<Occasion>
    private let told: AsyncStream<Occasion>.Continuation
    private let waiting = Atomic(0)

    /// Calls that wait at a time. Each reload reads every file.
    static let waitingMax = 16

    init() {
        (occasions, told) = AsyncStream.makeStream(of: Occasion.self)
    }

    func tell(_ occasion: Occasion) { told.yield(occasion) }

    /// No request is taken any more. Those that wait are answered with nothing.
    func end() { told.finish() }

    /// Reads the configuration anew, and returns what became of it. Nil when too many wait, or the server ends.
    func reload() async -> ReloadReport? { await report { .asked($0) } }

    /// Adds or drops one database, and returns what became of it. Nil when too many wait, or the server ends.
    func change(_ change: Change) async -> ReloadReport? { await report { .changed(change, $0) } }

    private func report(_ occasion: (@escaping @Sendable (ReloadReport) -> Void) -> Occasion) async -> ReloadReport? {
        guard waiting.add(1, ordering: .relaxed).newValue <= Self.waitingMax else {
            waiting.subtract(1, ordering: .relaxed)
            return nil
        }
        defer { waiting.subtract(1, ordering: .relaxed) }
        let (reports, told) = AsyncStream.makeStream(of: ReloadReport.self)
        tell(Reply(told), occasion)
        for await report in reports { return report }
        return nil
    }

    private func tell(_ reply: Reply, _ occasion: (@escaping @Sendable (ReloadReport) -> Void) -> Occasion) {
        tell(occasion { reply.give($0) })
    }

    /// Somebody waits for it. It is over with the last reference, also where nobody has answered.
    private final class Reply: Sendable {
        private let reports: AsyncStream<ReloadReport>.Continuation

        init(_ reports: AsyncStream<ReloadReport>.Continuation) { self.reports = reports }

        func give(_ report: ReloadReport) { reports.yield(report) }

        deinit { reports.finish() }
    }
}
