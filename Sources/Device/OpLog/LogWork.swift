import Synchronization

/// How much of the log has been read so far. Tests see by it what a transaction or a message costs when much is
/// pending.
package final class LogWork: Sendable {
    private let records = Atomic(0)

    /// Changesets and the notes of what they are about, each time that one was decoded.
    package var recordsRead: Int { records.load(ordering: .relaxed) }

    func read() { records.add(1, ordering: .relaxed) }
}
