import Logging

/// What one reader of events was told, and so what comes next. A value without a clock.
///
/// A reader has no queue. Whenever it takes more, it is told how the databases are by then: what came in between is left
/// out. The lines that wait for it are those that the log keeps, and a line says how many were forgotten meanwhile.
struct LiveProgress: Sendable {
    private struct Known {
        var version: UInt64?
        /// When the version was told.
        var time: UInt64 = 0
        var sessions: LiveSight.Sessions?
    }

    /// Nil before the first look.
    private var databases: [ObjectIdentifier: Known]?
    /// The number of the last line that was told; nil for a reader of databases alone.
    private(set) var line: UInt64?
    /// When something can be told that is held back now; nil for nothing.
    private(set) var due: UInt64?

    /// The least time between two versions of one database: four a second.
    static let versionMilliseconds: UInt64 = 250

    init(line: UInt64?) { self.line = line }

    /// What is new of the databases. The first time, everything is.
    ///
    /// - Parameter now: in milliseconds, by any clock that does not go back.
    mutating func events(of seen: [LiveSight.Database], at now: UInt64) -> [LiveEvent] {
        due = nil
        var events: [LiveEvent] = []
        if let databases, Set(databases.keys) != Set(seen.map(\.identity)) { events.append(.databases) }
        var next: [ObjectIdentifier: Known] = [:]
        for database in seen {
            var known = databases?[database.identity] ?? Known()
            take(database, &known, now, &events)
            next[database.identity] = known
        }
        databases = next
        return events
    }

    private mutating func take(
        _ database: LiveSight.Database, _ known: inout Known, _ now: UInt64, _ events: inout [LiveEvent]
    ) {
        if known.version != database.version {
            let time = known.version == nil ? now : known.time + Self.versionMilliseconds
            if time <= now {
                events.append(.version(database.version, database: database.name))
                (known.version, known.time) = (database.version, now)
            } else {
                due = min(due ?? time, time)
            }
        }
        if known.sessions != database.sessions {
            events.append(.sessions(database.sessions, database: database.name))
            known.sessions = database.sessions
        }
    }

    /// - Parameter page: the lines behind `line`.
    mutating func events(of page: RecentLog.Page) -> [LiveEvent] {
        defer { line = page.next }
        guard let first = page.lines.first else { return [] }
        let gap = page.forgotten > 0 ? [LiveEvent.log(.leftOut(page.forgotten, before: first))] : []
        return gap + page.lines.map(LiveEvent.log)
    }
}

extension RecentLine {
    /// Stands in the place of lines that were forgotten before a reader took them.
    fileprivate static func leftOut(_ count: UInt64, before line: RecentLine) -> RecentLine {
        RecentLine(
            time: line.time, .notice, "lines were left out: this reader came too late for them",
            ["count": .number(count)]
        ).numbered(line.number - 1)
    }
}
