import Dispatch
import Synchronization

/// Seed after seed, on several threads, until one fails or there were enough.
final class SimulationRun: Sendable {
    struct Settings: Sendable {
        var count: UInt64 = 5_000
        var firstSeed: UInt64 = 1
        var jobs = 2
        var mutation: Mutation?
        /// More are not worth the reading.
        var failuresMax = 5
        /// Called about once a second, with the number of seeds so far.
        var progress: (@Sendable (UInt64) -> Void)?
    }

    struct Failure: Sendable, CustomStringConvertible {
        var seed: UInt64
        var reason: String
        var mutation: Mutation?

        var description: String {
            let planted = mutation.map { " --mutation \($0.rawValue)" } ?? ""
            return "seed \(seed) (\(Plan(seed: seed))): \(reason)\n    again: deploy/test --replay \(seed)\(planted)"
        }
    }

    private struct State {
        var begun: UInt64 = 0
        var done: UInt64 = 0
        var failures: [Failure] = []
        var nextReport = DispatchTime.now() + .seconds(1)
    }

    private let settings: Settings
    private let state = Mutex(State())

    init(_ settings: Settings) {
        self.settings = settings
    }

    /// Blocks until it is over.
    func run() -> (done: UInt64, failures: [Failure]) {
        DispatchQueue.concurrentPerform(iterations: settings.jobs) { _ in
            while let seed = nextSeed() { run(seed) }
        }
        return state.withLock { ($0.done, $0.failures.sorted { $0.seed < $1.seed }) }
    }

    /// One seed with its story, and what was wrong with it.
    static func replay(_ seed: UInt64, mutation: Mutation?) -> (story: [String], failure: Failure?) {
        do {
            let world = try World(seed: seed, mutation: mutation, isTold: true)
            do {
                try world.run()
                return (world.story.lines, nil)
            } catch {
                return (world.story.lines, Failure(seed: seed, reason: "\(error)", mutation: mutation))
            }
        } catch {
            return ([], Failure(seed: seed, reason: "\(error)", mutation: mutation))
        }
    }

    private func nextSeed() -> UInt64? {
        state.withLock { state in
            guard state.begun < settings.count, state.failures.count < settings.failuresMax else { return nil }
            defer { state.begun += 1 }
            return settings.firstSeed &+ state.begun
        }
    }

    private func run(_ seed: UInt64) {
        var failure: Failure?
        do {
            try World(seed: seed, mutation: settings.mutation).run()
        } catch {
            failure = Failure(seed: seed, reason: "\(error)", mutation: settings.mutation)
        }
        let report = state.withLock { state -> UInt64? in
            state.done += 1
            if let failure { state.failures.append(failure) }
            let now = DispatchTime.now()
            guard now >= state.nextReport else { return nil }
            state.nextReport = now + .seconds(1)
            return state.done
        }
        if let report { settings.progress?(report) }
    }
}
