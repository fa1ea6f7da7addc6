import CausewayFolders
import Foundation
import Testing

@testable import CausewayBackup

@Suite("Which backups stay, and when the next one is due")
struct RetentionTests {
    private func make(_ folder: TemporaryFolder, _ names: [String], epoch: UInt64 = 7, hasManifest: Bool = true) throws
    {
        for name in names {
            try FileManager.default.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: true)
            guard hasManifest else { continue }
            let manifest = BackupManifest(
                database: "a", epoch: BackupManifest.text(epoch: epoch), version: 1, time: "2026-11-27T18:30:00Z",
                server: "1",
                files: [.init(name: "database.causeway", bytes: 1, sha256: String(repeating: "0", count: 64))])
            folder.write(Array(try manifest.encoded()), to: name + "/manifest.json")
        }
    }

    @Test("names of one database sort by time, and are read back")
    func names() throws {
        let name = BackupName(database: "my-db_2", stamp: BackupName.stamp(of: 1_795_804_200_000), version: 12)
        #expect(name.text == "my-db_2-20261127T183000Z-v12.backup")
        #expect(BackupName(name.text) == name && name.time == 1_795_804_200_000)
        #expect(Backup.time(of: name.stamp) == "2026-11-27T18:30:00Z")
        for text in [
            "", ".backup", "a.backup", "a-v1.backup", "a-20261127T183000Z.backup", "a-20261127T183000Z-v.backup",
            "a-20261127T183000Z-v1", "a-2026112T7183000Z-v1.backup", "a-20261127T183000-v1.backup", "a-x-v1.backup",
            "a-20261127T183000Z-v-1.backup", "a-20261127T183000Z-v99999999999999999999.backup",
        ] { #expect(BackupName(text) == nil, "\(text)") }
    }

    @Test("the newest stay, and what is of another database, or is no backup, is not touched")
    func thinning() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let own = (1...5).map { "a-2026112\($0)T000000Z-v\(10 - $0).backup" }
        let others = ["a-b-20200101T000000Z-v1.backup", "b-20200101T000000Z-v1.backup", "a-notes.backup"]
        try make(folder, own + others)
        try make(folder, ["a-20190101T000000Z-v1.backup"], hasManifest: false)
        func thin(_ database: String, keep: Int) throws(BackupError) -> [String] {
            try BackupFolder.thin(database, epoch: 7, in: folder.path, keep: keep, at: .max)
        }
        #expect(try thin("a", keep: 3) == Array(own.prefix(2)))
        #expect(Set(folder.names) == Set(own.suffix(3) + others + ["a-20190101T000000Z-v1.backup"]))
        #expect(try thin("a", keep: 0).count == 2)
        #expect(try BackupFolder.thin("c", epoch: 7, in: folder.path + "/nothing", keep: 1, at: .max) == [])
    }

    @Test("backups of an earlier database with the same name do not count, and stay")
    func earlierDatabase() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let earlier = (1...3).map { "a-2026112\($0)T000000Z-v9.backup" }
        let own = (4...6).map { "a-2026112\($0)T000000Z-v1.backup" }
        try make(folder, earlier, epoch: 8)
        #expect(BackupFolder.backups(of: "a", epoch: 7, in: folder.path) == [])
        try make(folder, own)
        #expect(try BackupFolder.thin("a", epoch: 7, in: folder.path, keep: 1, at: .max) == Array(own.prefix(2)))
        #expect(Set(folder.names) == Set(earlier + [own[2]]))
        let left = BackupFolder.backups(of: "a", in: folder.path)
        #expect(left.map { $0.isOf(epoch: 7) } == [false, false, false, true])
    }

    @Test("a database is due once in a period, at a moment of its own, and at once when none was made")
    func schedule() {
        let schedule = BackupSchedule(everyHours: 24, databases: 4)
        let (day, hour): (UInt64, UInt64) = (86_400_000, 3_600_000)
        let midnight = 20_000 * day
        for index in 0..<4 {
            let moment = schedule.lastMoment(of: index, at: midnight + 23 * hour)
            #expect(moment == midnight + UInt64(index) * 6 * hour)
            #expect(schedule.isDue(index, backups: [], at: midnight))
            #expect(schedule.isDue(index, backups: [moment - 1_000], at: moment))
            #expect(schedule.isDue(index, backups: [moment - 1_000], at: moment + hour))
            #expect(!schedule.isDue(index, backups: [moment], at: moment + day - 1))
            #expect(schedule.isDue(index, backups: [moment], at: moment + day))
            // A clock that was ahead has named one; it goes right again.
            #expect(schedule.isDue(index, backups: [moment + 300 * day], at: moment + hour))
        }
        #expect(BackupSchedule(everyHours: 0, databases: 0).isDue(0, backups: [], at: 0))
    }
}
