import ArgumentParser
import CausewayQueryOracle
import CausewaySeeds
import Foundation
import Synchronization

/// Runs generated queries over generated data and compares every answer with plain loops over dictionaries; or tries
/// generated texts on the parser, or on everything that reads them.
@main
struct QueryPairsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "causeway-queries")

    @Option(help: "How many query and data pairs to compare at least.") var count = 100_000
    @Option(help: "Seed of the first data, the next ones follow it; drawn unless said, behind those that failed once.")
    var seed: UInt64?
    @Option(help: "How many run side by side.") var jobs = 2
    @Option(help: "Try so many texts on the parser instead, those of ten thousand a seed.") var fuzz: Int?
    @Option(help: "Ask so many texts of the published grammar instead, those of a hundred and fifty a seed.") var texts:
        Int?

    func validate() throws {
        guard count > 0, fuzz ?? 1 > 0, texts ?? 1 > 0, (1...64).contains(jobs) else {
            throw ValidationError("Take at least one pair and one job.")
        }
    }

    func run() async throws {
        let first = seed ?? SeedList.drawn()
        if let fuzz {
            SeedList.tell("deploy/test --fuzz-queries \(fuzz) --seed \(first)")
            return try await QueryFuzzing(count: fuzz, firstSeed: first, jobs: jobs).run()
        }
        if let texts {
            SeedList.tell("deploy/test --query-texts \(texts) --seed \(first)")
            return try QueryTextRun(count: texts, firstSeed: first).run()
        }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-queries-\(ProcessInfo.processInfo.processIdentifier)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if seed == nil {
            let failedOnce = try SeedList("queries").numbers()
            for seed in failedOnce { try Progress(seed, wanted: 1).work(in: folder) }
            print("causeway-queries: \(failedOnce.count) seeds that failed once")
        }
        SeedList.tell("deploy/test --queries \(count) --seed \(first)")
        let progress = Progress(first, wanted: count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<jobs { group.addTask { try progress.work(in: folder) } }
            try await group.waitForAll()
        }
        print(
            "causeway-queries: \(progress.done.load(ordering: .relaxed)) pairs from seed \(first) to "
                + "\(progress.next.load(ordering: .relaxed) - 1): all answers agree")
    }
}

/// What the workers share.
private final class Progress: Sendable {
    let done = Atomic(0)
    let next: Atomic<UInt64>
    private let wanted: Int

    init(_ seed: UInt64, wanted: Int) {
        next = Atomic(seed)
        self.wanted = wanted
    }

    /// Takes seeds until enough is done.
    func work(in folder: String) throws {
        while done.load(ordering: .relaxed) < wanted {
            let seed = next.add(1, ordering: .relaxed).oldValue
            do {
                done.add(try QueryPairs.run(seed: seed, folder: folder), ordering: .relaxed)
            } catch {
                print("causeway-queries: FAILED: \(error)\n    again: deploy/test --queries 1 --seed \(seed)")
                throw ExitCode.failure
            }
        }
    }
}
