import CausewayFolders
import Testing

@testable import CausewayStorage

/// A file that a later library writes to while this one has it open.
@Suite("Later formats in open files")
struct LaterFormatTests {
    private static let formatOffset = 8

    @Test("a header of a later format is refused with words that say so, and nothing is written after it")
    func whileOpen() throws {
        let folder = try TemporaryFolder()
        func open() throws -> PageStorage {
            try PageStorage.open(
                path: folder.file("a.realm"), options: StorageOptions(mapSizeBytes: 1 << 30), registry: .shared)
        }
        let storage = try open()
        // As another process would have it open.
        let later = try open()
        for _ in 0..<4 { _ = try later.write().commit(.durable) }
        #expect(try storage.newestVersion() == 4)
        _ = try later.write().commit(.durable)
        var bytes = folder.read("a.realm")
        for slot in 0..<FileHeader.slotCount { bytes[slot * Pages.sizeBytes + Self.formatOffset] += 1 }
        folder.write(bytes, to: "a.realm")
        let error = failure { _ = try storage.snapshot() }
        #expect(error?.code == .unsupportedVersion)
        #expect(error?.message.contains("Update the library") == true)
        #expect(code { _ = try storage.write() } == .unsupportedVersion)
        #expect(code { _ = try storage.newestVersion() } == .unsupportedVersion)
        #expect(folder.read("a.realm") == bytes)
        withExtendedLifetime(later) {}
    }
}
