/// Told what happens to readers of changes. Called on the threads of requests: must be quick and must not block.
package protocol FeedObserver: Sendable {
    func observe(_ event: FeedEvent)
}

package struct NoFeedObserver: FeedObserver {
    package init() {}
    package func observe(_ event: FeedEvent) {}
}

package enum FeedEvent: Hashable, Sendable {
    /// A request was refused before its first event.
    case refused(FeedParty, FeedFailure)
    /// A reader follows the changes from now on.
    case opened(FeedParty)
    /// A reader was sent events.
    case told(FeedParty, events: Int)
    /// A reader is over.
    case ended(FeedParty, FeedEnding, lifeMilliseconds: UInt64)
}

/// Who reads changes, or tried to.
package struct FeedParty: Hashable, Sendable {
    /// As the path names it; there may be none of this name.
    package var database: String
    package var address: String
    /// Nil where no good token was shown.
    package var user: String?
}

/// Why a reader is over.
package enum FeedEnding: Hashable, Sendable {
    /// It asked for what there is, and has it.
    case complete
    /// It has left, or did not read.
    case gone
    /// It was told this.
    case failed(FeedFailure.Code)

    package var name: String {
        switch self {
        case .complete: "complete"
        case .gone: "gone"
        case .failed(let code): code.name
        }
    }
}
