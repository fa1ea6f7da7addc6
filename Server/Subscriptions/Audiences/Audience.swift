import CausewayModel
import CausewayStore

/// What the sessions with the same queries under the same rules have in common: which commits concern them.
struct Audience {
    let queries: StandingQueries
    /// The audience's predicate in the index of each class.
    let predicates: [(classNumber: Int, number: Int)]
    var members: Set<UInt64> = []
    /// The newest version of the last look at the commits that found one which concerns the audience.
    private(set) var lastConcerned = ServerVersion.zero
    /// The versions behind which the last looks of this kind began, ascending.
    private var beginnings: [ServerVersion] = []
    /// What concerned the audience up to here is no longer in `beginnings`.
    private var forgotten = ServerVersion.zero

    init(_ queries: StandingQueries, predicates: [(classNumber: Int, number: Int)]) {
        self.queries = queries
        self.predicates = predicates
    }

    /// A device that lags further behind than this goes through more of the history than concerns it.
    static let beginningsMax = 32

    /// Of the commits after one version and through another some concern the audience.
    mutating func concern(after start: ServerVersion, through end: ServerVersion) {
        lastConcerned = end
        beginnings.append(start)
        if beginnings.count > Self.beginningsMax { forgotten = beginnings.removeFirst() }
    }

    /// A version, not before the given one, through which nothing has concerned the audience.
    func start(from position: ServerVersion) -> ServerVersion {
        guard position > forgotten else { return position }
        return beginnings.first { $0 >= position } ?? position
    }
}
