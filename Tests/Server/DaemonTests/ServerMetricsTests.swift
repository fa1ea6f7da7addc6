import CausewayBackup
import CausewayEnvironment
import CausewayFolders
import CausewayStoreEmbedded
import CausewayTelemetry
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("Metrics of backups, disks and databases that go")
struct ServerMetricsTests {
    @Test("nothing of a dropped database is exposed, and another of its name begins at zero")
    func dropped() async throws {
        try await AdminBench.run { bench in
            func series() -> [Substring] {
                bench.telemetry.registry.text().split(separator: "\n").filter { $0.contains(#"database="tasks""#) }
            }
            let opened = #"causeway_sessions_opened_total{database="tasks"} "#
            for _ in 0..<2 {
                try await bench.get("POST", "databases", #"{"name":"tasks"}"#, status: 201)
                try await bench.devices.open("tasks", client: 1, user: "ada")
                #expect(series().contains { $0 == opened + "1" }, "\(series())")
                try await bench.get("DELETE", "databases/tasks?deleteFiles=tasks")
                #expect(series() == [])
            }
            #expect(bench.telemetry.registry.text().contains(#"database="flights""#))
        }
    }

    @Test("a database that cannot be opened leaves no series")
    func refused() async throws {
        try await AdminBench.run { bench in
            bench.folder.write("no folder", "file")
            let folder = bench.folder.file("file/data")
            try await bench.expect(
                422, "configurationInvalid", "POST", "databases", #"{"name":"tasks","folder":"\#(folder)"}"#)
            #expect(!bench.telemetry.registry.text().contains("tasks"))
        }
    }

    @Test("the room on a database's disk is read with its other gauges")
    func disk() async throws {
        try await AdminBench.run { bench in
            let samples = try #require(await bench.tenants["flights"]?.gauges.read()).samples
            func number(_ definition: MetricDefinition) -> Double? {
                samples.first { $0.definition == definition && $0.values == ["flights"] }?.number
            }
            let (size, available) = (number(MetricCatalog.diskSize), number(MetricCatalog.diskAvailable))
            let isPlausible = try #require(size) >= (try #require(available)) && size ?? 0 > Double(1 << 20)
            #expect(isPlausible)
            #expect(DiskSpace(of: "/nowhere") == nil)
        }
    }

    @Test("the newest backup is told with its size and time, whoever made it, and failures are counted")
    func backups() async throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        try StoreEmbedded.open(folder: folder.file("data"), epochSeed: 7).close()
        let plan = Configuration.Backups(folder: folder.file("backups"))
        let work = BackupWork(plan, clock: SystemClock())
        func read(_ work: BackupWork) -> [String: Double] {
            Dictionary(
                work.samples(of: ["tasks"]).map { ($0.definition.name, $0.number) }, uniquingKeysWith: { $1 })
        }
        #expect(read(work) == [MetricCatalog.backupFailures.name: 0])

        #expect(work.begin("tasks"))
        let missing = await work.make(Backup.Source(name: "tasks", folder: folder.file("nowhere")))
        #expect(throws: BackupError.self) { try missing.get() }
        #expect(read(work) == [MetricCatalog.backupFailures.name: 1])

        #expect(work.begin("tasks"))
        let facts = try await work.make(Backup.Source(name: "tasks", folder: folder.file("data"))).get()
        let made = read(work)
        #expect(made[MetricCatalog.backupSize.name] == Double(facts.manifest.bytes))
        #expect(made[MetricCatalog.backupSeconds.name] == facts.seconds)
        #expect(abs((made[MetricCatalog.backupTime.name] ?? 0) - Date().timeIntervalSince1970) < 600)
        #expect(made[MetricCatalog.backupFailures.name] == 1)

        // Another process, which finds it in the folder.
        let later = BackupWork(plan, clock: SystemClock())
        later.note(BackupFolder.backups(of: "tasks", in: plan.folder).last, of: "tasks")
        var found = made
        found[MetricCatalog.backupSeconds.name] = nil
        found[MetricCatalog.backupFailures.name] = 0
        #expect(read(later) == found)
    }
}
