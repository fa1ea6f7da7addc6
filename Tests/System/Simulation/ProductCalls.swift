import CausewayModel
import CausewaySession
import CausewaySyncedFile
import CausewayWire

// What the simulation and the loopback do with the product alike.

extension SubscriptionTree {
    /// Stores queries as the newest version, as an app does that changes its subscriptions.
    ///
    /// - Returns: the version.
    func want(_ queries: [StandingQuery]) throws -> UInt64 {
        let never = Timestamp(seconds: 0, nanoseconds: 0)
        var record = try newest()
        record.version += 1
        record.state = .pending
        record.subscriptions = queries.enumerated().map { number, query in
            SubscriptionRecord(
                id: UInt64(number + 1), name: nil, className: query.className, predicate: query.predicate,
                createdAt: never, updatedAt: never)
        }
        store(record)
        return record.version
    }
}

extension DownloadWork {
    /// Begins a difference on the one thread that there is, in whichever lane it belongs.
    ///
    /// - Parameter moved: told of each lane that it had to be begun again in.
    /// - Returns: what goes out, and what is to be done next if that is known.
    func beginHere(
        _ request: DownloadConversation.DifferenceRequest, moved: (ReadingLane) -> Void = { _ in }
    ) -> (message: DownloadMessage?, due: DownloadConversation.Action?) {
        var lane = Self.lane(for: request)
        while true {
            switch begin(request, in: lane) {
            case .again(let other):
                moved(other)
                lane = other
            case .goesOn(let action): return (nil, action)
            case .sends(let message): return (message, nil)
            }
        }
    }
}
