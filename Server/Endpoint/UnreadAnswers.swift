import Logging
import NIOCore

/// Closes a connection whose client keeps asking and does not read the answers.
///
/// A stream is over for the server once its answer is written, whether or not the socket takes it. So the limit on
/// streams does not limit the answers that wait for a socket that nobody reads from.
final class UnreadAnswers: Sendable {
    private struct State {
        var count = 0
        /// Whether the count will be checked, after what was read is handled.
        var isLookedAt = false
        var isCut = false
    }

    private let state: NIOLoopBoundBox<State>
    private let connection: any Channel
    private let watch: ClientWatch
    private let desk: Desk

    /// Must be called on the connection's event loop.
    init(_ connection: any Channel, _ watch: ClientWatch, _ desk: Desk) {
        state = NIOLoopBoundBox(State(), eventLoop: connection.eventLoop)
        self.connection = connection
        self.watch = watch
        self.desk = desk
    }

    /// A promise for one more answer, fulfilled when the socket has taken it.
    func next() -> EventLoopPromise<Void> {
        let promise = connection.eventLoop.makePromise(of: Void.self)
        state.value.count += 1
        promise.futureResult.whenComplete { [state] _ in state.value.count -= 1 }
        if state.value.count > countMax, !state.value.isLookedAt {
            // Answers to requests that came together go to the socket together, when all of them were read.
            state.value.isLookedAt = true
            connection.eventLoop.assumeIsolated().execute { self.look() }
        }
        return promise
    }

    private func look() {
        state.value.isLookedAt = false
        guard state.value.count > countMax, !state.value.isCut else { return }
        state.value.isCut = true
        // Strangers come again and again: a line for each would be a flood of its own.
        desk.logger.log(
            level: watch.isKnown ? .info : .debug, "a client does not read its answers: its connection is closed")
        connection.cut()
    }

    private var countMax: Int {
        watch.isKnown ? desk.limits.unreadAnswersPerConnection : desk.limits.unreadAnswersOfStranger
    }
}
