import Synchronization

/// Finds out whether threads still run what they are given.
///
/// Asking is cheap and never waits: each thread that has answered the last question gets a new one, and for the others
/// it checks how long they have owed their answer.
final class Pulse: Sendable {
    private let threads: [StoreThread]
    /// Since when each thread owes an answer.
    private let owedSince: Mutex<[UInt64?]>

    init(_ threads: [StoreThread]) {
        self.threads = threads
        owedSince = Mutex(Array(repeating: nil, count: threads.count))
    }

    /// Whether no thread has owed an answer for longer than this.
    func beats(at now: UInt64, within milliseconds: UInt64) -> Bool { late(at: now, within: milliseconds).isEmpty }

    /// The threads that have owed an answer for longer than this, by their labels.
    func late(at now: UInt64, within milliseconds: UInt64) -> [String] {
        let (asked, late) = owedSince.withLock { owed in
            var asked: [Int] = []
            var late: [String] = []
            for (index, since) in owed.enumerated() {
                if let since {
                    if now > since + milliseconds { late.append(threads[index].label) }
                } else {
                    owed[index] = now
                    asked.append(index)
                }
            }
            return (asked, late)
        }
        for index in asked {
            threads[index].start { [self] in owedSince.withLock { $0[index] = nil } }
        }
        return late
    }
}
