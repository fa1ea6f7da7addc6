import CausewayMerge
import Synchronization

/// The runs of the texts that were used last, so that the next edit of one need not read them. Shared by all who use the
/// file in this process; the token says whether they are still those of the file.
final class KnownRuns: Sendable {
    private struct Known {
        var token: UInt64
        var runs: TextRuns
    }

    private struct Content {
        var known: [[UInt8]: Known] = [:]
        /// The least recently used first.
        var order: [[UInt8]] = []
    }

    private let content = Mutex(Content())
    /// How many texts are kept. They take memory for each run, and nobody edits more at a time.
    static let countMax = 8

    /// Takes out what is known of a text, so that it can be changed without a copy.
    func take(_ key: [UInt8]) -> (token: UInt64, runs: TextRuns)? {
        content.withLock { content in
            guard let found = content.known.removeValue(forKey: key) else { return nil }
            content.order.removeAll { $0 == key }
            return (found.token, found.runs)
        }
    }

    func keep(_ runs: TextRuns, _ key: [UInt8], token: UInt64) {
        content.withLock { content in
            content.order.removeAll { $0 == key }
            content.order.append(key)
            content.known[key] = Known(token: token, runs: runs)
            if content.order.count > Self.countMax { content.known[content.order.removeFirst()] = nil }
        }
    }
}
