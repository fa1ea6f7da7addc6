package import CausewayEnvironment
package import CausewayFeed
package import CausewayStore
package import Logging

/// Feeds one sink: reads what has arrived, hands it over, waits for more, and tries again after failures. Devices never wait for
/// it.
package struct SinkCarrier: Carrier {
    package let state: CarrierState
    private let sink: any Sink
    private let reader: ArrivalReader
    private let keeping: any OneWayKeeping
    private let bell: NewsBell
    private let random: any RandomSource
    private let logger: Logger

    /// The time between two rests of the sink.
    private static let restMilliseconds: UInt64 = 1_000

    /// - Parameter bell: rings when something arrives.
    package init(
        _ sink: any Sink, state: CarrierState, reader: ArrivalReader, keeping: any OneWayKeeping, bell: NewsBell,
        random: any RandomSource, logger: Logger
    ) {
        self.sink = sink
        self.state = state
        self.reader = reader
        self.keeping = keeping
        self.bell = bell
        self.random = random
        self.logger = logger
    }

    package func run() async {
        var backoff = Backoff(random: random)
        while !Task.isCancelled {
            state.begins()
            do throws(SinkFailure) {
                try await carry {
                    backoff.succeeded()
                    state.succeeded()
                }
            } catch {
                let milliseconds = backoff.failed()
                report(error, milliseconds)
                await sink.close()
                try? await Task.sleep(for: .milliseconds(milliseconds))
            }
        }
        await sink.close()
    }

    /// Until the first failure, or the end.
    private func carry(_ succeeded: () -> Void) async throws(SinkFailure) {
        var position = try await sink.open()
        state.takes(try await takenClasses(at: position))
        state.opened(at: position)
        if position > keeping.newestArrival { try await lift(position) }
        while !Task.isCancelled {
            let (batch, isLeft) = try await read(after: position)
            state.saw(newest: max(keeping.newestArrival, batch.through))
            if batch.through > position {
                if !batch.rows.isEmpty { try await sink.take(batch) }
                position = batch.through
                state.took(batch.rows.count, through: position, receivedAt: batch.rows.last?.time ?? 0)
            }
            succeeded()
            if isLeft { continue }
            try await sink.rest()
            await bell.wait(beyond: position, milliseconds: Self.restMilliseconds)
            if bell.isEnded { return await untilCancelled() }
        }
    }

    /// Notes since when each class is taken. Retention waits for it.
    private func takenClasses(at position: UInt64) async throws(SinkFailure) -> TakenClasses {
        let saved = SavedPosition(keeping, name: "since/\(state.name)")
        var known: TakenClasses?
        if let text = try await saved.load() {
            known = TakenClasses(text)
            if known == nil { throw saved.damage }
        }
        let classes = TakenClasses(after: known, reader.classes, at: position)
        if classes != known { try await saved.save(classes.text) }
        return classes
    }

    private func untilCancelled() async {
        while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(Self.restMilliseconds)) }
    }

    /// The database is older than what the sink has: it was restored from a copy.
    private func lift(_ position: UInt64) async throws(SinkFailure) {
        do throws(StoreFailure) {
            try keeping.liftArrivals(above: position)
        } catch {
            throw SinkFailure(error.message)
        }
        logger.warning(
            "the sink has objects that the database does not have, as after a restore: it keeps them",
            metadata: ["database": "\(state.database)", "sink": "\(state.name)"])
    }

    private func read(after position: UInt64) async throws(SinkFailure) -> (batch: SinkBatch, isLeft: Bool) {
        do throws(FeedFailure) {
            return try await reader.batch(after: position)
        } catch {
            throw SinkFailure(error.message)
        }
    }

    private func report(_ failure: SinkFailure, _ milliseconds: UInt64) {
        let isNews = state.failed(failure.message)
        logger.log(
            level: isNews ? .error : .debug, "the sink waits, and nothing is lost: \(failure.message)",
            metadata: [
                "database": "\(state.database)", "sink": "\(state.name)", "retryMilliseconds": "\(milliseconds)",
            ])
    }
}
