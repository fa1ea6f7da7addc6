import CausewayStore
import Synchronization

/// The threads that read a database.
///
/// What a connected device waits for (a commit's small difference, a heartbeat, an answer) runs on `quick`, where no
/// piece takes longer than `stepMilliseconds`. Work that would take longer stops there and starts again on another
/// thread, where pieces of several devices take turns. Work on changed rows goes to one of the `behind` threads, work
/// on whole classes to one of the `long` ones. The most expensive queries run on `long`, so a device that lags behind
/// because others wrote much does not wait for them. Hellos have a thread of their own, because a hello that writes
/// waits for the running commit.
final class ReadingLanes: Sendable {
    let quick = StoreThread(label: "causeway.read")
    let hellos = StoreThread(label: "causeway.hello")
    private let behind: [StoreThread]
    private let long: [StoreThread]
    private let calls: [StoreThread]
    private let lastCall = Atomic<UInt64>(0)

    /// How long a piece of work may keep others waiting.
    static let stepMilliseconds = 20
    /// About how many changed objects the quick thread goes over at once: they take less than `stepMilliseconds`.
    static let quickObjectsMax = 4_096
    /// The most threads of a kind: each long piece may hold what it found of a whole class.
    static let countMax = 16

    /// Threads for calls of back ends. No device waits for them.
    static let callCount = 2

    /// - Parameter cores: of the machine. Even a small one gets two threads of each kind, so that one session's expensive
    ///   queries do not delay the devices of the other thread.
    init(cores: Int) {
        let count = min(max(cores, 2), Self.countMax)
        behind = (0..<count).map { StoreThread(label: "causeway.read.behind.\($0)") }
        long = (0..<count).map { StoreThread(label: "causeway.read.long.\($0)") }
        calls = (0..<Self.callCount).map { StoreThread(label: "causeway.read.call.\($0)") }
    }

    func thread(_ lane: ReadingLane, of session: UInt64) -> StoreThread {
        switch lane {
        case .quick: quick
        case .behind: behind[Int(session % UInt64(behind.count))]
        case .long: long[Int(session % UInt64(long.count))]
        }
    }

    /// The thread for the next piece of a call.
    func nextCall() -> StoreThread {
        calls[Int(lastCall.wrappingAdd(1, ordering: .relaxed).newValue % UInt64(calls.count))]
    }

    var all: [StoreThread] { [quick, hellos] + behind + long + calls }
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
