import CausewayModel
import CausewaySession
import CausewayStoreEmbedded
import Synchronization

/// Looks at what readers of events are told of: only while there are readers, and once for all of them. No commit waits for
/// it, because a commit tells it nothing.
final class LiveWatch: Sendable {
    private let tenants: Tenants
    private let log: RecentLog
    private let state = Mutex(State())

    private struct State {
        var sight = LiveSight()
        var newestLine: UInt64 = 0
        var nextCount = ContinuousClock.now

        mutating func take(_ databases: [LiveSight.Database], _ newestLine: UInt64) {
            guard databases != sight.databases || newestLine != self.newestLine else { return }
            sight.databases = databases
            self.newestLine = newestLine
            sight.generation += 1
        }
    }

    /// How often the sessions are counted: that takes as long as there are sessions.
    static let countPause = Duration.seconds(1)

    init(_ tenants: Tenants, _ log: RecentLog) {
        (self.tenants, self.log) = (tenants, log)
    }

    var sight: LiveSight { state.withLock { $0.sight } }

    /// Looks.
    ///
    /// - Returns: the generation of what there is to see.
    @discardableResult
    func look() -> UInt64 {
        state.withLock { state in
            let now = ContinuousClock.now
            let counts = now >= state.nextCount
            if counts { state.nextCount = now + Self.countPause }
            let known = Dictionary(
                state.sight.databases.map { ($0.identity, $0.sessions) }, uniquingKeysWith: { first, _ in first })
            let databases = tenants.all.map { tenant in
                let identity = ObjectIdentifier(tenant)
                let sessions = counts ? nil : known[identity]
                return LiveSight.Database(
                    identity: identity, name: tenant.name, version: tenant.store.version.rawValue,
                    sessions: sessions ?? LiveSight.Sessions(tenant.conversations.census()))
            }
            state.take(databases, log.newest)
            return state.sight.generation
        }
    }

    /// Has every reader look up, although nothing has changed.
    func stir() { state.withLock { $0.sight.generation += 1 } }
}
