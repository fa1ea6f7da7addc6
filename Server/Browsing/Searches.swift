import CausewayAdmin
import Synchronization

/// The searches of one database: those that run, and what the last ones have found.
package final class Searches: Sendable {
    let found = LastFound()
    private let running = Mutex(0)

    /// More than these would hold too much in memory. Pieces of them take turns.
    static let runningMax = 4

    package init() {}

    /// A place for one more search. It is given back with the last reference.
    func enter() throws(AdminError) -> Place {
        let isFree = running.withLock { running in
            guard running < Self.runningMax else { return false }
            running += 1
            return true
        }
        guard isFree else {
            throw AdminError(
                .serverBusy, "\(Self.runningMax) searches of this database run, and no more do at a time. Try again.")
        }
        return Place(of: self)
    }

    final class Place: Sendable {
        private let searches: Searches

        fileprivate init(of searches: Searches) { self.searches = searches }

        deinit { searches.running.withLock { $0 -= 1 } }
    }
}
