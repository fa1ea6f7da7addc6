import Logging
import NIOCore

/// Closes a connection whose client asks and asks, and does not read what it is answered.
///
/// A stream is over for the server once its answer is written, whether or not the socket takes it: so the bound on
/// streams does not bound the answers that pile up in front of a socket that nobody reads from.
final class UnreadAnswers: Sendable {
    private let count: NIOLoopBoundBox<Int>
    private let isCut: NIOLoopBoundBox<Bool>
    private let connection: any Channel
    private let watch: ConnectionWatch
    private let desk: Desk

    /// On the connection's event loop.
    init(_ connection: any Channel, _ watch: ConnectionWatch, _ desk: Desk) {
        count = NIOLoopBoundBox(0, eventLoop: connection.eventLoop)
        isCut = NIOLoopBoundBox(false, eventLoop: connection.eventLoop)
        self.connection = connection
        self.watch = watch
        self.desk = desk
    }

    /// A promise for one more answer, kept when the socket has taken it.
    func next() -> EventLoopPromise<Void> {
        let promise = connection.eventLoop.makePromise(of: Void.self)
        count.value += 1
        promise.futureResult.whenComplete { [count] _ in count.value -= 1 }
        if count.value > countMax, !isCut.value {
            isCut.value = true
            // Strangers come again and again: a line for each would be a flood of its own.
            desk.logger.log(
                level: watch.isKnown ? .info : .debug,
                "a client does not read its answers: its connection is closed")
            connection.cut()
        }
        return promise
    }

    private var countMax: Int {
        watch.isKnown ? desk.limits.unreadAnswersPerConnection : desk.limits.unreadAnswersOfStranger
    }
}
