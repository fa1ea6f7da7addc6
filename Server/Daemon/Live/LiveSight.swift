import CausewaySession

/// What readers of events are told of, at one moment.
struct LiveSight: Sendable {
    /// Rises with each change.
    var generation: UInt64 = 0
    var databases: [Database] = []

    struct Database: Hashable, Sendable {
        /// Tells it from an earlier one of its name.
        var identity: ObjectIdentifier
        var name: String
        var version: UInt64
        var sessions: Sessions
    }

    struct Sessions: Hashable, Sendable {
        var open: Int
        /// Those that wait for commits that concern them.
        var live: Int
    }
}

extension LiveSight.Sessions {
    init(_ census: SessionCensus) {
        open = census.counts.reduce(0) { $0 + ($1.key == .over ? 0 : $1.value) }
        live = census.counts[.live] ?? 0
    }
}
