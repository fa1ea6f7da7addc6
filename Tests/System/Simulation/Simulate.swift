import ArgumentParser
import CausewaySeeds
import Foundation

/// Lets a server and its devices live through everything a seed draws, and checks what must hold when they rest.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway-simulate",
        abstract: "Simulates a server and up to ten devices with faults, and checks that all converge."
    )

    @Option(help: "How many seeds; without a first one so many without rules that change, and so many with them.")
    var count: UInt64 = 5_000

    @Option(help: "The first seed, the next ones follow it; drawn unless said, behind those that failed once.")
    var firstSeed: UInt64?

    @Flag(inversion: .prefixedNo, help: "Whether rules for reading and writing change; otherwise the number says so.")
    var rules: Bool?

    @Option(help: "How many nodes serve the database, up to four; otherwise the number of a seed says so.")
    var nodes: Int?

    @Option(help: "Write so many transactions offline instead, and measure what it costs to upload and merge them.")
    var pending: Int?

    @Option(help: "Fail where that takes longer, in seconds.")
    var within: Double?

    @Option(help: "What one upload of these carries, in bytes.")
    var batchBytes = 4 << 20

    @Option(help: "Tell the story of one seed, in the steps of the life of a change.")
    var replay: UInt64?

    @Option(help: "How many threads; all processors unless said otherwise.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    @Option(
        help: "Make something wrong on purpose: \(Mutation.allCases.map(\.rawValue).joined(separator: ", ")).")
    var mutation: String?

    func validate() throws {
        if let mutation, Mutation(rawValue: mutation) == nil {
            throw ValidationError("There is no mutation '\(mutation)'.")
        }
        guard count > 0, (1...64).contains(jobs) else { throw ValidationError("Take at least one seed and one job.") }
        guard (1...4).contains(nodes ?? 1) else { throw ValidationError("There are one to four nodes.") }
        guard pending ?? 8 >= 8, batchBytes > 0 else { throw ValidationError("Take at least eight transactions.") }
    }

    func run() throws {
        let mutation = mutation.flatMap(Mutation.init(rawValue:))
        if let pending {
            return try ManyPending(count: pending, batchBytes: batchBytes, within: within.map { .seconds($0) }).run {
                Self.say("causeway-simulate: \($0)\n")
            }
        }
        if let replay { return try tell(SimulationSeed(replay, hasRules: rules, nodes: nodes), mutation) }
        var isGood = true
        for seeds in try runs() where !run(seeds, mutation) { isGood = false }
        if !isGood { throw ExitCode.failure }
    }

    private func runs() throws -> [SimulationSeeds] {
        if let firstSeed { return [SimulationSeeds(first: firstSeed, count: count, hasRules: rules, nodes: nodes)] }
        let drawn = [false, true].filter { rules ?? $0 == $0 }.map {
            SimulationSeeds.drawn(count, hasRules: $0, nodes: nodes)
        }
        return [try .failedOnce(SeedList("simulation"))] + drawn
    }

    /// Whether all went well.
    private func run(_ seeds: SimulationSeeds, _ mutation: Mutation?) -> Bool {
        var settings = SimulationRun.Settings(seeds: seeds, jobs: jobs, mutation: mutation)
        let begun = ContinuousClock.now
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let count = UInt64(seeds.named.count) + seeds.count
        Self.say("causeway-simulate: \(Self.name(of: seeds))\n")
        settings.progress = { standing in
            Self.giveUp(standing)
            if isTerminal {
                Self.say("\r\(standing.done) of \(count) seeds, \(Self.speed(standing.done, since: begun))")
            }
        }
        let (standing, failures) = SimulationRun(settings).run()
        if isTerminal { Self.say("\r") }
        for failure in failures { Self.say("causeway-simulate: FAILED: \(failure)\n") }
        Self.say(
            "causeway-simulate: \(standing.done) seeds, \(failures.count) failed, "
                + Self.speed(standing.done, since: begun)
                + (standing.slowest.map { "; the slowest is \($0.seed.options) with \($0.took)" } ?? "") + "\n")
        return failures.isEmpty
    }

    /// Which seeds these are, as the command that takes them again.
    private static func name(of seeds: SimulationSeeds) -> String {
        if seeds.count == 0 { return "\(seeds.named.count) seeds that failed once" }
        let rules = seeds.hasRules.map { $0 ? " --rules" : " --no-rules" } ?? ""
        let nodes = seeds.nodes.map { " --nodes \($0)" } ?? ""
        return "deploy/test --simulate \(seeds.count) --first-seed \(seeds.first)\(rules)\(nodes)"
    }

    private func tell(_ seed: SimulationSeed, _ mutation: Mutation?) throws {
        let (story, failure) = SimulationRun.replay(seed, mutation: mutation)
        Self.say(Story.legend + "\n\n" + story.joined(separator: "\n") + "\n")
        if let failure {
            Self.say("causeway-simulate: FAILED: \(failure)\n")
            throw ExitCode.failure
        }
        Self.say("causeway-simulate: seed \(seed.number): all agree\n")
    }

    /// A seed that does not end would keep the others from being told: it is named, and that is the end.
    private static func giveUp(_ standing: SimulationRun.Standing) {
        guard let oldest = standing.oldest, oldest.took > seedMax else { return }
        say(
            "causeway-simulate: FAILED: seed \(oldest.seed.number) has not come to an end in \(oldest.took), after \(standing.done) "
                + "others\n    again: deploy/test --replay \(oldest.seed.options)\n")
        Foundation.exit(ExitCode.failure.rawValue)
    }

    /// Thousands of times what a seed takes, so that a busy machine is no failure.
    private static let seedMax = Duration.seconds(300)

    private static func speed(_ done: UInt64, since begun: ContinuousClock.Instant) -> String {
        let elapsed = max(1e-9, (ContinuousClock.now - begun) / .seconds(1))
        return "in \(Int(elapsed.rounded())) s: \(Int(Double(done) / elapsed)) a second"
    }

    /// Goes to the other end at once.
    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
