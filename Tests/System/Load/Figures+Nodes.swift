import CausewayModel
import CausewayOperations
import CausewayPrograms
import Foundation

// Nodes that follow one journal, beside one server with its own file in the same run. PostgreSQL, all nodes and the devices share
// this machine, so ratios say more than figures.

extension Figures {
    func withNodes(
        _ count: Int, journal: String = "", _ body: (NodeGroup, [Site]) async throws -> [String]
    ) async throws -> [String] {
        let nodes = try NodeGroup(count, program: program, folder: folder, journal: journal)
        defer { nodes.end() }
        return try await body(nodes, try nodes.servers.map { try site($0) })
    }

    // MARK: - From commit to sight

    /// Milliseconds from a commit on one server to its sight on another.
    private func sight(from writing: Site, to reading: Site) async throws -> Percentiles {
        let (writer, reader) = (try await writer(writing), Device(2_000_000, [Note.query("store == 1")]))
        try await reader.becomeLive(at: reading)
        try await writer.upload([[Note.create(1, store: 1)]], to: writing)
        try await Task.sleep(for: .seconds(1))
        var times: [Double] = []
        for number in 0..<scaled(400) {
            let arrivals = Arrivals(1)
            reader.listen { arrivals.note($0) }
            let start = ContinuousClock.now
            try await writer.upload([[Note.set(1, count: number + 1)]], to: writing)
            times += await arrivals.all(since: start)
        }
        return Percentiles(times)
    }

    func nodeCommits() async throws -> [String] {
        var alone = Percentiles([])
        _ = try await withServer { _, site in
            alone = try await sight(from: site, to: site)
            return []
        }
        return try await withNodes(3) { _, sites in
            let (same, other) = (
                try await sight(from: sites[0], to: sites[0]), try await sight(from: sites[0], to: sites[1])
            )
            return [
                "commit → visible, median: one server with its file \(alone.median.shown) ms; a node of three \(same.median.shown) "
                    + "ms; another node \(other.median.shown) ms (p99 \(other.at(99).shown)) = "
                    + "\((other.median / alone.median).shown) times (at most 3 wanted)"
            ]
        }
    }

    // MARK: - Uploads

    private func uploadsPerSecond(_ sites: [Site]) async throws -> Double {
        let (uploads, start) = (scaled(200), ContinuousClock.now)
        try await by64(sites) { device, number, site in
            for step in 0..<uploads {
                try await device.upload([[Note.create(number * 1_000_000 + step, store: number)]], to: site)
            }
        }
        return Double(64 * uploads) / (start.milliseconds / 1_000)
    }

    private func by64(
        _ sites: [Site], _ body: @escaping @Sendable (Device, Int, Site) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let (device, site) = (
                        Device(UInt64(2_000_000 + number), [Note.query("store == -1")]), sites[number % sites.count]
                    )
                    try await device.becomeLive(at: site)
                    try await body(device, number, site)
                }
            }
            try await group.waitForAll()
        }
    }

    func nodeUploads() async throws -> [String] {
        var (alone, one, three, bench) = (0.0, 0.0, 0.0, 0.0)
        _ = try await withServer { _, site in
            alone = try await uploadsPerSecond([site])
            return []
        }
        _ = try await withNodes(1) { nodes, sites in
            one = try await uploadsPerSecond(sites)
            _ = try nodes.postgres.query("CREATE TABLE bench (number bigserial PRIMARY KEY, entry bytea NOT NULL)")
            bench = try nodes.postgres.benchmark(
                "INSERT INTO bench (entry) VALUES (decode(repeat('ab', 200), 'hex'))", clients: 64,
                transactions: scaled(200))
            return []
        }
        return try await withNodes(3) { _, sites in
            three = try await uploadsPerSecond(sites)
            return [
                "one-operation uploads, durable, of 64 clients: one server with its file \(Int(alone)) /s; one node \(Int(one)) /s, "
                    + "three nodes \(Int(three)) /s; pgbench with one insert of 200 bytes and 64 clients \(Int(bench)) /s: "
                    + "\((one / bench).shown) and \((three / bench).shown) times (at least 1 wanted)"
            ]
        }
    }

    private func createsPerSecond(_ site: Site) async throws -> Double {
        let (uploads, start) = (scaled(10), ContinuousClock.now)
        try await by64(site) { device, number in
            for step in 0..<uploads {
                let first = number * 10_000_000 + step * 2_000
                try await device.upload([(first..<first + 2_000).map { Note.create($0, store: number) }], to: site)
            }
        }
        return Double(64 * uploads * 2_000) / (start.milliseconds / 1_000)
    }

    func nodeBulk() async throws -> [String] {
        var alone = 0.0
        _ = try await withServer { _, site in
            alone = try await createsPerSecond(site)
            return []
        }
        return try await withNodes(1) { _, sites in
            let node = try await createsPerSecond(sites[0])
            return [
                "objects created by 64 clients, 2,000 an upload: one server with its file \(Int(alone)) /s; one node \(Int(node)) /s "
                    + "= \((node / alone).shown) times (at least 0.6 wanted)"
            ]
        }
    }

    // MARK: - What a further node costs

    func furtherNode() async throws -> [String] {
        let commits = scaled(2_000)
        func write(_ site: Site) async throws {
            let writer = try await writer(site)
            for number in 0..<commits { try await writer.upload([[Note.create(number, store: 5)]], to: site) }
        }
        var alone = 0.0
        _ = try await withServer { server, site in
            let before = probe(server).cpuNanoseconds
            try await write(site)
            alone = probe(server).cpuMilliseconds(since: before) / Double(commits)
            return []
        }
        return try await withNodes(3) { nodes, sites in
            let idle = Fleet(scaled(1_000), at: sites[2]) { _ in "store == 1" }
            try await idle.connect()
            try await Task.sleep(for: .seconds(2))
            let (first, third) = (probe(nodes.servers[0]), probe(nodes.servers[2]))
            // What they take without commits: heartbeats, and looks at the journal.
            let seconds = 5.0
            var before = (first.cpuMillisecondsOfAll, third.cpuMillisecondsOfAll)
            try await Task.sleep(for: .seconds(seconds))
            let resting = (
                (first.cpuMillisecondsOfAll - before.0) / seconds, (third.cpuMillisecondsOfAll - before.1) / seconds
            )
            before = (first.cpuMillisecondsOfAll, third.cpuMillisecondsOfAll)
            let start = ContinuousClock.now
            try await write(sites[0])
            try await Task.sleep(for: .seconds(1))
            let elapsed = start.milliseconds / 1_000
            let (writing, further) = (
                (first.cpuMillisecondsOfAll - before.0 - resting.0 * elapsed) / Double(commits),
                (third.cpuMillisecondsOfAll - before.1 - resting.1 * elapsed) / Double(commits)
            )
            // The same entries once more, by a process that does nothing else.
            let folder = folder.appendingPathComponent("again")
            let again = ContinuousClock.now
            try nodes.servers[0].journal("restore", "--database", "load", "--to", folder.path)
            let merging = again.milliseconds / Double(commits)
            try? FileManager.default.removeItem(at: folder)
            return [
                "a commit of one object that concerns none of the \(idle.devices.count) devices of a further node: \(further.shown) "
                    + "ms of that node's CPU; of the node that takes it \(writing.shown) ms; of one server with its file "
                    + "\(alone.shown) ms; read and merged from the journal alone, all commits in a row, \(merging.shown) ms each"
            ]
        }
    }

    // MARK: - Ends and beginnings

    func killedNode() async throws -> [String] {
        try await withNodes(2) { nodes, sites in
            let fleet = Fleet(scaled(1_000), at: sites[0]) { _ in "store == 1" }
            try await fleet.connect()
            let other = Fleet(fleet.devices.count, at: sites[1], firstClient: 1) { _ in "store == 1" }
            let start = ContinuousClock.now
            nodes.servers[0].kill()
            fleet.disconnect()
            let times = try await other.connect(atOnce: 256)
            return [
                "a node with \(fleet.devices.count) devices is killed: live on another one, without backoff, after "
                    + "\(times.median.shown) ms (median of a device); the last \((start.milliseconds / 1_000).shown) s after the kill "
                    + "(at most 5 wanted)"
            ]
        }
    }

    /// Until a device is live at a node.
    private func live(at server: SyncServer) async throws {
        let device = Device(3_000_000, [Note.query("store == -1")])
        try await device.becomeLive(at: try site(server))
        device.disconnect()
    }

    func emptyNode() async throws -> [String] {
        let (uploads, commits) = (scaled(500), scaled(10_000))
        return try await withNodes(1, journal: ", snapshotEntries: \(uploads)") { nodes, sites in
            let writer = try await writer(sites[0])
            for step in 0...uploads {
                let first = step * 2_000
                try await writer.upload([(first..<first + 2_000).map { Note.create($0, store: 1) }], to: sites[0])
            }
            // A node looks every half minute whether a snapshot is due.
            for _ in 0..<1_200 where try nodes.snapshotPosition() < uploads {
                try await Task.sleep(for: .milliseconds(100))
            }
            let (snapshot, filled) = (try nodes.snapshotPosition(), try nodes.position())
            let second = try nodes.add()
            var start = ContinuousClock.now
            try second.start()
            try await live(at: second)
            let serving = start.milliseconds / 1_000
            second.stop()

            for number in 0..<commits { try await writer.upload([[Note.set(number, count: 1)]], to: sites[0]) }
            let (end, moment) = (try nodes.position(), Date().addingTimeInterval(2))
            try await Task.sleep(for: .seconds(2))
            let third = try nodes.add()
            start = ContinuousClock.now
            try third.start()
            try await live(at: third)
            let replayed = start.milliseconds / 1_000
            start = ContinuousClock.now
            try nodes.servers[0].journal(
                "restore", "--database", "load", "--at", moment.formatted(.iso8601), "--to",
                folder.appendingPathComponent("restored").path)
            let restored = start.milliseconds / 1_000
            try? FileManager.default.removeItem(at: folder.appendingPathComponent("restored"))
            return [
                "an empty node for \(uploads * 2_000) objects, \(filled - snapshot) entries behind a snapshot: serving after "
                    + "\(serving.shown) s (at most 10 wanted); \(end - snapshot) entries behind it: \(replayed.shown) s",
                "restore of \(uploads * 2_000) objects with \(end - snapshot) entries behind the snapshot: \(restored.shown) s (at "
                    + "most 30 wanted)",
            ]
        }
    }
}
