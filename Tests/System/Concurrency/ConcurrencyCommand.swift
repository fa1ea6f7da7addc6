import ArgumentParser
import CausewaySeeds
import Foundation

/// Lets threads, queues and actors work on one file at once and checks what each of them sees. Says most when it is
/// built with the thread sanitizer.
@main
struct ConcurrencyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "causeway-concurrency")

    @Option(help: "Rounds of every thread in each scenario.") var rounds = 40
    @Option(help: "Seed of what is written; drawn unless said.") var seed: UInt64?
    @Option(help: "One scenario alone: \(Scenario.allCases.map(\.rawValue).joined(separator: ", ")).")
    var scenario: String?

    func validate() throws {
        guard rounds > 0, scenario.map({ Scenario(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("Take at least one round, and a scenario that there is.")
        }
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-concurrency-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let seed = seed ?? SeedList.drawn()
        SeedList.tell("deploy/test --sanitize thread --rounds \(rounds) --seed \(seed)")
        var failed = false
        for scenario in Scenario.allCases where self.scenario.map({ $0 == scenario.rawValue }) ?? true {
            for kind in BankFile.allCases {
                let problems = try await scenario.run(Bank(folder: folder, kind), rounds: rounds, seed: seed)
                let name = "\(scenario.rawValue), \(kind.rawValue), seed \(seed)"
                print("\(name): \(problems.isEmpty ? "sound" : problems.joined(separator: "; "))")
                failed = failed || !problems.isEmpty
            }
        }
        if failed { throw ExitCode.failure }
    }
}
