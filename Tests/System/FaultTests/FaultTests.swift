import CausewayFaultyNetwork
import CausewayPrograms
import Foundation
import Testing

/// The real daemon and devices as processes. `deploy/test --faults MINUTES` is the long form.
@Suite("Real processes under faults", .serialized)
struct FaultTests {
    private static func setting(_ name: String) -> Double? {
        ProcessInfo.processInfo.environment[name].flatMap(Double.init)
    }

    private func run(_ fleet: Fleet, _ body: (Fleet) async throws -> Void) async throws {
        do {
            try await body(fleet)
        } catch {
            try? await fleet.end()
            throw error
        }
        try await fleet.end()
    }

    @Test("killed, stopped, cut, delayed: nothing acknowledged is lost, nothing is doubled, all converge")
    func everything() async throws {
        let seed = Self.setting("CAUSEWAY_FAULT_SEED").map { UInt64($0) } ?? 20_260_701
        let minutes = Self.setting("CAUSEWAY_FAULT_MINUTES")
        try await run(Fleet("faults", devices: 3, seed: seed)) { fleet in
            let end = ContinuousClock.now + .seconds((minutes ?? 0) * 60)
            var rounds = 0
            // The short form is a number of rounds, so that a busy machine tests as much as an idle one.
            while minutes == nil ? rounds < 8 : ContinuousClock.now < end {
                try await fleet.round()
                rounds += 1
            }
            try await fleet.expectConverged()
            print("faults: \(rounds) rounds, \(fleet.devices.map(\.wrote)) transactions, seed \(seed)")
        }
    }
}
