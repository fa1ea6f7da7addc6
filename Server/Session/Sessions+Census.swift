import CausewayModel
import CausewaySubscriptions
import Synchronization

/// How many sessions there are, by what they are at.
package struct SessionCensus: Hashable, Sendable {
    package enum State: String, CaseIterable, Hashable, Sendable {
        /// Its device has not asked for its download.
        case opened
        /// Waits for commits that concern it.
        case live
        /// What its device lacks is being found out.
        case computing
        /// Its device is being told changes.
        case telling
        /// Its device is being told a whole view.
        case bootstrapping
        /// Waits for its turn to be compared.
        case queued
        /// Its device is being asked what it holds.
        case comparing
        case over
    }

    package var counts: [State: Int] = [:]
    package var audiences = 0
}

extension Sessions {
    /// - Complexity: that of all open sessions, each of which is locked for an instant.
    package func census() -> SessionCensus {
        var census = SessionCensus(audiences: audiences.withLock(\.audienceCount))
        for open in table.withLock({ $0.all }) {
            let state = open.isDownloading ? open.conversation.withLock(\.state) : .opened
            census.counts[state, default: 0] += 1
        }
        return census
    }
}

extension Conversations {
    package func census() -> SessionCensus { sessions.census() }
}

extension DownloadConversation {
    var state: SessionCensus.State {
        switch phase {
        case .idle: .live
        case .computing: .computing
        case .queued: .queued
        case .comparing: .comparing
        case .telling: position == .zero ? .bootstrapping : .telling
        case .over: .over
        }
    }
}
