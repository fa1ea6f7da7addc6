import CausewayBackup
import CausewayEnvironment
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Makes the backups of the section `backups`: one at a time, on a thread of the lowest priority. Old ones are removed
/// only when a newer one is whole.
///
/// When the server ends, a backup that is under way is given up. What it leaves is removed by the next one.
struct ScheduledBackups: Service {
    let plan: Configuration.Backups
    /// In the order of the configuration, which is their order within a period.
    let databases: [Backup.Source]
    let clock: any WallClock
    let logger: Logger
    /// How often it is looked whether a backup is due.
    var lookInterval = Duration.seconds(60)

    /// After a failure the same database is tried again so much later.
    static let retryMilliseconds: UInt64 = 15 * 60_000

    func run() async throws {
        await cancelWhenGracefulShutdown { await keepUp() }
    }

    /// Runs until its task is cancelled.
    func keepUp() async {
        let schedule = BackupSchedule(everyHours: plan.everyHours, databases: databases.count)
        var failed: [String: UInt64] = [:]
        while !Task.isCancelled {
            for (index, database) in databases.enumerated() where !Task.isCancelled {
                let now = clock.now()
                let times = BackupFolder.backups(of: database.name, in: plan.folder).map(\.time)
                guard schedule.isDue(index, backups: times, at: now), Self.mayTry(failed[database.name], at: now)
                else { continue }
                failed[database.name] = await backUp(database) ? nil : clock.now()
            }
            try? await Task.sleep(for: lookInterval)
        }
    }

    static func mayTry(_ failure: UInt64?, at now: UInt64) -> Bool {
        guard let failure, now >= failure else { return true }
        return now - failure >= retryMilliseconds
    }

    // MARK: - One backup

    /// Whether there is a new backup.
    private func backUp(_ database: Backup.Source) async -> Bool {
        switch await make(database) {
        case .success(let facts):
            logger.info(
                "a backup was made",
                metadata: [
                    "database": "\(database.name)", "path": "\(facts.path)", "version": "\(facts.manifest.version)",
                    "bytes": "\(facts.manifest.bytes)", "seconds": "\(ShownProgress.seconds(facts.seconds))",
                ])
            thin(database)
            return true
        case .failure(let error) where error.code == .abandoned: return false
        case .failure(let error):
            logger.error(
                "a backup failed, and older ones were kept: \(error.message)",
                metadata: ["database": "\(database.name)"])
            return false
        }
    }

    private func thin(_ database: Backup.Source) {
        do throws(BackupError) {
            for name in try BackupFolder.thin(database.name, in: plan.folder, keep: plan.keep, at: clock.now()) {
                logger.info("an old backup was removed", metadata: ["database": "\(database.name)", "name": "\(name)"])
            }
        } catch {
            logger.error("old backups stay: \(error.message)", metadata: ["database": "\(database.name)"])
        }
    }

    /// Runs a backup on a thread of its own, whose priority stays low. Returns at once when the task is cancelled.
    private func make(_ database: Backup.Source) async -> Result<Backup.Facts, BackupError> {
        let abandonment = Abandonment()
        let (results, told) = AsyncStream.makeStream(of: Result<Backup.Facts, BackupError>.self)
        let pace = BackupPace(bytesPerSecond: plan.megabytesPerSecond << 20) { abandonment.isAsked }
        let (target, clock) = (Backup.Target.into(plan.folder), clock)
        Thread.detachNewThread {
            LowPriority.takeForThisThread()
            told.yield(
                Result { () throws(BackupError) in
                    try Backup.run(database: database, to: target, pace: pace, clock: clock)
                })
            told.finish()
        }
        for await result in results { return result }
        abandonment.ask()
        return .failure(BackupError(.abandoned, "The server ends."))
    }
}

/// Whether a backup shall be given up.
private final class Abandonment: Sendable {
    private let asked = Atomic(false)

    var isAsked: Bool { asked.load(ordering: .relaxed) }

    func ask() { asked.store(true, ordering: .relaxed) }
}
