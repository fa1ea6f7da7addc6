import CausewaySimulatedDisk
import CausewayStorage
import CausewayStorageOracle
import Testing

/// Who waits for a sync that fails is told, and does not wait for ever.
@Suite("Syncs that fail", .timeLimit(.minutes(10)))
struct FailedSyncTests {
    @Test("who waits for a grouped commit is told", arguments: [false, true])
    func grouped(isEncrypted: Bool) async throws {
        let disk = SimulatedDisk(capacityBytes: 4 << 20)
        let options = StorageOptions(mapSizeBytes: 4 << 20, encryptionKey: isEncrypted ? StorageBackend.key : nil)
        let storage = try PageStorage.open(file: disk.open(), path: "simulated", options: options)
        var contents = Contents()
        for number in 1...2 {
            let writer = try storage.write()
            SmallChanges.make(number, in: writer, &contents)
            _ = try writer.commit(.durable)
        }
        let held = try storage.snapshot()
        let writer = try storage.write()
        writer.put(1, [1], [1])
        let committed = try writer.commit(.grouped(within: .seconds(3600)))
        disk.faults.chances.syncFailed = 1 << 16
        async let waiting: Void = storage.whenDurable(committed.version)
        #expect(code { try storage.synchronize() } == .io)
        do {
            try await waiting
            // It may have begun to wait when the failure was over; then it asked for a sync, which fails, too.
            Issue.record("a sync failed, and the commit counts as durable")
        } catch let error as StorageError {
            #expect(error.code == .io)
        }
        disk.faults.chances.syncFailed = 0
        // The disk is well again, and still nobody can know what it holds.
        #expect(code { _ = try storage.write() } == .io)
        #expect(code { _ = try storage.snapshot() } == .io)
        #expect(code { try storage.synchronize() } == .io)
        #expect(contents.compare(with: held).isEqual)
    }
}
