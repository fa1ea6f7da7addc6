import ArgumentParser
import Foundation

/// Lets a server and its devices live through everything a seed draws, and checks what must hold when they rest.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway-simulate",
        abstract: "Simulates a server and up to ten devices with faults, and checks that all converge."
    )

    @Option(help: "How many seeds.")
    var count: UInt64 = 5_000

    @Option(help: "The first seed; the next ones follow it.")
    var firstSeed: UInt64 = 1

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
    }

    func run() throws {
        let mutation = mutation.flatMap(Mutation.init(rawValue:))
        if let replay { return try tell(replay, mutation) }
        var settings = SimulationRun.Settings(count: count, firstSeed: firstSeed, jobs: jobs, mutation: mutation)
        let begun = ContinuousClock.now
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let count = count
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
            "causeway-simulate: \(standing.done) seeds from \(firstSeed), \(failures.count) failed, "
                + Self.speed(standing.done, since: begun)
                + (standing.slowest.map { "; the slowest is \($0.seed) with \($0.took)" } ?? "") + "\n")
        if !failures.isEmpty { throw ExitCode.failure }
    }

    private func tell(_ seed: UInt64, _ mutation: Mutation?) throws {
        let (story, failure) = SimulationRun.replay(seed, mutation: mutation)
        Self.say(Story.legend + "\n\n" + story.joined(separator: "\n") + "\n")
        if let failure {
            Self.say("causeway-simulate: FAILED: \(failure)\n")
            throw ExitCode.failure
        }
        Self.say("causeway-simulate: seed \(seed): all agree\n")
    }

    /// A seed that does not end would keep the others from being told: it is named, and that is the end.
    private static func giveUp(_ standing: SimulationRun.Standing) {
        guard let oldest = standing.oldest, oldest.took > seedMax else { return }
        say(
            "causeway-simulate: FAILED: seed \(oldest.seed) has not come to an end in \(oldest.took), after \(standing.done) "
                + "others\n    again: deploy/test --replay \(oldest.seed)\n")
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
