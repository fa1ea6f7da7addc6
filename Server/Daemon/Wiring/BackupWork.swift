import CausewayBackup
import CausewayEnvironment
import Foundation
import Synchronization

/// Makes backups, one at a time whoever asks: each on a thread of its own, whose priority stays low.
final class BackupWork: Sendable {
    /// The one that is under way.
    struct Running: Hashable, Sendable {
        var database: String
        /// In milliseconds since 1970.
        var since: UInt64
        /// Nil before the first step.
        var progress: BackupProgress?
    }

    private struct State {
        var running: Running?
        /// By database: why the last backup failed.
        var failures: [String: String] = [:]
    }

    let plan: Configuration.Backups
    private let clock: any WallClock
    private let state = Mutex(State())

    init(_ plan: Configuration.Backups, clock: any WallClock) {
        self.plan = plan
        self.clock = clock
    }

    var running: Running? { state.withLock { $0.running } }

    func failure(of database: String) -> String? { state.withLock { $0.failures[database] } }

    /// Takes the place of the one backup that is made at a time; false when another has it. Call `make` next.
    func begin(_ database: String) -> Bool {
        let now = clock.now()
        return state.withLock { state in
            guard state.running == nil else { return false }
            state.running = Running(database: database, since: now)
            return true
        }
    }

    /// Makes the backup that was begun. When the task is cancelled, it is given up, and this returns at once.
    func make(_ database: Backup.Source) async -> Result<Backup.Facts, BackupError> {
        let abandonment = Abandonment()
        let (results, told) = AsyncStream.makeStream(of: Result<Backup.Facts, BackupError>.self)
        let pace = BackupPace(bytesPerSecond: plan.megabytesPerSecond << 20) { abandonment.isAsked }
        Thread.detachNewThread { [self] in
            LowPriority.takeForThisThread()
            let result = Result { () throws(BackupError) in
                try Backup.run(database: database, to: .into(plan.folder), pace: pace, clock: clock) { progress in
                    state.withLock { $0.running?.progress = progress }
                }
            }
            end(database.name, result)
            told.yield(result)
            told.finish()
        }
        for await result in results { return result }
        abandonment.ask()
        return .failure(BackupError(.abandoned, "The server ends."))
    }

    private func end(_ database: String, _ result: Result<Backup.Facts, BackupError>) {
        state.withLock { state in
            state.running = nil
            if case .failure(let error) = result {
                state.failures[database] = error.message
            } else {
                state.failures[database] = nil
            }
        }
    }
}

/// Whether a backup shall be given up.
private final class Abandonment: Sendable {
    private let asked = Atomic(false)

    var isAsked: Bool { asked.load(ordering: .relaxed) }

    func ask() { asked.store(true, ordering: .relaxed) }
}
