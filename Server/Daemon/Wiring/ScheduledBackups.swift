import CausewayBackup
import CausewayEnvironment
import CausewayStoreEmbedded
import Logging
import ServiceLifecycle

/// Makes the backups of the section `backups`: one at a time, on a thread of the lowest priority. Old ones are removed
/// only when a newer one is whole.
///
/// When the server ends, a backup that is under way is given up. What it leaves is removed by the next one.
struct ScheduledBackups: Service {
    /// A database that is served.
    struct Served: Hashable, Sendable {
        var source: Backup.Source
        /// Which one it is. Its backups are told from those of an earlier one with the same name.
        var epoch: UInt64
    }

    let work: BackupWork
    /// Those there are, in the order of the configuration, which is their order within a period.
    let databases: @Sendable () -> [Served]
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
                let name = database.source.name
                let backups = BackupFolder.backups(of: name, epoch: database.epoch, in: plan.folder)
                work.note(backups.last, of: name)
                guard schedule.isDue(index, backups: backups.map(\.name.time), at: now),
                    Self.mayTry(failed[name], at: now)
                else { continue }
                // One that a call has begun: this one comes at the next look.
                guard work.begin(name) else { continue }
                failed[name] = await backUp(database) ? nil : clock.now()
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
    func backUp(_ served: Served) async -> Bool {
        let database = served.source
        switch await work.make(database) {
        case .success(let facts):
            logger.info(
                "a backup was made",
                metadata: [
                    "database": "\(database.name)", "path": "\(facts.path)", "version": "\(facts.manifest.version)",
                    "bytes": "\(facts.manifest.bytes)", "seconds": "\(ShownProgress.seconds(facts.seconds))",
                ])
            thin(served)
            return true
        case .failure(let error) where error.code == .abandoned: return false
        case .failure(let error):
            logger.error(
                "a backup failed, and older ones were kept: \(error.message)",
                metadata: ["database": "\(database.name)"])
            return false
        }
    }

    private func thin(_ served: Served) {
        let database = served.source.name
        do throws(BackupError) {
            let removed = try BackupFolder.thin(
                database, epoch: served.epoch, in: plan.folder, keep: plan.keep, at: clock.now())
            for name in removed {
                logger.info("an old backup was removed", metadata: ["database": "\(database)", "name": "\(name)"])
            }
        } catch {
            logger.error("old backups stay: \(error.message)", metadata: ["database": "\(database)"])
        }
    }
}

extension Tenant {
    var served: ScheduledBackups.Served {
        ScheduledBackups.Served(source: Backup.Source(name: name, folder: folder), epoch: store.epoch)
    }
}
