import CausewayStore
import Synchronization

/// The threads that read a database, and whether all that works on it still answers.
///
/// What a connected device waits for (a commit's small difference, a heartbeat, an answer) is done on `quick`, where no
/// piece takes longer than `stepMilliseconds`: what would take longer stops and is done again from its beginning on one of
/// the `long` threads, where pieces of several devices come in turn. Hellos have a thread of their own, for one that has
/// something to write waits for the commit that runs.
final class ReadingLanes: Sendable {
    let quick = StoreThread(label: "causeway.read")
    let hellos = StoreThread(label: "causeway.hello")
    private let long: [StoreThread]

    /// How long a piece of work may keep others waiting.
    static let stepMilliseconds = 20
    /// About how many changed objects the quick thread goes over at once: they take fewer milliseconds than that.
    static let quickObjectsMax = 4_096
    /// Long pieces that run at a time; each may hold what it found of a whole class.
    static let longCount = 2

    init() {
        long = (0..<Self.longCount).map { StoreThread(label: "causeway.read.long.\($0)") }
    }

    /// The thread of a session's long work.
    func long(_ session: UInt64) -> StoreThread {
        long[Int(session % UInt64(long.count))]
    }

    var all: [StoreThread] { [quick, hellos] + long }
}

/// The end of a piece of work.
struct StepEnd {
    private let end = ContinuousClock.now + .milliseconds(ReadingLanes.stepMilliseconds)

    var isReached: Bool { ContinuousClock.now >= end }
}
