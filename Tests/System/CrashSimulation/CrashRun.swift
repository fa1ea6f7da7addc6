import CausewaySimulatedDisk
import Dispatch
import Synchronization

/// Workload after workload, image after image, on several threads, until one fails or there were enough.
final class CrashRun: Sendable {
    struct Settings: Sendable {
        var images = 1_000_000
        /// Of the first workload; the next ones follow it.
        var seed: UInt64 = 1
        /// Workloads that come before that.
        var firstSeeds: [UInt64] = []
        var jobs = 2
        var minutes: Double?
        var mutation: Mutation?
        /// Called about once a second, with images and workloads so far.
        var progress: (@Sendable (Totals) -> Void)?
    }

    struct Totals: Sendable {
        var images = 0
        var workloads = 0
        var usedImages = 0
    }

    struct Failure: Sendable, CustomStringConvertible {
        var seed: UInt64
        /// Nil when the workload itself failed, before any image was made.
        var recipe: ImageSource.Recipe?
        var reason: String
        var mutation: Mutation?

        var command: String {
            var words = ["causeway-crash", "--seed", "\(seed)"]
            if let recipe {
                words += ["--moment", "\(recipe.moment)", "--image", "\(recipe.image)"]
            } else {
                words += ["--workload-only"]
            }
            if let mutation { words += ["--mutation", mutation.name] }
            return words.joined(separator: " ")
        }

        var description: String {
            let moment = recipe.map { "power lost after \($0.moment) operations of the disk, image \($0.image)" }
            let plan = WorkloadPlan(seed: seed)
            return "seed \(seed) (\(plan)), \(moment ?? "in the workload itself"): \(reason)\n    again: \(command)"
        }
    }

    private struct State {
        var totals = Totals()
        var nextWorkload: UInt64 = 0
        var failure: Failure?
        var nextReport = DispatchTime.now() + .seconds(1)
    }

    private let settings: Settings
    private let state = Mutex(State())
    private let deadline: DispatchTime

    init(_ settings: Settings) {
        self.settings = settings
        deadline = settings.minutes.map { .now() + .milliseconds(Int($0 * 60_000)) } ?? .distantFuture
    }

    /// Blocks until it is over. Answers the first failure, if any.
    func run() -> (totals: Totals, failure: Failure?) {
        DispatchQueue.concurrentPerform(iterations: settings.jobs) { job in
            Trace.begin(job: job)
            while let seed = nextSeed() { runWorkload(seed, job: job) }
            Trace.end(job: job)
        }
        return state.withLock { ($0.totals, $0.failure) }
    }

    /// One image again, or one workload when there is no recipe.
    func repeatOne(_ seed: UInt64, _ recipe: ImageSource.Recipe?) -> Failure? {
        let workload = Workload(seed: seed, mutation: settings.mutation)
        guard run(workload), let recipe else { return state.withLock { $0.failure } }
        let source = ImageSource(plan: workload.plan, seed: seed, log: workload.disk.log)
        check(source.image(of: recipe), recipe, .use, ImageCheck(history: workload.history, options: workload.options))
        return state.withLock { $0.failure }
    }

    private func nextSeed() -> UInt64? {
        state.withLock { state in
            guard state.failure == nil, state.totals.images < settings.images, .now() < deadline else { return nil }
            defer { state.nextWorkload += 1 }
            let number = Int(state.nextWorkload)
            guard number >= settings.firstSeeds.count else { return settings.firstSeeds[number] }
            return settings.seed &+ UInt64(number - settings.firstSeeds.count)
        }
    }

    private func runWorkload(_ seed: UInt64, job: Int) {
        Trace.note(job: job, seed: seed, moment: -1, image: -1)
        let workload = Workload(seed: seed, mutation: settings.mutation)
        guard run(workload) else { return }
        let check = ImageCheck(history: workload.history, options: workload.options)
        ImageSource(plan: workload.plan, seed: seed, log: workload.disk.log).visit { disk, recipe, depth in
            Trace.note(job: job, seed: seed, moment: recipe.moment, image: recipe.image)
            self.check(disk, recipe, depth, check)
            return countImage(depth)
        }
        state.withLock { $0.totals.workloads += 1 }
    }

    private func run(_ workload: Workload) -> Bool {
        do {
            try workload.run()
            return true
        } catch {
            fail(Failure(seed: workload.seed, recipe: nil, reason: error.reason, mutation: settings.mutation))
            return false
        }
    }

    private func check(
        _ disk: SimulatedDisk, _ recipe: ImageSource.Recipe, _ depth: ImageCheck.Depth, _ check: ImageCheck
    ) {
        let reason = check.failure(
            of: disk, at: recipe.moment, depth: depth, by: recipe.otherProgram(disk))
        guard let reason else { return }
        fail(Failure(seed: recipe.seed, recipe: recipe, reason: reason, mutation: settings.mutation))
    }

    private func fail(_ failure: Failure) {
        state.withLock { $0.failure = $0.failure ?? failure }
    }

    /// Whether to go on.
    private func countImage(_ depth: ImageCheck.Depth) -> Bool {
        var report: Totals?
        let goesOn = state.withLock { state in
            state.totals.images += 1
            if depth == .use { state.totals.usedImages += 1 }
            // The clock is not looked at for every image.
            guard state.totals.images % 64 == 0 else { return state.failure == nil }
            let now = DispatchTime.now()
            if now >= state.nextReport {
                state.nextReport = now + .seconds(1)
                report = state.totals
            }
            return state.failure == nil && state.totals.images < settings.images && now < deadline
        }
        if let report { settings.progress?(report) }
        return goesOn
    }
}
