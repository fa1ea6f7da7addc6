import NIOCore
import Synchronization

/// The current state of a shared connection, as its users and its watch report it.
final class ConnectionPresence: Sendable {
    private let state: Mutex<State>

    private struct State {
        var use: ConnectionUse
        /// What watches the present connection; nil while there is none.
        var watch: Watch?
    }

    private struct Watch {
        var handler: NIOLoopBound<ServerWatch>
        var eventLoop: any EventLoop
        var id: ObjectIdentifier
    }

    init(_ use: ConnectionUse) {
        state = Mutex(State(use: use))
    }

    var streamsMax: Int { state.withLock(\.use.streamsMax) }

    func begin(_ call: ConnectionUse.Call) -> Bool {
        state.withLock { $0.use.begin(call) }
    }

    /// Ends a call. Returns whether nobody uses the connection any more.
    func end(_ call: ConnectionUse.Call) -> Bool {
        state.withLock { state in
            state.use.end(call)
            return state.use.isIdle
        }
    }

    func retire() -> Bool {
        state.withLock { $0.use.retire() }
    }

    /// A caller has waited in vain: the connection must show that it lives, or it ends for everyone. A connection that
    /// is still being made must succeed or fail by itself, and gets no calls before.
    func doubt(provenWithin limit: TimeAmount) {
        guard let watch = state.withLock({ $0.use.doubt() ? $0.watch : nil }) else { return }
        watch.eventLoop.execute { watch.handler.value.prove(within: limit) }
    }

    // MARK: - For the watch

    /// Called on the connection's event loop.
    func opened(_ watch: ServerWatch, on eventLoop: any EventLoop) {
        let watch = Watch(
            handler: NIOLoopBound(watch, eventLoop: eventLoop), eventLoop: eventLoop, id: ObjectIdentifier(watch))
        state.withLock { state in
            state.watch = watch
            state.use.trust()
        }
    }

    func serverAllows(streams: Int) {
        state.withLock { $0.use.serverAllows(streams: streams) }
    }

    func heard() {
        state.withLock { $0.use.trust() }
    }

    func closed(_ watch: ServerWatch) {
        state.withLock { state in
            guard state.watch?.id == ObjectIdentifier(watch) else { return }
            state.watch = nil
            state.use.trust()
        }
    }
}
