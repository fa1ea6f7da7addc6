package import NIOCore
import Synchronization

/// The open connections, with a limit for all and one for each address.
package final class Connections: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var ofAddress: [PeerAddress: Int] = [:]
        var limit: Int
        var limitOfAddress: Int
        var refusals = 0
        var nextReport = NIODeadline.uptimeNanoseconds(0)
    }

    private let state: Mutex<State>

    /// The time between reports: a flood of connections must not become a flood of log lines.
    private static let reportPause = TimeAmount.seconds(60)

    package init(limit: Int, limitOfAddress: Int) {
        state = Mutex(State(limit: limit, limitOfAddress: limitOfAddress))
    }

    /// Other limits, for new connections. Open ones stay.
    package func take(limit: Int, limitOfAddress: Int) {
        state.withLock { ($0.limit, $0.limitOfAddress) = (limit, limitOfAddress) }
    }

    package var count: Int { state.withLock { $0.open.count } }
    package var all: [any Channel] { state.withLock { Array($0.open.values) } }

    /// Counts the connection until it closes; false when there are too many.
    package func admit(_ channel: any Channel) -> Bool {
        let (id, peer) = (ObjectIdentifier(channel), PeerAddress(channel.remoteAddress))
        let isAdmitted = state.withLock { state in
            guard state.open.count < state.limit, state.ofAddress[peer, default: 0] < state.limitOfAddress else {
                state.refusals += 1
                return false
            }
            state.open[id] = channel
            state.ofAddress[peer, default: 0] += 1
            return true
        }
        if isAdmitted { channel.closeFuture.whenComplete { [self] _ in closed(id, peer) } }
        return isAdmitted
    }

    private func closed(_ id: ObjectIdentifier, _ peer: PeerAddress) {
        state.withLock { state in
            state.open[id] = nil
            let left = state.ofAddress[peer, default: 1] - 1
            state.ofAddress[peer] = left > 0 ? left : nil
        }
    }

    /// How many were refused since the last report; nil when no report is due.
    package func refusalsToReport(at now: NIODeadline = .now()) -> Int? {
        state.withLock { state in
            guard state.refusals > 0, now >= state.nextReport else { return nil }
            defer { (state.refusals, state.nextReport) = (0, now + Self.reportPause) }
            return state.refusals
        }
    }
}
