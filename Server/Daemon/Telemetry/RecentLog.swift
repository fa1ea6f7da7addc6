import Logging
import Synchronization

/// The newest lines of the log, in memory, for administrators who do not read it where it is written.
///
/// A line that nobody reads costs its JSON and an append under a lock.
final class RecentLog: Sendable {
    static let linesMax = 2_000
    /// Of all lines together, with what it costs to keep them.
    static let bytesMax = 1 << 20

    private let state = Mutex(State())

    /// Lines are numbered from 1 without gaps. The line of a number is at its remainder by `linesMax`.
    private struct State {
        var lines: [RecentLine?] = Array(repeating: nil, count: linesMax)
        var newest: UInt64 = 0
        var count = 0
        var bytes = 0

        var oldest: UInt64 { newest + 1 - UInt64(count) }

        func line(_ number: UInt64) -> RecentLine? { lines[Int(number % UInt64(linesMax))] }

        mutating func append(_ line: RecentLine) {
            newest += 1
            count += 1
            bytes += line.bytes
            while count > linesMax || bytes > bytesMax { removeOldest() }
            lines[Int(newest % UInt64(linesMax))] = line.numbered(newest)
        }

        private mutating func removeOldest() {
            let index = Int(oldest % UInt64(linesMax))
            bytes -= lines[index]?.bytes ?? 0
            lines[index] = nil
            count -= 1
        }
    }

    /// Gives the line its number.
    func append(_ line: RecentLine) { state.withLock { $0.append(line) } }

    /// The number of the newest line; zero before the first.
    var newest: UInt64 { state.withLock { $0.newest } }

    struct Page: Sendable {
        /// The oldest first.
        var lines: [RecentLine] = []
        /// The number behind which the next page begins.
        var next: UInt64
        /// How many lines in front of it were forgotten before somebody asked for them.
        var forgotten: UInt64 = 0
    }

    /// The newest lines.
    ///
    /// - Parameter level: of at least this level.
    func newest(_ countMax: Int, from level: Logger.Level = .trace) -> Page {
        state.withLock { state in
            var page = Page(next: state.newest)
            var number = state.newest
            while number >= state.oldest, number > 0, page.lines.count < countMax {
                if let line = state.line(number), line.level >= level { page.lines.append(line) }
                number -= 1
            }
            page.lines.reverse()
            return page
        }
    }

    /// The lines behind a number, the oldest first. A number that was not given yet is one of an earlier start of the
    /// server: the page begins with the oldest line.
    func lines(after number: UInt64, _ countMax: Int, from level: Logger.Level = .trace) -> Page {
        state.withLock { state in
            var page = Page(next: number > state.newest ? 0 : number)
            var next = max(page.next + 1, state.oldest)
            page.forgotten = next - page.next - 1
            while next <= state.newest, page.lines.count < countMax {
                if let line = state.line(next), line.level >= level { page.lines.append(line) }
                page.next = next
                next += 1
            }
            return page
        }
    }
}
