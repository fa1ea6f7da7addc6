import CausewayAdmin
import CausewayFeed
import CausewayHTTP

/// Tells administrators what happens, while it happens: `GET /admin/v1/events`.
final class LiveEvents: Sendable {
    let log: RecentLog
    let watch: LiveWatch
    let readers = LiveReaders()
    let bell: NewsBell
    /// The time between two signs of life for a reader.
    let signMilliseconds: UInt64

    static let signMillisecondsStandard: UInt64 = 15_000

    init(
        _ tenants: Tenants, log: RecentLog = RecentLog(), signMilliseconds: UInt64 = signMillisecondsStandard
    ) {
        let watch = LiveWatch(tenants, log)
        (self.log, self.watch, self.signMilliseconds) = (log, watch, signMilliseconds)
        bell = NewsBell { watch.look() }
    }

    /// Takes a place for a reader, who is told everything from now on.
    ///
    /// - Parameter line: the number of the line of the log behind which it is told lines; nil for a reader who wants none.
    func answer(linesAfter line: UInt64?) throws(AdminError) -> HTTPAnswer {
        let stream = LiveStream(self, try readers.enter(), linesAfter: line)
        return HTTPAnswer(
            status: 200, headers: [.init("content-type", EventStream.contentType)],
            body: .stream { writer in try await stream.run(writer) })
    }

    /// Ends the readers that there are, with a word.
    func end(_ error: AdminError) {
        readers.end(error)
        wakeAll()
    }

    /// Ends all readers for good: the server ends.
    func close() {
        readers.close(.serverEnds)
        wakeAll()
    }

    /// Also those that are about to wait.
    private func wakeAll() {
        watch.stir()
        bell.ring()
    }
}

extension AdminError {
    /// Readers began with the token that counts no more.
    static let tokenReplaced = AdminError(
        .tokenInvalid, "The administrator's token was replaced. Connect again with the new one.")

    fileprivate static let serverEnds = AdminError(.serverBusy, "The server ends. Connect again when it runs.")
}
