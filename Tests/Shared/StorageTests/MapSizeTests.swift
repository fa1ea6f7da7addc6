import CausewayFolders
import CausewayStorage
import CausewayStorageOracle
import Testing

/// Programs that reserve fewer addresses than a file needs.
@Suite("Maps smaller than the file")
struct MapSizeTests {
    private static let smallBytes = 300 << 10
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func commit(_ storage: any Storage, _ number: UInt8, leafBytes: Int = 0) throws {
        let writer = try storage.write()
        writer.put(20, [number], [number])
        if leafBytes > 0 { writer.replaceLeaf(1, 0, Array(repeating: number, count: leafBytes)) }
        _ = try writer.commit(.durable)
    }

    @Test(
        "a durable commit that does not fit is refused, not dropped",
        arguments: [StorageBackend.pages, .encryptedPages], [false, true])
    func commitBeyondTheMap(backend: StorageBackend, isClosedCleanly: Bool) throws {
        do {
            let storage = try backend.open(folder.file("a.realm"))
            for number in UInt8(1)...3 { try commit(storage, number) }
            try commit(storage, 4, leafBytes: 600 << 10)
            // As a process leaves it that is killed now.
            folder.write(folder.read("a.realm"), to: "killed.realm")
        }
        let name = isClosedCleanly ? "a.realm" : "killed.realm"
        let bytes = folder.read(name)
        #expect(
            code { _ = try backend.open(folder.file(name), mapSizeBytes: Self.smallBytes) } == .mapFull)
        #expect(folder.read(name) == bytes)
        let storage = try backend.open(folder.file(name))
        #expect(try storage.newestVersion() == 4)
        #expect(try storage.snapshot().get(20, [4]) == [4])
    }

    @Test("a file whose used part fits is opened, however long the file is", arguments: [StorageBackend.pages])
    func usedPartFits(backend: StorageBackend) throws {
        // Too much for the header, so that the file has pages.
        do { try commit(try backend.open(folder.file("a.realm")), 1, leafBytes: 4_000) }
        #expect(folder.read("a.realm").count > 20 * 4096)
        let storage = try backend.open(folder.file("a.realm"), mapSizeBytes: 20 * 4096)
        #expect(try storage.snapshot().get(20, [1]) == [1])
    }
}
