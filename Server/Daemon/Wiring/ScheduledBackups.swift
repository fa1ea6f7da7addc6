import CausewayBackup
import CausewayEnvironment
import Logging
import ServiceLifecycle

/// Makes the backups of the section `backups`: one at a time, on a thread of the lowest priority. Old ones are removed
/// only when a newer one is whole.
///
/// When the server ends, a backup that is under way is given up. What it leaves is removed by the next one.
struct ScheduledBackups: Service {
    let work: BackupWork
    /// Those there are, in the order of the configuration, which is their order within a period.
    let databases: @Sendable () -> [Backup.Source]
    let clock: any WallClock
    let logger: Logger
    /// How often it is looked whether a backup is due.
    var lookInterval = Duration.seconds(60)

    /// After a failure the same database is tried again so much later.
    static let retryMilliseconds: UInt64 = 15 * 60_000

    private var plan: Configuration.Backups { work.plan }

    func run() async throws {
        await cancelWhenGracefulShutdown { await keepUp() }
    }

    /// Runs until its task is cancelled.
    func keepUp() async {
        var failed: [String: UInt64] = [:]
        while !Task.isCancelled {
            let databases = databases()
            let schedule = BackupSchedule(everyHours: plan.everyHours, databases: databases.count)
            for (index, database) in databases.enumerated() where !Task.isCancelled {
                let now = clock.now()
                let times = BackupFolder.backups(of: database.name, in: plan.folder).map(\.time)
                guard schedule.isDue(index, backups: times, at: now), Self.mayTry(failed[database.name], at: now)
                else { continue }
                // One that a call has begun: this one comes at the next look.
                guard work.begin(database.name) else { continue }
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

    /// Makes the backup that was begun, and removes old ones.
    ///
    /// - Returns: whether there is a new backup.
    @discardableResult
    func backUp(_ database: Backup.Source) async -> Bool {
        switch await work.make(database) {
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
}
