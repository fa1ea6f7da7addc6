import CausewayModel
import CausewayOperations
import CausewayPrograms
import CausewayWire
import Foundation
import NIOPosix
import Synchronization

/// What a server does for many devices, measured one row at a time, each on a server of its own.
struct Figures {
    let program: String
    let folder: URL
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    /// How much smaller than the real figures: for a run that only shows that everything works.
    let divisor: Int

    typealias Row = (name: String, run: @Sendable (Figures) async throws -> [String])

    static let rows: [Row] = [
        ("one of many concerned", { try await $0.oneConcerned() }),
        ("all concerned", { try await $0.allConcerned() }),
        ("distinct queries", { try await $0.distinctQueries() }),
        ("idle", { try await $0.idle() }),
        ("restart", { try await $0.restart() }),
        ("one-operation uploads", { try await $0.smallUploads() }),
        ("creates in bulk", { try await $0.bulkUploads() }),
        ("hello beside bulk", { try await $0.hellosBesideBulk() }),
        ("pair beside a bootstrap", { try await $0.pairBesideBootstrap() }),
        ("away", { try await $0.away() }),
        ("databases", { try await $0.databases() }),
        ("change feed", { try await $0.feed() }),
        ("floor", { try await $0.floor() }),
        ("nodes: commits", { try await $0.nodeCommits() }),
        ("nodes: uploads", { try await $0.nodeUploads() }),
        ("nodes: bulk", { try await $0.nodeBulk() }),
        ("nodes: further node", { try await $0.furtherNode() }),
        ("nodes: killed", { try await $0.killedNode() }),
        ("nodes: empty, restore", { try await $0.emptyNode() }),
    ]

    func scaled(_ count: Int) -> Int { max(count / divisor, 4) }

    // MARK: - A server

    func withServer(
        others: [String] = [], sections: String = "", _ body: (SyncServer, Site) async throws -> [String]
    ) async throws -> [String] {
        let place = folder.appendingPathComponent(UUID().uuidString)
        let server = try SyncServer(
            program: program, folder: place, database: "load", others: others, sections: Self.sections(sections))
        try server.start()
        defer {
            server.stop()
            try? FileManager.default.removeItem(at: place)
        }
        return try await body(server, try site(server))
    }

    func site(_ server: SyncServer) throws -> Site {
        try Site(
            port: server.port, database: "load", token: server.token(user: "load"), authority: server.authority,
            group: group)
    }

    /// Sections of a configuration with limits that no row reaches.
    static func sections(_ more: String = "") -> String {
        """
        limits:
          connections: 20000
          connectionsOfAddress: 20000
          handshakes: 20000
          handshakesOfAddress: 20000
          requestsPerSecondOfAddress: 1000000
          requestsPerSecondOfUser: 1000000
          operationsPerSecondOfUser: 1000000
          operationsPerSecondOfClient: 1000000
          operationsPerSecondOfDatabase: 1000000
          kilobytesPerSecondOfUser: 1000000
          sessionsOfUser: 20000
          queryMegabytesOfUser: 1024
        log:
          level: error
        \(more)
        """
    }

    func probe(_ server: SyncServer) -> ProcessProbe { ProcessProbe(number: server.processNumber ?? 0) }

    /// A device that writes, and asks for nothing that the others write.
    func writer(_ site: Site, number: UInt64 = 1_000_000) async throws -> Device {
        let writer = Device(number, [Note.query("store == -1")])
        try await writer.becomeLive(at: site)
        return writer
    }

    // MARK: - Commits

    private func oneConcerned() async throws -> [String] {
        try await withServer { server, site in
            let count = scaled(5_000)
            let fleet = Fleet(count, at: site) { "store == \($0)" }
            let writer = try await writer(site)
            try await fleet.connect()
            try await writer.upload([(0..<count).map { Note.create($0, store: $0) }], to: site)
            try await Task.sleep(for: .seconds(1))
            var times: [Double] = []
            let commits = scaled(400)
            let before = probe(server).cpuNanoseconds
            for number in 0..<commits {
                let concerned = (number &* 7_919) % count
                let arrivals = Arrivals(1)
                fleet.devices[concerned].listen { arrivals.note($0) }
                let start = ContinuousClock.now
                try await writer.upload([[Note.set(concerned, count: number + 1)]], to: site)
                times += await arrivals.all(since: start)
            }
            let cpu = probe(server).cpuMilliseconds(since: before) / Double(commits)
            let visible = Percentiles(times)
            return [
                "one commit, 1 of \(count) devices concerned: server CPU \(cpu.shown) ms; commit → visible, median "
                    + "\(visible.median.shown) ms, p99 \(visible.at(99).shown) ms"
            ]
        }
    }

    private func allConcerned() async throws -> [String] {
        try await withServer { server, site in
            let count = scaled(5_000)
            let fleet = Fleet(count, at: site) { _ in "store == 1" }
            let writer = try await writer(site)
            try await fleet.connect()
            try await writer.upload([[Note.create(1, store: 1)]], to: site)
            try await Task.sleep(for: .seconds(1))
            let counter = Mutex<Arrivals?>(nil)
            for device in fleet.devices { device.listen { message in counter.withLock { $0 }?.note(message) } }
            var (medians, lasts): ([Double], [Double]) = ([], [])
            let commits = 20
            let before = probe(server).cpuNanoseconds
            for number in 0..<commits {
                let arrivals = Arrivals(count)
                counter.withLock { $0 = arrivals }
                let start = ContinuousClock.now
                try await writer.upload([[Note.set(1, count: number + 1)]], to: site)
                let times = Percentiles(await arrivals.all(since: start))
                medians.append(times.median)
                lasts.append(times.last)
            }
            let cpu = probe(server).cpuMilliseconds(since: before) / Double(commits)
            return [
                "one commit, all of \(count) devices concerned: server CPU \(cpu.shown) ms; a device hears after "
                    + "\(Percentiles(medians).median.shown) ms, the last one after \(Percentiles(lasts).median.shown) ms"
            ]
        }
    }

    private func distinctQueries() async throws -> [String] {
        try await withServer { server, site in
            let count = scaled(1_000)
            let fleet = Fleet(count, at: site) { number in
                "(count > \(number * 10) AND count < \(number * 10 + 5)) OR (store == \(number) AND text == 'x')"
            }
            let writer = try await writer(site)
            try await fleet.connect()
            try await writer.upload([(0..<100).map { Note.create($0, store: -2, count: -1) }], to: site)
            try await Task.sleep(for: .seconds(1))
            let commits = scaled(200)
            let before = probe(server).cpuNanoseconds
            for number in 0..<commits {
                try await writer.upload([(0..<100).map { Note.set($0, count: -2 - number) }], to: site)
            }
            let cpu = probe(server).cpuMilliseconds(since: before) / Double(commits)
            return [
                "\(count) distinct queries, 100 objects a commit, nobody concerned: server CPU \(cpu.shown) ms a commit"
            ]
        }
    }

    // MARK: - Connections

    private func idle() async throws -> [String] {
        try await withServer { server, site in
            let count = scaled(10_000)
            let probe = probe(server)
            let empty = probe.residentBytes
            let fleet = Fleet(count, at: site) { _ in "store == 1" }
            let start = ContinuousClock.now
            try await fleet.connect()
            let seconds = start.milliseconds / 1_000
            try await Task.sleep(for: .seconds(30))
            let (memory, before) = (probe.residentBytes, probe.cpuNanoseconds)
            let interval = 60
            try await Task.sleep(for: .seconds(interval))
            let cpu = probe.cpuMilliseconds(since: before) / Double(interval)
            return [
                "\(count) devices, a connection and a session each: connected within \(seconds.shown) s; memory "
                    + "\(memory >> 20) MB, of which \(empty >> 20) without them; idle \(cpu.shown) ms of CPU a second"
            ]
        }
    }

    private func restart() async throws -> [String] {
        try await withServer { server, site in
            let count = scaled(10_000)
            let fleet = Fleet(count, at: site) { _ in "store == 1" }
            try await fleet.connect()
            server.stop()
            fleet.disconnect()
            try server.start()
            let (before, start) = (probe(server).cpuNanoseconds, ContinuousClock.now)
            let writer = try await writer(site)
            let isOver = Atomic(false)
            async let edits = edits(by: writer, at: site, until: { isOver.load(ordering: .relaxed) })
            let times = try await fleet.connect(atOnce: 256)
            let seconds = start.milliseconds / 1_000
            isOver.store(true, ordering: .relaxed)
            let cpu = probe(server).cpuMilliseconds(since: before) / 1e3
            return [
                "\(count) devices connect again after a restart: the last is live after \(seconds.shown) s, "
                    + "\(cpu.shown) s of server CPU; an honest edit meanwhile p99 \(try await edits.at(99).shown) ms; a "
                    + "device waits \(times.median.shown) ms (median)"
            ]
        }
    }

    private func edits(by writer: Device, at site: Site, until isOver: @Sendable () -> Bool) async throws -> Percentiles
    {
        var times: [Double] = []
        try await writer.upload([[Note.create(1, store: 1)]], to: site)
        while !isOver() {
            let start = ContinuousClock.now
            try await writer.upload([[Note.set(1, count: times.count + 1)]], to: site)
            times.append(start.milliseconds)
            try await Task.sleep(for: .milliseconds(20))
        }
        return Percentiles(times)
    }

    // MARK: - Uploads

    private func smallUploads() async throws -> [String] {
        try await withServer { server, site in
            let (uploads, before, start) = (scaled(300), probe(server).cpuNanoseconds, ContinuousClock.now)
            try await by64(site) { device, number in
                for step in 0..<uploads {
                    try await device.upload([[Note.create(number * 1_000_000 + step, store: number)]], to: site)
                }
            }
            return [rate("one-operation uploads, durable, of 64 clients", 64 * uploads, start, before, server)]
        }
    }

    private func bulkUploads() async throws -> [String] {
        try await withServer { server, site in
            let (uploads, before, start) = (scaled(20), probe(server).cpuNanoseconds, ContinuousClock.now)
            try await by64(site) { device, number in
                for step in 0..<uploads {
                    let first = number * 10_000_000 + step * 2_000
                    try await device.upload(
                        [(first..<first + 2_000).map { Note.create($0, store: number) }], to: site)
                }
            }
            return [rate("objects created by 64 clients, 2,000 an upload", 64 * uploads * 2_000, start, before, server)]
        }
    }

    /// 64 devices at once, each with a connection of its own.
    func by64(_ site: Site, _ body: @escaping @Sendable (Device, Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let device = Device(UInt64(2_000_000 + number), [Note.query("store == -1")])
                    try await device.becomeLive(at: site)
                    try await body(device, number)
                }
            }
            try await group.waitForAll()
        }
    }

    func rate(
        _ name: String, _ count: Int, _ start: ContinuousClock.Instant, _ before: UInt64, _ server: SyncServer
    ) -> String {
        let seconds = start.milliseconds / 1_000
        let cpu = probe(server).cpuMilliseconds(since: before) * 1e3 / Double(count)
        return "\(name): \(Int(Double(count) / seconds)) /s, \(cpu.shown) µs of server CPU each"
    }
}

extension Double {
    /// With as many digits as say something.
    var shown: String { String(format: self < 10 ? "%.2f" : self < 100 ? "%.1f" : "%.0f", self) }
}
