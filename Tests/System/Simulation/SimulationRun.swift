import Dispatch
import Foundation
import Synchronization

/// Seed after seed, on several threads, until some fail or there were enough.
final class SimulationRun: Sendable {
    struct Settings: Sendable {
        var seeds: SimulationSeeds
        var jobs = 2
        var mutation: Mutation?
        /// More are not worth the reading.
        var failuresMax = 5
        /// Called about once a second, from a thread that lives no seed itself.
        var progress: (@Sendable (Standing) -> Void)?
    }

    /// How far it has come.
    struct Standing: Sendable {
        var done: UInt64 = 0
        /// The seed that took longest, and the one that has been living longest.
        var slowest: Timing?
        var oldest: Timing?
    }

    /// A seed and its time.
    struct Timing: Sendable {
        var seed: SimulationSeed
        var took: Duration
    }

    struct Failure: Sendable, CustomStringConvertible {
        var seed: SimulationSeed
        var reason: String
        var mutation: Mutation?

        var description: String {
            let planted = mutation.map { " --mutation \($0.rawValue)" } ?? ""
            let plan = Plan(seed: seed.number, hasRules: seed.hasRules)
            let nodes = seed.nodes > 1 ? "; \(ClusterPlan(seed: seed.number, nodes: seed.nodes))" : ""
            return
                "seed \(seed.number) (\(plan)\(nodes)): \(reason)\n    again: deploy/test --replay \(seed.options)\(planted)"
        }
    }

    private struct State {
        var begun: UInt64 = 0
        var done: UInt64 = 0
        var slowest: Timing?
        /// When the seeds that live began.
        var living: [SimulationSeed: ContinuousClock.Instant] = [:]
        var failures: [Failure] = []
    }

    private let settings: Settings
    private let state = Mutex(State())

    init(_ settings: Settings) {
        self.settings = settings
    }

    /// Blocks until it is over.
    func run() -> (standing: Standing, failures: [Failure]) {
        let clock = DispatchSource.makeTimerSource(queue: .global())
        clock.setEventHandler { [self] in settings.progress?(standing) }
        clock.schedule(deadline: .now() + 1, repeating: 1)
        clock.activate()
        defer { clock.cancel() }
        DispatchQueue.concurrentPerform(iterations: settings.jobs) { _ in
            while let seed = nextSeed() { run(seed) }
        }
        return (standing, state.withLock { $0.failures.sorted { $0.seed.number < $1.seed.number } })
    }

    private var standing: Standing {
        state.withLock { state in
            let oldest = state.living.min { $0.value < $1.value }
            return Standing(
                done: state.done, slowest: state.slowest,
                oldest: oldest.map { Timing(seed: $0.key, took: ContinuousClock.now - $0.value) })
        }
    }

    /// One seed with its story, and what was wrong with it.
    static func replay(_ seed: SimulationSeed, mutation: Mutation?) -> (story: [String], failure: Failure?) {
        do {
            let world = try World(
                seed: seed.number, hasRules: seed.hasRules, nodes: seed.nodes, mutation: mutation, isTold: true)
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

    private func nextSeed() -> SimulationSeed? {
        state.withLock { state in
            guard let seed = settings.seeds[state.begun], state.failures.count < settings.failuresMax else {
                return nil
            }
            state.begun += 1
            state.living[seed] = .now
            return seed
        }
    }

    private func run(_ seed: SimulationSeed) {
        // So that a trap says in its backtrace which seed it was.
        Thread.current.name = "seed \(seed.options)"
        var failure: Failure?
        do {
            try World(
                seed: seed.number, hasRules: seed.hasRules, nodes: seed.nodes, mutation: settings.mutation
            ).run()
        } catch {
            failure = Failure(seed: seed, reason: "\(error)", mutation: settings.mutation)
        }
        state.withLock { state in
            state.done += 1
            if let failure { state.failures.append(failure) }
            guard let begun = state.living.removeValue(forKey: seed) else { return }
            let took = ContinuousClock.now - begun
            if took > state.slowest?.took ?? .zero { state.slowest = Timing(seed: seed, took: took) }
        }
    }
}
