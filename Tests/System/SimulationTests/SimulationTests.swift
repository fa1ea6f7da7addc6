import CausewaySeeds
import Foundation
import Testing

@testable import CausewaySimulation

/// `deploy/test --simulate COUNT` runs more, built in release.
@Suite("Simulation")
struct SimulationTests {
    private static let drawn: DrawnSeeds = {
        let drawn = DrawnSeeds("simulation", count: 30)
        drawn.tell()
        return drawn
    }()

    /// So many with rules that change, and so many without.
    @Test("a server and its devices agree after any edits and faults", arguments: [false, true])
    func agree(hasRules: Bool) {
        agree(SimulationSeeds(first: Self.drawn.first, count: UInt64(Self.drawn.count), hasRules: hasRules))
    }

    @Test("a server and its devices agree in every story that failed once")
    func agreeAgain() throws {
        agree(try .failedOnce(SeedList("simulation")))
    }

    private func agree(_ seeds: SimulationSeeds) {
        let (standing, failures) = SimulationRun(.init(seeds: seeds, jobs: 2)).run()
        for failure in failures { Issue.record("\(failure)") }
        #expect(standing.done == UInt64(seeds.named.count) + seeds.count || !failures.isEmpty)
    }

    @Test("two to four nodes and their devices agree", arguments: 2...4)
    func nodesAgree(count: Int) {
        agree(SimulationSeeds(first: Self.drawn.first, count: UInt64(Self.drawn.count) / 3, nodes: count))
    }

    @Test("a list of seeds says of each whether rules change, and what is no seed is named")
    func lists() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("seeds-\(UUID()).txt").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try "# once\n7\n\n1000000 # late\n8 rules\n1000001 open\n11 rules 3\n12 2\n".write(
            toFile: path, atomically: true, encoding: .utf8)
        let seeds = try SimulationSeeds.failedOnce(SeedList(path: path)).named
        #expect(seeds.map(\.number) == [7, 1_000_000, 8, 1_000_001, 11, 12])
        #expect(seeds.map(\.hasRules) == [false, true, true, false, true, false])
        #expect(seeds.map(\.nodes) == [1, 1, 1, 1, 3, 2])
        #expect(
            seeds.map(\.options) == [
                "7 --nodes 1", "1000000", "8 --rules", "1000001 --no-rules", "11 --rules --nodes 3", "12 --nodes 2",
            ])
        try "7 sometimes".write(toFile: path, atomically: true, encoding: .utf8)
        #expect { try SimulationSeeds.failedOnce(SeedList(path: path)) } throws: { "\($0)".contains("7 sometimes") }
    }

    @Test("runs that nobody gives a seed begin in different places, with rules and without")
    func draws() {
        let drawn = (0..<20).map { SimulationSeeds.drawn(3, hasRules: $0 % 2 == 0) }
        #expect(Set(drawn.map(\.first)).count == 20)
        #expect(drawn.allSatisfy { $0[0]?.hasRules == $0.hasRules && $0[2] != nil && $0[3] == nil })
    }

    @Test(
        "a seed tells the same story again, in the steps of the life of a change", arguments: [11, 12, 13] as [UInt64])
    func repeats(seed: UInt64) {
        let first = SimulationRun.replay(SimulationSeed(seed), mutation: nil)
        let second = SimulationRun.replay(SimulationSeed(seed), mutation: nil)
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
            seeds: SimulationSeeds(first: firstSeed, count: 200, nodes: mutation.isOfNodes ? 3 : 1), jobs: 1,
            mutation: mutation, failuresMax: 1)
        let failure = try #require(
            SimulationRun(settings).run().failures.first, "\(mutation.rawValue) stayed unnoticed in 200 seeds")
        #expect("\(failure)".contains("--replay \(failure.seed.options) --mutation \(mutation.rawValue)"))
        let again = try #require(SimulationRun.replay(failure.seed, mutation: mutation).failure)
        #expect(again.reason == failure.reason)
    }
}
