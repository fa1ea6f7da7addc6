import ArgumentParser
import CausewaySeeds
import Foundation

/// Lets the power fail at every moment of a storage's life, in every way a disk may fail, and looks at what is left.
@main
struct CrashSimulation: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway-crash",
        abstract: "Crashes the page store on a simulated disk and checks what it comes back with."
    )

    @Option(help: "How many crash images to check.")
    var count = 1_000_000

    @Option(help: "Seed of the first workload; the next ones follow it. Without it, one is drawn.")
    var seed: UInt64?

    @Option(help: "Stop after so many minutes, however many images were checked.")
    var minutes: Double?

    @Option(help: "How many threads.")
    var jobs = 2

    @Option(help: "Make something wrong on purpose: \(Mutation.all.map(\.name).joined(separator: ", ")).")
    var mutation: String?

    @Option(help: "With --image: only the image of this moment of the seed's workload.")
    var moment: Int?

    @Option(help: "With --moment: which image.")
    var image: Int?

    @Flag(help: "Only run the workload of the seed, without images.")
    var workloadOnly = false

    func validate() throws {
        if let mutation, Mutation(name: mutation) == nil {
            throw ValidationError("There is no mutation '\(mutation)'.")
        }
        guard seed != nil || moment == nil && !workloadOnly else { throw ValidationError("Give --seed, too.") }
        guard count > 0, (1...64).contains(jobs) else { throw ValidationError("Take at least one image and one job.") }
        guard (moment == nil) == (image == nil) else { throw ValidationError("Give both --moment and --image.") }
    }

    func run() throws {
        Trace.tellOnTrap()
        Trace.tellOnHang(seconds: 60)
        let seed = seed ?? SeedList.drawn()
        var settings = CrashRun.Settings(
            images: count, seed: seed, jobs: jobs, minutes: minutes, mutation: mutation.flatMap(Mutation.init(name:)))
        if workloadOnly || moment != nil { return try repeatOne(seed, CrashRun(settings)) }
        settings.firstSeeds = SeedList.failedOnce("crash")
        SeedList.tell("deploy/test --crash \(count) --seed \(seed)")
        try runAll(settings)
    }

    private func repeatOne(_ seed: UInt64, _ run: CrashRun) throws {
        var recipe: ImageSource.Recipe?
        if let moment, let image { recipe = .init(seed: seed, moment: moment, image: image) }
        if let failure = run.repeatOne(seed, recipe) {
            Self.say("causeway-crash: FAILED: \(failure)\n")
            throw ExitCode.failure
        }
        Self.say("causeway-crash: nothing is wrong with it\n")
    }

    private func runAll(_ settings: CrashRun.Settings) throws {
        var settings = settings
        let begun = ContinuousClock.now
        let isTerminal = isatty(STDOUT_FILENO) == 1
        settings.progress = { totals in
            guard isTerminal else { return }
            Self.say("\r\(Self.describe(totals, since: begun))")
        }
        let (totals, failure) = CrashRun(settings).run()
        Self.say("\(isTerminal ? "\r" : "")causeway-crash: \(Self.describe(totals, since: begun))\n")
        if let failure {
            Self.say("causeway-crash: FAILED: \(failure)\n")
            throw ExitCode.failure
        }
    }

    /// Goes to the other end at once.
    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    private static func describe(_ totals: CrashRun.Totals, since begun: ContinuousClock.Instant) -> String {
        let elapsed = max(1e-9, (ContinuousClock.now - begun) / .seconds(1))
        return "\(totals.images) images of \(totals.workloads) workloads, \(totals.usedImages) of them used further, "
            + "in \(Int(elapsed.rounded())) s: \(Int(Double(totals.images) / elapsed)) a second"
    }
}
