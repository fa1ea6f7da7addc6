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

    /// A whole backup.
    struct Made: Hashable, Sendable {
        /// When it began, in milliseconds since 1970.
        var time: UInt64
        var bytes: Int
        /// Nil where another process has made it.
        var seconds: Double?
    }

    /// How the backups of a database went.
    struct Record: Hashable, Sendable {
        /// The newest one; nil where there is none.
        var newest: Made?
        /// Why the last attempt failed; nil where it did not.
        var failure: String?
        var failures = 0
    }

    private struct State {
        var running: Running?
        /// By database.
        var records: [String: Record] = [:]
    }

    let plan: Configuration.Backups
    private let clock: any WallClock
    private let settle: Settling
    private let state = Mutex(State())

    /// Makes of a copied database what a backup is to hold.
    typealias Settling = @Sendable (_ database: String, _ folder: String) throws -> Void

    init(
        _ plan: Configuration.Backups, clock: any WallClock, settle: @escaping Settling = { _, _ in }
    ) {
        self.plan = plan
        self.clock = clock
        self.settle = settle
    }

    var running: Running? { state.withLock { $0.running } }

    func failure(of database: String) -> String? { record(of: database).failure }

    func record(of database: String) -> Record { state.withLock { $0.records[database] ?? Record() } }

    /// Takes note of the newest backup in the folder, which others may have made.
    func note(_ newest: BackupFolder.Entry?, of database: String) {
        guard record(of: database).newest?.time != newest?.name.time else { return }
        let made = newest.map { Made(time: $0.name.time, bytes: $0.bytes) }
        state.withLock { $0.records[database, default: Record()].newest = made }
    }

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
                try Backup.run(database: database, to: .into(plan.folder), pace: pace, clock: clock) { folder in
                    try settle(database.name, folder)
                } progress: { progress in
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
            var record = state.records[database] ?? Record()
            switch result {
            case .success(let facts):
                let name = BackupName(URL(filePath: facts.path).lastPathComponent)
                record.newest = Made(
                    time: name?.time ?? clock.now(), bytes: facts.manifest.bytes, seconds: facts.seconds)
                record.failure = nil
            case .failure(let error):
                record.failure = error.message
                if error.code != .abandoned { record.failures += 1 }
            }
            state.records[database] = record
        }
    }
}

/// Whether a backup shall be given up.
private final class Abandonment: Sendable {
    private let asked = Atomic(false)

    var isAsked: Bool { asked.load(ordering: .relaxed) }

    func ask() { asked.store(true, ordering: .relaxed) }
}
