import Causeway
import Foundation
import Testing

class StatisticsThing: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("What a Realm says of its file")
struct StatisticsTests {
    @Test("the oldest snapshot is how far behind a frozen Realm stands, until it is let go")
    func oldest() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.appendingPathComponent("a.realm"), objectTypes: [StatisticsThing.self]))
        // Too much for the header of a commit, so that the snapshot has pages.
        func text(_ id: Int) -> String { String(repeating: "\(id) ", count: 2_000) }
        try realm.write { realm.create(StatisticsThing.self, value: ["id": 0, "text": text(0)]) }
        var frozen: Realm? = realm.freeze()
        #expect(frozen?.objects(StatisticsThing.self).count == 1)
        for id in 1...20 {
            try realm.write { realm.create(StatisticsThing.self, value: ["id": id, "text": text(id)]) }
        }
        let held = try realm.statistics()
        #expect(held.oldestSnapshot?.commitsBehind == 20)
        #expect(held.oldestSnapshot?.processID == Int(getpid()))
        #expect(held.pinnedBytes > 0)
        #expect(held.sizeBytes >= held.usedBytes + held.pinnedBytes)
        frozen = nil
        // Sessions of the notifier or a remembered snapshot may stand on the newest versions.
        #expect(try (realm.statistics().oldestSnapshot?.commitsBehind ?? 0) < 20)
    }
}
