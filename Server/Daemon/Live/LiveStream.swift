import CausewayFeed
import CausewayHTTP

/// The answer to one reader of events, until it goes or has to end.
struct LiveStream: Sendable {
    private let live: LiveEvents
    private let place: LiveReaders.Place
    private let line: UInt64?

    /// How many lines are told at a time.
    static let linesMax = 100

    init(_ live: LiveEvents, _ place: LiveReaders.Place, linesAfter line: UInt64?) {
        (self.live, self.place, self.line) = (live, place, line)
    }

    func run(_ writer: HTTPBodyWriter) async throws {
        let start = ContinuousClock.now
        var progress = LiveProgress(line: line)
        var lastSign = start
        live.watch.look()
        while true {
            try Task.checkCancellation()
            if let ending = place.ending { return try await write([.end(ending)], writer) }
            let sight = live.watch.sight
            let now = Self.milliseconds(since: start)
            var events = progress.events(of: sight.databases, at: now)
            let lines = self.lines(behind: progress.line)
            if let lines { events += progress.events(of: lines) }
            if !events.isEmpty {
                try await write(events, writer)
                lastSign = .now
            } else if Self.milliseconds(since: lastSign) >= live.signMilliseconds {
                try await writer.write(EventStream.signOfLife)
                lastSign = .now
            }
            // There may be more of them.
            if lines?.lines.count == Self.linesMax { continue }
            let untilSign = live.signMilliseconds - min(live.signMilliseconds, Self.milliseconds(since: lastSign))
            let untilDue = progress.due.map { $0 - min($0, Self.milliseconds(since: start)) } ?? untilSign
            await live.bell.wait(beyond: sight.generation, milliseconds: max(1, min(untilSign, untilDue)))
        }
    }

    /// Nil for a reader of databases alone.
    private func lines(behind line: UInt64?) -> RecentLog.Page? {
        line.map { live.log.lines(after: $0, Self.linesMax) }
    }

    private func write(_ events: [LiveEvent], _ writer: HTTPBodyWriter) async throws {
        var bytes: [UInt8] = []
        for event in events { event.append(to: &bytes) }
        try await writer.write(bytes)
    }

    private static func milliseconds(since start: ContinuousClock.Instant) -> UInt64 {
        UInt64(max(0, start.duration(to: .now) / .milliseconds(1)))
    }
}
