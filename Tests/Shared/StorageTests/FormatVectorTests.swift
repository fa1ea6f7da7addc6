import CausewayEnvironment
import CausewayFolders
import CausewayStorage
import CausewayStorageOracle
import Foundation
import Testing

/// Files of every format this library has written, kept in `Tests/Vectors/storage`: they open for ever, with what was
/// written into them. `CAUSEWAY_WRITE_VECTORS=1` writes those of the newest format anew.
@Suite("Files of earlier formats")
struct FormatVectorTests {
    private static let vectors = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appending(path: "../../Vectors/storage").standardized
    private static let key = (0..<64).map { UInt8($0 &* 3) }
    private static let longKey = [UInt8](repeating: 7, count: 3000)

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func value(_ number: UInt8) -> [UInt8] {
        (0..<Int(number) * 9).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(number)) }
    }

    private func open(_ path: String, isEncrypted: Bool) throws -> any Storage {
        try StorageRegistry.shared.open(
            path: path, options: StorageOptions(encryptionKey: isEncrypted ? Self.key : nil))
    }

    /// Several commits, so that the file has had pages freed and written again.
    private func write(to path: String, isEncrypted: Bool) throws {
        let storage = try open(path, isEncrypted: isEncrypted)
        for round in UInt8(0)..<5 {
            let writer = try storage.write()
            for number in UInt8(0)..<120 where number % 5 == round { writer.put(20, [number], value(number)) }
            writer.put(21, Self.longKey, value(round))
            writer.put(22, [round], [UInt8](repeating: round, count: 5000))
            writer.replaceLeaf(3, UInt32(round) * 200, value(200 + round))
            writer.replaceLeaf(4, 0, value(100 + round))
            _ = try writer.commit(.durable)
        }
        try storage.compact()
        // Carried by the header.
        let writer = try storage.write()
        writer.put(23, [1], [2])
        writer.put(23, [2], [3])
        writer.replaceLeaf(5, 1, [4, 5])
        _ = try writer.commit(.durable)
        let last = try storage.write()
        last.remove(23, [1])
        _ = try last.commit(.durable)
    }

    @Test(
        "a file of each format holds what was written into it, and takes more",
        arguments: [("1-plain", false), ("1-encrypted", true), ("2-plain", false), ("2-encrypted", true)])
    func formats(name: String, isEncrypted: Bool) throws {
        let vector = Self.vectors.appending(path: name + ".causeway")
        let isNewest = name.hasPrefix("2-")
        if isNewest, ProcessInfo.processInfo.environment["CAUSEWAY_WRITE_VECTORS"] != nil {
            try FileManager.default.createDirectory(at: Self.vectors, withIntermediateDirectories: true)
            try? FileManager.default.removeItem(at: vector)
            try write(to: folder.file(name), isEncrypted: isEncrypted)
            try FileManager.default.copyItem(atPath: folder.file(name), toPath: vector.path)
        }
        let path = folder.file("copy")
        try FileManager.default.copyItem(atPath: vector.path, toPath: path)
        let storage = try open(path, isEncrypted: isEncrypted)
        let snapshot = try storage.snapshot()
        #expect(snapshot.version == (isNewest ? 7 : 5))
        #expect(snapshot.entries(23) == (isNewest ? [[[2], [3]]] : []))
        #expect(snapshot.leafBytes(5, 1) == (isNewest ? [4, 5] : nil))
        for number in UInt8(0)..<120 { #expect(snapshot.get(20, [number]) == value(number)) }
        #expect(snapshot.get(21, Self.longKey) == value(4))
        for round in UInt8(0)..<5 {
            #expect(snapshot.get(22, [round]) == [UInt8](repeating: round, count: 5000))
            #expect(snapshot.leafBytes(3, UInt32(round) * 200) == value(200 + round))
        }
        #expect(snapshot.leafBytes(4, 0) == value(104))
        #expect(try storage.verify { _, _ in }.problems == [])
        let writer = try storage.write()
        writer.put(20, [255], [1])
        #expect(try writer.commit(.durable).get(20, [255]) == [1])
    }
}
