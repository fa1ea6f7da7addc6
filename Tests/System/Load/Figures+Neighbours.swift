import CausewayModel
import CausewayOperations
import CausewayPrograms
import CausewayWire
import Foundation
import Synchronization

// What devices notice of each other.

extension Figures {
    func hellosBesideBulk() async throws -> [String] {
        try await withServer { server, site in
            let isOver = Atomic(false)
            let rounds = max(8 / divisor, 1)
            async let hellos = hellos(at: site, until: { isOver.load(ordering: .relaxed) })
            try await by64(site) { device, number in
                for round in 0..<rounds {
                    let first = number * 10_000_000 + round * 2_000
                    try await device.upload([(first..<first + 2_000).map { Note.create($0, store: number) }], to: site)
                    // It leaves without a word, and comes back.
                    device.disconnect()
                    try await device.connect(to: site)
                }
            }
            isOver.store(true, ordering: .relaxed)
            let times = try await hellos
            return [
                "hello while 64 clients create 2,000 objects at a time and leave: median \(times.median.shown) ms, p99 "
                    + "\(times.at(99).shown) ms, of \(times.count)"
            ]
        }
    }

    private func hellos(at site: Site, until isOver: @Sendable () -> Bool) async throws -> Percentiles {
        let connection = try await site.connection(for: ClientID(3_000_000))
        var times: [Double] = []
        while !isOver() {
            let device = Device(UInt64(3_000_001 + times.count), [Note.query("store == -1")])
            let start = ContinuousClock.now
            try await device.hello(over: connection, site)
            times.append(start.milliseconds)
            try await Task.sleep(for: .milliseconds(5))
        }
        return Percentiles(times)
    }

    func pairBesideBootstrap() async throws -> [String] {
        try await withServer { server, site in
            let uploads = scaled(8)
            try await by64(site) { device, number in
                for step in 0..<uploads {
                    let first = number * 10_000_000 + step * 2_000
                    try await device.upload(
                        [(first..<first + 2_000).map { Note.create($0, store: number, text: "a note of some length") }],
                        to: site)
                }
            }
            let writer = try await writer(site)
            try await writer.upload([[Note.create(-1, store: -7)]], to: site)
            let reader = Device(4_000_000, [Note.query("store == -7")])
            try await reader.becomeLive(at: site)
            let arrivals = Mutex<Arrivals?>(nil)
            reader.listen { message in arrivals.withLock { $0 }?.note(message) }
            let isOver = Atomic(false)
            let whole = Device(4_000_001, [Note.query("TRUEPREDICATE")])
            let told = Mutex(0)
            whole.listen { message in
                if case .changes(let chunk) = message { told.withLock { $0 += chunk.objectCount } }
            }
            async let bootstrap: Double = {
                let start = ContinuousClock.now
                try await whole.becomeLive(at: site)
                isOver.store(true, ordering: .relaxed)
                return start.milliseconds
            }()
            var times: [Double] = []
            while !isOver.load(ordering: .relaxed) {
                let next = Arrivals(1)
                arrivals.withLock { $0 = next }
                let start = ContinuousClock.now
                try await writer.upload([[Note.set(-1, count: times.count + 1)]], to: site)
                times += await next.all(since: start)
                try await Task.sleep(for: .milliseconds(5))
            }
            let pair = Percentiles(times)
            let seconds = try await bootstrap / 1_000
            guard told.withLock({ $0 }) >= 64 * uploads * 2_000 else { throw Connection.Lost() }
            return [
                "commit → visible of a pair while another device is sent \(64 * uploads * 2_000) objects, which takes "
                    + "\(seconds.shown) s: median \(pair.median.shown) ms, p99 \(pair.at(99).shown) "
                    + "ms, of \(pair.count)"
            ]
        }
    }

    /// A device that was away, and what the commits that it missed left on disk.
    func away() async throws -> [String] {
        try await withServer { server, site in
            let (commits, concerning) = (scaled(100_000), scaled(100))
            let reader = Device(5_000_000, [Note.query("store == 1")])
            let writer = try await writer(site)
            try await writer.upload([[Note.create(1, store: 1)] + (2...65).map { Note.create($0, store: 2) }], to: site)
            try await reader.becomeLive(at: site)
            reader.disconnect()
            let size = try fileBytes(server)
            let each = max(commits / 64, 1)
            try await by64(site) { device, number in
                for step in 0..<each { try await device.upload([[Note.set(2 + number, count: step + 1)]], to: site) }
            }
            for step in 0..<concerning { try await writer.upload([[Note.set(1, count: step + 1)]], to: site) }
            let bytes = Double(try fileBytes(server) - size) / Double(64 * each + concerning)
            try await Task.sleep(for: .seconds(1))
            let (before, start) = (probe(server).cpuNanoseconds, ContinuousClock.now)
            try await reader.connect(to: site)
            let arrivals = Arrivals(1)
            reader.listen { arrivals.note($0) }
            _ = await arrivals.all(since: start)
            let cpu = probe(server).cpuMilliseconds(since: before)
            return [
                "a device that was away for \(64 * each + concerning) commits of which \(concerning) concern it: server "
                    + "CPU \(cpu.shown) ms, told after \(start.milliseconds.shown) ms",
                "the file grew by \(bytes.shown) bytes for each of these commits",
            ]
        }
    }

    private func fileBytes(_ server: SyncServer) throws -> Int {
        let path = server.dataFolder + "/database.causeway"
        return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    func databases() async throws -> [String] {
        let (count, devices) = (max(64 / divisor, 2), scaled(6_400))
        let names = (1..<count).map { "load\($0)" }
        let one = try await throughput(devices, databases: [])
        let many = try await throughput(devices, databases: names)
        return [
            "one-operation uploads of \(devices) devices: \(Int(one)) /s in one database, \(Int(many)) /s in \(count), "
                + "\((many / one).shown) times"
        ]
    }

    private func throughput(_ devices: Int, databases: [String]) async throws -> Double {
        var rate = 0.0
        _ = try await withServer(others: databases) { server, site in
            let sites = [site] + databases.map { site.naming($0) }
            let fleets = sites.enumerated().map { number, site in
                Fleet(devices / sites.count, at: site, firstClient: UInt64(10_000 * number + 1)) { _ in "store == -1" }
            }
            for fleet in fleets { try await fleet.connect() }
            let all = fleets.flatMap { fleet in fleet.devices.map { ($0, fleet.site) } }
            let start = ContinuousClock.now
            let next = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Fewer than may wait at a database.
                for _ in 0..<128 {
                    group.addTask {
                        while let number = next.next(below: 2 * all.count) {
                            // Neighbours are in different databases.
                            let place = number % all.count
                            let (device, site) = all[
                                (place % sites.count) * (all.count / sites.count) + place / sites.count]
                            try await device.upload([[Note.create(number, store: 1)]], to: site)
                        }
                    }
                }
                try await group.waitForAll()
            }
            rate = Double(2 * all.count) / (start.milliseconds / 1_000)
            for fleet in fleets { fleet.disconnect() }
            return []
        }
        return rate
    }
}
