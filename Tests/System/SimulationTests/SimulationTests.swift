import Foundation
import Testing

/// `CAUSEWAY_SIMULATION_SEED=1234` replays one seed and prints what happened; `CAUSEWAY_SIMULATION_SEEDS=5000` runs more.
@Suite("Simulation", .serialized)
struct SimulationTests {
    @Test("a server and three devices agree after any edits, faults and orders of messages")
    func agree() throws {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CAUSEWAY_SIMULATION_SEED"].flatMap({ UInt64($0) }) {
            try replay(seed)
            return
        }
        let count = environment["CAUSEWAY_SIMULATION_SEEDS"].flatMap { UInt64($0) } ?? 300
        let first = environment["CAUSEWAY_SIMULATION_FIRST"].flatMap { UInt64($0) } ?? 1
        var failures = 0
        for seed in first..<(first + count) {
            do {
                try Simulation(seed: seed).run(steps: Self.steps(seed))
            } catch {
                failures += 1
                Issue.record("seed \(seed): \(error)\nReplay it with CAUSEWAY_SIMULATION_SEED=\(seed).")
                if failures == 5 { return }
            }
        }
    }

    /// Short runs fail legibly, long ones find more.
    private static func steps(_ seed: UInt64) -> Int {
        [20, 40, 80, 160][Int(seed % 4)] + Int(seed / 4 % 40)
    }

    private func replay(_ seed: UInt64) throws {
        let simulation = try Simulation(seed: seed, isVerbose: true)
        do {
            try simulation.run(steps: Self.steps(seed))
            print(simulation.log.joined(separator: "\n"))
            print("seed \(seed): all agree")
        } catch {
            print(simulation.log.joined(separator: "\n"))
            Issue.record("seed \(seed): \(error)")
        }
    }
}
