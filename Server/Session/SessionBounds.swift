import CausewayWire

/// How many sessions there may be, and what they may hold.
package struct SessionBounds: Hashable, Sendable {
    /// Bounds what hellos without a download can make the server keep.
    package var sessions: Int
    /// Of one user, so that no user takes all places.
    package var sessionsOfUser: Int
    /// Sessions whose devices begin anew and have not got everything yet. Each may read whole classes.
    package var beginnings: Int
    /// Bytes that the queries of one user's sessions may take together, as `QuerySet.weight` counts them: each query is
    /// kept, and evaluated with every commit.
    package var queryBytesOfUser: Int
    /// Terms that the queries kept for one user's open downloads may have together: the length of a text says little
    /// about their number. Ten devices that each use up a device's limit are always accepted.
    package var queryTermsOfUser: Int
    /// Bytes that the plans of one user's open downloads may take together. One plan alone may take more.
    package var planBytesOfUser: Int

    package init(
        sessions: Int = 20_000, sessionsOfUser: Int = 2_000, beginnings: Int = 5_000, queryBytesOfUser: Int = 32 << 20,
        queryTermsOfUser: Int = 250_000, planBytesOfUser: Int = 256 << 20
    ) {
        self.sessions = sessions
        self.sessionsOfUser = sessionsOfUser
        self.beginnings = beginnings
        self.queryBytesOfUser = queryBytesOfUser
        self.queryTermsOfUser = queryTermsOfUser
        self.planBytesOfUser = planBytesOfUser
    }
}

extension QuerySet {
    /// The bytes that keeping the set takes: its texts, and a fixed amount for each query.
    package var weight: Int { queries.reduce(0) { $0 + $1.predicate.utf8.count + $1.className.utf8.count + 256 } }
}

extension Hello {
    /// Whether the device has nothing of what it wants.
    var beginsAnew: Bool { checkpoint.isBeforeFirst && staged == nil && !wanted.queries.isEmpty }

    /// The bytes that the queries of its session take.
    var queryWeight: Int { held == wanted ? wanted.weight : held.weight + wanted.weight }
}
