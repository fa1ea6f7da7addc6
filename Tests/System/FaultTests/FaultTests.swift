import CausewayFaultyNetwork
import CausewayPrograms
import CausewaySeeds
import Foundation
import Testing

/// The real daemon and devices as processes. `deploy/test --faults MINUTES` is the long form.
@Suite("Real processes under faults", .serialized)
struct FaultTests {
    private static let seeds = SeedList.drawn(for: "fault", count: 1)

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

    @Test(
        "killed, stopped, cut, delayed: nothing acknowledged is lost, nothing is doubled, all converge",
        arguments: seeds)
    func everything(seed: UInt64) async throws {
        let minutes = Self.setting("CAUSEWAY_FAULT_MINUTES")
        try await run(Fleet("faults", devices: 3, seed: seed)) { fleet in
            let rounds = try await fleet.rounds(8, orMinutes: minutes)
            try await fleet.expectConverged()
            print("faults: \(rounds) rounds, \(fleet.devices.map(\.wrote)) transactions, seed \(seed)")
        }
    }

    @Test(
        "nodes, their PostgreSQL and devices: what was acknowledged survives, and all nodes and devices hold the same")
    func cluster() async throws {
        let minutes = Self.setting("CAUSEWAY_CLUSTER_MINUTES")
        let (devices, nodes) = minutes == nil ? (3, 2) : (12, 3)
        try await run(Fleet("cluster", devices: devices, nodes: nodes, seed: Self.seeds[0])) { fleet in
            let rounds = try await fleet.rounds(4, orMinutes: minutes)
            try await fleet.expectConverged()
            print(
                "cluster: \(rounds) rounds, \(fleet.cluster?.lostTails ?? 0) lost tails, \(fleet.devices.map(\.wrote)) transactions, seed "
                    + "\(fleet.seed)")
        }
    }

    /// Two devices on a network without faults, which hold a few items each.
    private func quiet(_ name: String, _ body: (Fleet) async throws -> Void) async throws {
        try await run(Fleet(name, devices: 2, seed: 1)) { fleet in
            for device in fleet.devices {
                device.proxy.heal()
                try device.start()
                device.send("work 5 200")
                try device.rest()
                device.send("settle")
                _ = try device.settled()
            }
            try await body(fleet)
        }
    }

    @Test("a server whose disk is full says so, keeps what it acknowledged, and goes on when there is room")
    func fullServer() async throws {
        try await quiet("full-server") { fleet in
            try fleet.server.fillDisk(true)
            for device in fleet.devices { device.send("work 40 50000") }
            // What the apps write is durable where they are: no server is needed for it.
            for device in fleet.devices { #expect(try device.rest() == false) }
            for device in fleet.devices { try await device.expectTrouble("Free some disk space") }
            #expect(fleet.server.isRunning)
            #expect(try fleet.server.count("FleetItem") < 90)
            try fleet.server.fillDisk(false)
            try await fleet.expectConverged()
        }
    }

    @Test("a device whose disk is full tells the app, keeps what it wrote, and takes the rest when there is room")
    func fullDevice() async throws {
        try await quiet("full-device") { fleet in
            let (full, other) = (fleet.devices[0], fleet.devices[1])
            try full.fillDisk(true)
            full.send("work 40 50000")
            #expect(try full.rest(), "the app is told")
            #expect(full.wrote < 45)
            other.send("work 40 50000")
            #expect(try other.rest() == false)
            // Nor is there room for what the other one wrote.
            try await full.expectTrouble("could not be stored")
            #expect(full.isRunning)
            try full.fillDisk(false)
            try await fleet.expectConverged()
        }
    }
}
