import CausewayWire

/// How many sessions there may be, and what they may hold.
package struct SessionBounds: Hashable, Sendable {
    /// Bounds what hellos without a download can make the server keep.
    package var sessions: Int
    /// Of one user, so that nobody takes the places of all.
    package var sessionsOfUser: Int
    /// What the queries of one user's sessions may take, all together, as `QuerySet.weight` counts: each is kept, and
    /// looked at with every commit.
    package var queryBytesOfUser: Int
    /// What those of one user that are kept for open downloads may ask together, in terms: the text says little about
    /// how many there are. Ten devices that ask as much as a device may are taken always.
    package var queryTermsOfUser: Int
    /// What the plans of one user's open downloads may take beside the first one.
    package var planBytesOfUser: Int

    package init(
        sessions: Int = 20_000, sessionsOfUser: Int = 2_000, queryBytesOfUser: Int = 32 << 20,
        queryTermsOfUser: Int = 250_000, planBytesOfUser: Int = 256 << 20
    ) {
        self.sessions = sessions
        self.sessionsOfUser = sessionsOfUser
        self.queryBytesOfUser = queryBytesOfUser
        self.queryTermsOfUser = queryTermsOfUser
        self.planBytesOfUser = planBytesOfUser
    }
}

extension QuerySet {
    /// What keeping it takes, in bytes: the texts, and what every query takes however short it is.
    package var weight: Int { queries.reduce(0) { $0 + $1.predicate.utf8.count + $1.className.utf8.count + 256 } }
}

extension Hello {
    /// What the queries of its session take.
    var queryWeight: Int { held == wanted ? wanted.weight : held.weight + wanted.weight }
}
