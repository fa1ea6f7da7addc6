import CausewayStore
import Synchronization

/// The threads that read a database, and whether all that works on it still answers.
///
/// What a connected device waits for (a commit's small difference, a heartbeat, an answer) is done on `quick`, where no
/// piece takes longer than `stepMilliseconds`: what would take longer stops and is done again from its beginning on
/// another thread, where pieces of several devices come in turn. What is about rows that changed goes to one of the `behind`
/// threads, what is about whole classes to one of the `long` ones: the dearest queries are asked there, and who lags behind
/// because others wrote much does not wait for them. Hellos have a thread of their own, for one that has something to
/// write waits for the commit that runs.
final class ReadingLanes: Sendable {
    let quick = StoreThread(label: "causeway.read")
    let hellos = StoreThread(label: "causeway.hello")
    private let behind: [StoreThread]
    private let long: [StoreThread]

    /// How long a piece of work may keep others waiting.
    static let stepMilliseconds = 20
    /// About how many changed objects the quick thread goes over at once: they take fewer milliseconds than that.
    static let quickObjectsMax = 4_096
    /// Long pieces that run at a time; each may hold what it found of a whole class.
    static let longCount = 2

    /// Of one session's dear queries the devices of the other thread feel nothing.
    static let behindCount = 2

    init() {
        behind = (0..<Self.behindCount).map { StoreThread(label: "causeway.read.behind.\($0)") }
        long = (0..<Self.longCount).map { StoreThread(label: "causeway.read.long.\($0)") }
    }

    func thread(_ lane: ReadingLane, of session: UInt64) -> StoreThread {
        switch lane {
        case .quick: quick
        case .behind: behind[Int(session % UInt64(behind.count))]
        case .long: long[Int(session % UInt64(long.count))]
        }
    }

    var all: [StoreThread] { [quick, hellos] + behind + long }
}

/// Where a session's piece of work is done.
package enum ReadingLane: UInt8, AtomicRepresentable, Sendable {
    case quick
    /// More has changed than quick work goes over.
    case behind
    /// Whole classes.
    case long
}

/// The end of a piece of work: by the clock, or by what a test says instead.
package struct StepEnd: Sendable {
    private let ends: @Sendable () -> Bool

    package init(_ ends: @escaping @Sendable () -> Bool) { self.ends = ends }

    package var isReached: Bool { ends() }

    /// `ReadingLanes.stepMilliseconds` from now.
    package static let ofClock: @Sendable () -> StepEnd = {
        let end = ContinuousClock.now + .milliseconds(ReadingLanes.stepMilliseconds)
        return StepEnd { ContinuousClock.now >= end }
    }
}
