import Foundation
import Testing

@testable import CausewaySimulation

/// `deploy/test --simulate COUNT` runs more, built in release.
@Suite("Simulation")
struct SimulationTests {
    @Test("a server and its devices agree after any edits and faults")
    func agree() {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["CAUSEWAY_SIMULATION_SEEDS"].flatMap { UInt64($0) } ?? 60
        let first = environment["CAUSEWAY_SIMULATION_FIRST"].flatMap { UInt64($0) } ?? 1
        let (standing, failures) = SimulationRun(.init(count: count, firstSeed: first, jobs: 2)).run()
        for failure in failures { Issue.record("\(failure)") }
        #expect(standing.done == count || !failures.isEmpty)
    }

    @Test(
        "a seed tells the same story again, in the steps of the life of a change", arguments: [11, 12, 13] as [UInt64])
    func repeats(seed: UInt64) {
        let first = SimulationRun.replay(seed, mutation: nil)
        let second = SimulationRun.replay(seed, mutation: nil)
        #expect(first.story == second.story)
        for step in 1...10 {
            let mark = " ms " + (step < 10 ? " \(step)" : "\(step)") + "  "
            #expect(first.story.contains { $0.contains(mark) }, "seed \(seed) tells nothing of step \(step)")
        }
    }

    @Test("nothing of a world is left when it has ended")
    func ends() throws {
        weak var server: ServerProcess?
        weak var device: DeviceProcess?
        do {
            let world = try World(seed: 11)
            try world.run()
            (server, device) = (world.server, world.devices.first)
            #expect(device != nil)
        }
        #expect(server == nil && device == nil)
    }

    @Test("what is made wrong on purpose is found", arguments: Mutation.allCases)
    func finds(mutation: Mutation) throws {
        let firstSeed = mutation == .rulesForgotten ? Plan.firstSeedWithRules : 1
        let settings = SimulationRun.Settings(
            count: 200, firstSeed: firstSeed, jobs: 1, mutation: mutation, failuresMax: 1)
        let failure = try #require(
            SimulationRun(settings).run().failures.first, "\(mutation.rawValue) stayed unnoticed in 200 seeds")
        #expect("\(failure)".contains("--replay \(failure.seed) --mutation \(mutation.rawValue)"))
        let again = try #require(SimulationRun.replay(failure.seed, mutation: mutation).failure)
        #expect(again.reason == failure.reason)
    }
}
