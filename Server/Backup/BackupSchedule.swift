/// When each database is backed up: once in a period, the databases one after the other within it.
///
/// A period has one moment for each database, counted from 1970, so that a restart changes nothing and two databases are
/// not copied at the same time of day. A database is due when its newest backup is older than its last moment. So a new
/// database, and one whose moment passed while no server ran, is due at once.
package struct BackupSchedule: Hashable, Sendable {
    package var periodMilliseconds: UInt64
    /// How many databases share a period.
    package var databases: Int

    package init(everyHours: Int, databases: Int) {
        periodMilliseconds = UInt64(max(1, everyHours)) * 3_600_000
        self.databases = max(1, databases)
    }

    /// The last moment of a database up to now, in milliseconds since 1970.
    ///
    /// - Parameter index: of the database.
    package func lastMoment(of index: Int, at now: UInt64) -> UInt64 {
        let offset = periodMilliseconds / UInt64(databases) * UInt64(index % databases)
        guard now >= offset else { return 0 }
        return (now - offset) / periodMilliseconds * periodMilliseconds + offset
    }

    /// - Parameter backups: when the backups of the database began. Those in the future were named by a clock that was
    ///   wrong, and do not count.
    package func isDue(_ index: Int, backups: [UInt64], at now: UInt64) -> Bool {
        // Names have whole seconds.
        let moment = lastMoment(of: index, at: now) / 1_000 * 1_000
        return !backups.contains { $0 >= moment && $0 <= now }
    }
}
