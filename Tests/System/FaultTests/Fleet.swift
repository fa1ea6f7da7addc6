import CausewayFaultyNetwork
import CausewayPrograms
import CausewaySeeds
import Foundation
import Testing

/// A daemon and devices as processes of their own, over TLS through a network that fails. End it, or they stay.
final class Fleet {
    let seed: UInt64
    /// One, or several nodes for one journal.
    let servers: [SyncServer]
    let cluster: Cluster?
    var numbers: SeededNumbers
    private(set) var devices: [FleetDevice] = []
    let folder: URL

    /// - Parameter nodes: zero for one server with its own file.
    init(_ name: String, devices count: Int, nodes: Int = 0, seed: UInt64) async throws {
        self.seed = seed
        numbers = SeededNumbers(seed: seed)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        cluster = nodes > 0 ? try Cluster(folder) : nil
        var servers: [SyncServer] = []
        for number in 0..<max(nodes, 1) {
            let server = try SyncServer(
                program: Self.program("sync-server"), folder: folder.appendingPathComponent("server-\(number)"),
                database: "fleet", sections: cluster?.section ?? "", keysOf: servers.first)
            servers.append(server)
            if number == 0, cluster != nil { try server.journal("init") }
            try server.start()
        }
        self.servers = servers
        for number in 1...count {
            let proxy = try await FaultyProxy(to: servers[number % servers.count].port, seed: numbers.next())
            devices.append(FleetDevice(number, of: self, proxy))
        }
    }

    func end() async throws {
        for device in devices {
            device.kill()
            try await device.proxy.stop()
        }
        for server in servers { server.kill() }
        cluster?.end()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The first one.
    var server: SyncServer { servers[0] }

    /// A program that was built beside the tests, unless another folder is named.
    static func program(_ name: String) throws -> String {
        if let folder = ProcessInfo.processInfo.environment["CAUSEWAY_FAULT_PROGRAMS"] { return "\(folder)/\(name)" }
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
    }

    func pause(milliseconds limit: Int) async throws {
        try await Task.sleep(for: .milliseconds(numbers.below(limit) + 1))
    }

    // MARK: - Faults

    /// Devices write, and meanwhile something happens to one of the processes, connections or disks.
    func round() async throws {
        // Large ones make files grow: a full disk is none for what finds room in them. Of nodes each applies all of them, and late
        // uploads read them again.
        let bytes = numbers.one(of: [200, 200, cluster == nil ? 20_000 : 2_000])
        for device in devices {
            if !device.isRunning { try device.start() }
            device.send("work 10 \(bytes)")
        }
        try await pause(milliseconds: 300)
        let (device, server) = (numbers.one(of: devices), numbers.one(of: servers))
        if let cluster, numbers.once(in: 2) {
            try await strike(cluster, server, device)
            for device in devices { try device.rest() }
            return
        }
        switch numbers.below(10) {
        case 0:
            server.kill()
            try server.start()
        case 1:
            server.pause()
            try await pause(milliseconds: 400)
            server.resume()
        case 2:
            device.kill()
        case 3:
            device.pause()
            try await pause(milliseconds: 400)
            device.resume()
        case 4:
            server.kill()
            device.kill()
            try server.start()
        case 5:
            for device in devices { device.proxy.cutAll() }
        case 6:
            try server.fillDisk(true)
            try await pause(milliseconds: 400)
            try server.fillDisk(false)
        case 7:
            try device.fillDisk(true)
            try await pause(milliseconds: 400)
            try device.fillDisk(false)
        default:
            device.proxy.cutAll()
        }
        for device in devices { try device.rest() }
    }

    /// For so many minutes. The short form is a number of rounds, so that a busy machine tests as much as an idle one.
    ///
    /// - Returns: how many rounds there were.
    func rounds(_ count: Int, orMinutes minutes: Double?) async throws -> Int {
        let end = ContinuousClock.now + .seconds((minutes ?? 0) * 60)
        var rounds = 0
        while minutes == nil ? rounds < count : ContinuousClock.now < end {
            try await round()
            rounds += 1
        }
        return rounds
    }

    // MARK: - After the faults

    /// Nothing acknowledged is lost, nothing is doubled, all hold the same. Where a journal has lost its end, devices send again what
    /// they have; of one-way objects, which they do not keep, some may be gone.
    func expectConverged() async throws {
        for device in devices { device.proxy.heal() }
        for device in devices where !device.isRunning { try device.start() }
        for device in devices { device.send("settle") }
        var answers: [Settled] = []
        for device in devices {
            let settled = try device.settled()
            #expect(settled.own >= device.wrote, "device \(device.number) lost what it had written; seed \(seed)")
            answers.append(settled)
        }
        let written = answers.reduce(0) { $0 + $1.own }
        // What one device settled with may be older than what another sent after it: ask once more, all being quiet. Nodes look
        // each second.
        if cluster != nil { try await Task.sleep(for: .seconds(3)) }
        for device in devices { device.send("settle") }
        for device in devices {
            let settled = try device.settled()
            #expect(settled.items == written, "device \(device.number) holds other items; seed \(seed)")
            #expect(settled.total == written, "the counter of device \(device.number); seed \(seed)")
            #expect(settled.entries == written, "the list of device \(device.number); seed \(seed)")
            answers[device.number - 1] = settled
        }
        #expect(Set(answers.map(\.content)).count == 1, "the devices do not hold the same; seed \(seed)")
        for device in devices {
            device.kill()
            #expect(try !device.log.contains("has no database"), "device \(device.number); seed \(seed)")
        }
        let lostTail = (cluster?.lostTails ?? 0) > 0
        for server in servers {
            #expect(server.stop() == 0, "seed \(seed)")
            let file = URL(fileURLWithPath: server.dataFolder + "/database.causeway")
            #expect(try server.count("FleetItem", inFile: file) == written, "seed \(seed)")
            let readings = try server.count("FleetReading", inFile: file)
            #expect(lostTail ? readings <= written : readings == written, "\(readings) of \(written); seed \(seed)")
        }
    }
}

/// What a device says of itself once it is settled.
struct Settled {
    var own: Int
    var items: Int
    var total: Int
    var entries: Int
    var content: String
}

/// One device: a file that stays, and a process that may come and go.
final class FleetDevice {
    let number: Int
    let proxy: FaultyProxy
    /// The last transaction that its process said is durable.
    private(set) var wrote = 0
    private unowned let fleet: Fleet
    private var process: ChildProcess?
    private var isWorking = false

    init(_ number: Int, of fleet: Fleet, _ proxy: FaultyProxy) {
        self.number = number
        self.fleet = fleet
        self.proxy = proxy
    }

    var isRunning: Bool { process?.isRunning ?? false }

    func start() throws {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        process = try ChildProcess(
            name: "device \(number)", program: Fleet.program("CausewayFleetDevice"),
            arguments: [
                fleet.server.database, "https://localhost:\(proxy.port)", fleet.server.authority, home.path,
                fleet.server.token(user: "fleet"), "\(number)",
            ], log: home.appendingPathComponent("log"))
        isWorking = false
        #expect(try process?.nextLine() == "open", "device \(number)")
    }

    func send(_ line: String) {
        process?.send(line)
        if line.hasPrefix("work") { isWorking = true }
    }

    /// Returns when it has done its work or is gone; whether its disk was full.
    @discardableResult
    func rest() throws -> Bool {
        while isWorking {
            guard let line = try process?.nextLine() else {
                isWorking = false
                break
            }
            switch line.split(separator: " ").first {
            case "wrote": wrote = max(wrote, line.split(separator: " ").last.flatMap { Int($0) } ?? 0)
            case "full":
                isWorking = false
                return true
            case "rested": isWorking = false
            default: throw SyncServer.Failure(description: "device \(number): \(line)")
            }
        }
        return false
    }

    func settled() throws -> Settled {
        let line = try process?.nextLine() ?? "nothing"
        let words = line.split(separator: " ")
        guard words.count == 6, words[0] == "settled", let own = Int(words[1]), let items = Int(words[2]),
            let total = Int(words[3]), let entries = Int(words[4])
        else { throw SyncServer.Failure(description: "device \(number): \(line)") }
        return Settled(own: own, items: items, total: total, entries: entries, content: String(words[5]))
    }

    func pause() { process?.pause() }
    func resume() { process?.resume() }

    private var home: URL { fleet.folder.appendingPathComponent("device-\(number)") }

    /// Whether the disk is full for the device: what would make a file longer than its Realm is now fails.
    func fillDisk(_ isFull: Bool) throws {
        let size = try FileManager.default.attributesOfItem(atPath: home.appendingPathComponent("fleet.realm").path)[
            .size]
        try process?.limitFiles(toBytes: isFull ? (size as? NSNumber)?.intValue ?? 0 : nil)
    }

    /// What its sync has run into.
    var log: String { get throws { try String(contentsOf: home.appendingPathComponent("log"), encoding: .utf8) } }

    /// Returns when its sync has run into an error that says this.
    func expectTrouble(_ words: String) async throws {
        for _ in 0..<3_000 {
            if try log.contains(words) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("device \(number) was not told '\(words)'")
    }

    func kill() { process?.kill() }
}
