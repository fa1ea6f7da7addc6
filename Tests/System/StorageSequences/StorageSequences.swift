import ArgumentParser
import CausewaySeeds
import CausewayStorageOracle
import Foundation
import Synchronization

/// Runs random operations on the page store, plain and encrypted, and on a dictionary, which must all give the same answers, with snapshots held across commits, reopenings, compactions and copies.
@main
struct StorageSequences: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "causeway-sequences")

    @Option(help: "How many sequences to run.") var count: UInt64 = 100_000
    @Option(help: "Seed of the first, the next ones follow it; drawn unless said, behind those that failed once.")
    var seed: UInt64?
    @Option(help: "How many run side by side.") var jobs = 2

    func validate() throws {
        guard count > 0, (1...64).contains(jobs) else {
            throw ValidationError("Take at least one sequence and one job.")
        }
    }

    func run() async throws {
        // In memory where there is some: nothing here depends on a disk.
        let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
        let folder = "\(place)/causeway-sequences-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let done = Atomic(0)
        let first = seed ?? SeedList.drawn()
        let failedOnce = seed == nil ? SeedList.failedOnce("sequences") : []
        SeedList.tell("deploy/test --sequences \(count) --seed \(first)")
        let seeds = failedOnce + (0..<count).map { first &+ $0 }
        try await OperationSequence.run(seeds: seeds, workers: jobs, folder: folder) { more in
            let total = done.add(more, ordering: .relaxed).newValue
            // A line now and then, for whoever waits for an hour.
            if total.isMultiple(of: 5000) { print("\(total) sequences agree") }
        }
        print("causeway-sequences: \(count) sequences from seed \(first): all answers agree")
    }
}
