import CausewayModel
import CausewayObjectStore
import Synchronization

/// The results of the last searches of one database: who scrolls through a result asks for many pieces of it, and it is found
/// once for each version.
final class LastFound: Sendable {
    struct Question: Hashable, Sendable {
        var version: UInt64
        var className: String
        var text: String
        var order: String
    }

    private struct Entry: Sendable {
        var question: Question
        var found: [ObjectKey]
    }

    /// The one that was used last stands last.
    private let entries = Mutex<[Entry]>([])

    static let countMax = 4
    /// Objects of all results together: eight bytes each.
    static let objectsMax = 4_000_000

    subscript(question: Question) -> [ObjectKey]? {
        entries.withLock { entries in
            guard let place = entries.firstIndex(where: { $0.question == question }) else { return nil }
            let entry = entries.remove(at: place)
            entries.append(entry)
            return entry.found
        }
    }

    func keep(_ found: [ObjectKey], for question: Question) {
        guard found.count <= Self.objectsMax else { return }
        entries.withLock { entries in
            entries.removeAll { $0.question == question }
            entries.append(Entry(question: question, found: found))
            var count = entries.reduce(0) { $0 + $1.found.count }
            while entries.count > Self.countMax || count > Self.objectsMax {
                count -= entries.removeFirst().found.count
            }
        }
    }
}
