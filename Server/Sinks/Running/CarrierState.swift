import Synchronization

/// How a sink or a webhook is doing, for whoever watches the server.
package final class CarrierState: Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// Carries one-way objects, in the order of their arrival.
        case sink
        /// Carries the change feed, version by version.
        case webhook
    }

    package struct Snapshot: Hashable, Sendable {
        /// Objects or events that the place has.
        package var taken: UInt64 = 0
        package var batches: UInt64 = 0
        package var failures: UInt64 = 0
        /// Attempts that were made after a failure.
        package var retries: UInt64 = 0
        /// Whether the place has told how far it is, since the start.
        package var isOpened = false
        /// The place has everything through this arrival or version.
        package var position: UInt64 = 0
        /// The newest arrival or version when it was looked at last.
        package var newest: UInt64 = 0
        /// When the server received the newest of what the place has, in milliseconds since 1970.
        package var takenTime: UInt64 = 0
        /// When the place took something last, or had everything; nil before.
        package var lastSuccess: ContinuousClock.Instant?
        /// The failure that holds it up; nil while it works.
        package var failure: String?

        /// Whether something waits.
        package var isBehind: Bool { position < newest }
    }

    package let database: String
    package let kind: Kind
    package let name: String
    private let state = Mutex(Snapshot())
    private let takenClasses = Mutex<TakenClasses?>(nil)

    package init(database: String, _ kind: Kind, name: String) {
        self.database = database
        self.kind = kind
        self.name = name
    }

    package var now: Snapshot { state.withLock { $0 } }

    /// What a sink takes; nil before it was opened for the first time.
    var classes: TakenClasses? { takenClasses.withLock { $0 } }

    func takes(_ classes: TakenClasses) { takenClasses.withLock { $0 = classes } }

    func opened(at position: UInt64) {
        state.withLock { ($0.position, $0.isOpened) = (position, true) }
    }

    /// An attempt begins.
    func begins() {
        state.withLock { if $0.failure != nil { $0.retries += 1 } }
    }

    /// The place has what there was for it.
    func succeeded() {
        state.withLock { ($0.lastSuccess, $0.failure) = (.now, nil) }
    }

    func saw(newest: UInt64) { state.withLock { $0.newest = max(newest, $0.newest) } }

    func took(_ count: Int, through position: UInt64, receivedAt time: UInt64) {
        state.withLock { state in
            state.taken += UInt64(count)
            state.batches += 1
            state.position = position
            if time > 0 { state.takenTime = time }
            state.failure = nil
        }
    }

    /// - Returns: whether this is news.
    func failed(_ message: String) -> Bool {
        state.withLock { state in
            state.failures += 1
            defer { state.failure = message }
            return state.failure != message
        }
    }
}
