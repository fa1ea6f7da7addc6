import CausewayJSON
package import CausewayEnvironment
package import CausewayFeed
import CausewayModel
import CausewaySession
package import CausewayStore
package import Logging
import Synchronization

/// Posts the change feed of a database to an address, batch by batch: each event at least once, in order. The position is saved
/// in the database after the receiver has taken a batch. One batch is on its way at a time.
package final class FeedHook: Carrier {
    package struct Rules: Hashable, Sendable {
        package var name: String
        package var selection: FeedSelection
        package var eventsMax: Int
        package var bytesMax: Int
        /// The time between two savings of the position while there is nothing for the receiver. Without them a restart after a
        /// long time would find its position behind the history, and tell a gap that there is not.
        package var idleSaveMilliseconds: UInt64 = 60_000

        package init(
            name: String, selection: FeedSelection = FeedSelection(), eventsMax: Int = 100, bytesMax: Int = 1 << 20
        ) {
            self.name = name
            self.selection = selection
            self.eventsMax = eventsMax
            self.bytesMax = bytesMax
        }
    }

    package let state: CarrierState
    private let rules: Rules
    private let sender: WebhookSender
    private let source: FeedSource
    private let positions: SavedPosition
    private let random: any RandomSource
    private let logger: Logger
    /// Used by one step at a time.
    private let reader: Mutex<FeedReader>

    /// How many versions without an event for the receiver are gone over before the position is saved anyway.
    private static let versionsUnsavedMax: UInt64 = 1_000
    private static let waitMilliseconds: UInt64 = 60_000

    /// - Parameter state: is told the names of the database and the hook.
    package init(
        _ rules: Rules, to sender: WebhookSender, source: FeedSource, keeping: any OneWayKeeping, state: CarrierState,
        random: any RandomSource, logger: Logger
    ) {
        self.rules = rules
        self.sender = sender
        self.source = source
        self.state = state
        self.random = random
        self.logger = logger
        positions = SavedPosition(keeping, name: "webhook/\(rules.name)")
        reader = Mutex(FeedReader(from: FeedPosition(.zero), rules.selection))
    }

    package func run() async {
        var backoff = Backoff(random: random)
        while !Task.isCancelled {
            state.begins()
            do throws(SinkFailure) {
                try await follow {
                    backoff.succeeded()
                    state.succeeded()
                }
            } catch {
                let milliseconds = backoff.failed()
                report(error, milliseconds)
                try? await Task.sleep(for: .milliseconds(milliseconds))
            }
        }
        await sender.close()
    }

    /// Until the first failure, or the end.
    private func follow(_ succeeded: () -> Void) async throws(SinkFailure) {
        var saved = try await begin()
        var lastSave = ContinuousClock.now
        while !Task.isCancelled, !source.bell.isEnded {
            let batch: Batch
            do throws(FeedFailure) {
                batch = try await next()
            } catch {
                saved = try await leap(over: error)
                continue
            }
            state.saw(newest: source.backend.version.rawValue)
            if !batch.events.isEmpty {
                try await sender.post(body(of: batch.events), delivery: "\(rules.name)-\(batch.position.text)")
            }
            if !batch.events.isEmpty || isDue(batch.position.version.rawValue, saved, lastSave) {
                try await positions.save(batch.position.text)
                saved = batch.position.version.rawValue
                lastSave = .now
            }
            state.took(batch.events.count, through: batch.position.version.rawValue, receivedAt: batch.time)
            succeeded()
            if batch.isLeft { continue }
            await source.bell.wait(
                beyond: batch.position.version.rawValue,
                milliseconds: min(Self.waitMilliseconds, rules.idleSaveMilliseconds))
        }
        // The end of the bell comes a moment before that of the task.
        while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(50)) }
    }

    /// Whether the position of a batch without events is saved.
    private func isDue(_ version: UInt64, _ saved: UInt64, _ lastSave: ContinuousClock.Instant) -> Bool {
        if version >= saved + Self.versionsUnsavedMax { return true }
        return version > saved && ContinuousClock.now - lastSave >= .milliseconds(rules.idleSaveMilliseconds)
    }

    /// Goes back to what the receiver has. A hook that is new begins with what comes next.
    private func begin() async throws(SinkFailure) -> UInt64 {
        let position: FeedPosition
        if let text = try await positions.load() {
            guard let known = FeedPosition(text) else { throw positions.damage }
            position = known
        } else {
            position = FeedPosition(source.backend.version)
            try await positions.save(position.text)
        }
        reader.withLock { $0 = FeedReader(from: position, rules.selection) }
        state.opened(at: position.version.rawValue)
        return position.version.rawValue
    }

    private struct Batch: Sendable {
        var events: [[UInt8]] = []
        var bytes = 0
        var time: UInt64 = 0
        var position: FeedPosition
        var isLeft = false
    }

    private func next() async throws(FeedFailure) -> Batch {
        try await source.read { [self] snapshot throws(FeedFailure) in
            try reader.withLock { reader throws(FeedFailure) in
                var batch = Batch(position: reader.position)
                batch.isLeft = try reader.step(snapshot, under: nil, until: StepEnd.ofClock()) { event in
                    var json = JSONWriter()
                    event.append(to: &json)
                    batch.events.append(json.bytes)
                    batch.bytes += json.bytes.count
                    batch.time = event.time
                    return batch.events.count < rules.eventsMax && batch.bytes < rules.bytesMax
                }
                batch.position = reader.position
                return batch
            }
        }
    }

    private func body(of events: [[UInt8]]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("database", state.database)
            json.field("webhook", rules.name)
            json.name("events")
            json.array(events) { $1.raw($0) }
        }
        return json.bytes
    }

    /// The versions behind the position are gone: the receiver is told so, and the feed goes on with the oldest that is there.
    private func leap(over failure: FeedFailure) async throws(SinkFailure) -> UInt64 {
        let isGap = failure.code == .historyGone || failure.code == .databaseRestored || failure.code == .versionUnknown
        guard isGap, let oldest = failure.oldest else { throw SinkFailure(failure.message) }
        let remedy = "Have it read the objects anew, and keep a longer history (limits.historyDays and others)."
        logger.error(
            "changes are lost to the receiver of the webhook, for the history does not have them any more: it is told so. \(remedy)",
            metadata: ["database": "\(state.database)", "webhook": "\(rules.name)", "code": "\(failure.code.name)"])
        var json = JSONWriter()
        json.object { json in
            json.field("kind", "gap")
            json.field("code", failure.code.name)
            json.field("oldest", oldest.rawValue)
        }
        try await sender.post(body(of: [json.bytes]), delivery: "\(rules.name)-gap-\(oldest.rawValue)")
        let position = FeedPosition(oldest)
        try await positions.save(position.text)
        reader.withLock { $0 = FeedReader(from: position, rules.selection) }
        return oldest.rawValue
    }

    private func report(_ failure: SinkFailure, _ milliseconds: UInt64) {
        let isNews = state.failed(failure.message)
        logger.log(
            level: isNews ? .error : .debug, "the webhook waits, and nothing is lost: \(failure.message)",
            metadata: [
                "database": "\(state.database)", "webhook": "\(rules.name)", "retryMilliseconds": "\(milliseconds)",
            ])
    }
}
