import CausewayStorage
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("Open snapshots")
struct OpenSnapshotTests {
    @Test("they are counted for as long as somebody holds them, with the age of the oldest")
    func counted() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1)))
        #expect(try record.store.statistics().snapshots == 0)
        var held = [try record.store.snapshot(), try record.store.snapshot()]
        let first = try record.store.statistics()
        #expect(first.snapshots == 2 && first.oldestSnapshotAge > .zero)
        try record.write(Record.ann, create(dog(2)))
        let second = try record.store.statistics()
        #expect(second.oldestSnapshotAge > first.oldestSnapshotAge)
        #expect(second.file.oldestSnapshot?.commitsBehind == 1)
        held.removeAll()
        let last = try record.store.statistics()
        #expect(last.snapshots == 0 && last.oldestSnapshotAge == .zero)
    }
}
