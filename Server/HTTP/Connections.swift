package import NIOCore
import Synchronization

/// The open connections, and those among them whose handshake is not over. Each has a limit for all and one for each
/// address.
package final class Connections: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var ofAddress: [PeerAddress: Int] = [:]
        var limits: Limits
        /// Those whose handshake is not over.
        var shaking: [ObjectIdentifier: PeerAddress] = [:]
        var shakingOfAddress: [PeerAddress: Int] = [:]
        var refusals = 0
        var nextReport = NIODeadline.uptimeNanoseconds(0)
    }

    package struct Limits: Hashable, Sendable {
        package var connections: Int
        package var connectionsOfAddress: Int
        package var handshakes: Int
        package var handshakesOfAddress: Int

        package init(
            connections: Int, connectionsOfAddress: Int, handshakes: Int = .max, handshakesOfAddress: Int = .max
        ) {
            self.connections = connections
            self.connectionsOfAddress = connectionsOfAddress
            self.handshakes = handshakes
            self.handshakesOfAddress = handshakesOfAddress
        }
    }

    /// Why there is no room for a connection.
    package struct Crowd: Hashable, Sendable {
        package var kind: Kind
        package var limit: Int

        package enum Kind: Hashable, Sendable {
            case connections
            case connectionsOfAddress
            case handshakes
            case handshakesOfAddress
        }
    }

    private let state: Mutex<State>

    /// The time between reports: a flood of connections must not become a flood of log lines.
    private static let reportPause = TimeAmount.seconds(60)

    package init(_ limits: Limits) {
        state = Mutex(State(limits: limits))
    }

    /// Other limits, for new connections. Open ones stay.
    package func take(_ limits: Limits) {
        state.withLock { $0.limits = limits }
    }

    package var count: Int { state.withLock { $0.open.count } }
    package var all: [any Channel] { state.withLock { Array($0.open.values) } }

    /// Counts the connection until it closes, and its handshake until `established`.
    ///
    /// - Returns: nil, or why there is no room for it.
    package func admit(_ channel: any Channel) -> Crowd? {
        let (id, peer) = (ObjectIdentifier(channel), PeerAddress(channel.remoteAddress))
        let crowd: Crowd? = state.withLock { state in
            if let shortage = Self.shortage(for: peer, in: state) {
                state.refusals += 1
                return shortage
            }
            state.open[id] = channel
            state.ofAddress[peer, default: 0] += 1
            state.shaking[id] = peer
            state.shakingOfAddress[peer, default: 0] += 1
            return nil
        }
        if crowd == nil { channel.closeFuture.whenComplete { [self] _ in closed(id, peer) } }
        return crowd
    }

    private static func shortage(for peer: PeerAddress, in state: State) -> Crowd? {
        let limits = state.limits
        let counts: [(Int, Int, Crowd.Kind)] = [
            (state.open.count, limits.connections, .connections),
            (state.ofAddress[peer, default: 0], limits.connectionsOfAddress, .connectionsOfAddress),
            (state.shaking.count, limits.handshakes, .handshakes),
            (state.shakingOfAddress[peer, default: 0], limits.handshakesOfAddress, .handshakesOfAddress),
        ]
        return counts.first { $0.0 >= $0.1 }.map { Crowd(kind: $0.2, limit: $0.1) }
    }

    /// The handshake of a connection is over.
    package func established(_ channel: any Channel) {
        state.withLock { Self.endHandshake(of: ObjectIdentifier(channel), &$0) }
    }

    private func closed(_ id: ObjectIdentifier, _ peer: PeerAddress) {
        state.withLock { state in
            state.open[id] = nil
            Self.countDown(peer, &state.ofAddress)
            Self.endHandshake(of: id, &state)
        }
    }

    private static func endHandshake(of id: ObjectIdentifier, _ state: inout State) {
        guard let peer = state.shaking.removeValue(forKey: id) else { return }
        countDown(peer, &state.shakingOfAddress)
    }

    private static func countDown(_ peer: PeerAddress, _ counts: inout [PeerAddress: Int]) {
        let left = counts[peer, default: 1] - 1
        counts[peer] = left > 0 ? left : nil
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
