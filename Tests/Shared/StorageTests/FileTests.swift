import CausewayStorage
import Glibc
import Testing

@Suite("Storage files")
struct FileTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func code(_ body: () throws -> Void) -> StorageError.Code? {
        do {
            try body()
            return nil
        } catch let error as StorageError {
            #expect(error.message.contains("."), "a message says cause and remedy")
            #expect(!error.path.isEmpty)
            return error.code
        } catch {
            return StorageError.Code("\(error)")
        }
    }

    private func fill(_ path: String, commits: Int = 30) throws {
        let storage = try openStorage(path)
        for number in 0..<commits {
            let writer = try storage.write()
            for key in 0..<20 {
                writer.put(20, Array("key \(number) \(key)".utf8), Array(repeating: UInt8(key), count: 50))
            }
            writer.replaceLeaf(1, UInt32(number), Array(repeating: UInt8(number), count: 8176))
            writer.replaceLeaf(2, UInt32(number % 5), Array(repeating: UInt8(number), count: 1048))
            _ = try writer.commit(.relaxed)
        }
    }

    @Test("two paths to one file share one storage")
    func oneForEachFile() throws {
        let storage = try openStorage(folder.file("a.realm"))
        symlink(folder.file("a.realm"), folder.file("b.realm"))
        #expect(try openStorage(folder.file("b.realm")) === storage)
        #expect(try openStorage(folder.path + "/./a.realm") === storage)
        let memory = try openStorage("memory", inMemory: true)
        #expect(try openStorage("memory", inMemory: true) === memory)
        #expect(try openStorage("other memory", inMemory: true) !== memory)
    }

    @Test("a storage in memory is gone with its last user and leaves no file")
    func inMemory() throws {
        var storage: (any Storage)? = try openStorage(folder.file("ghost"), inMemory: true)
        do {
            let writer = try #require(try storage?.write())
            writer.put(20, [1], [1])
            _ = try writer.commit(.durable)
        }
        #expect(access(folder.file("ghost"), F_OK) != 0)
        storage = nil
        #expect(try openStorage(folder.file("ghost"), inMemory: true).snapshot().get(20, [1]) == nil)
    }

    @Test("a file cut at any length opens with its contents or is refused, and never kills the process")
    func truncated() throws {
        try fill(folder.file("whole.realm"))
        let bytes = folder.read("whole.realm")
        #expect(bytes.count > 100_000)
        var refused = 0
        let lengths =
            [1, 15, 16, 20, 100, 255, 4095, 4096, 4100, 8191, 8192] + stride(from: 8193, to: bytes.count, by: 5001)
        for (index, length) in lengths.enumerated() {
            folder.write(Array(bytes[..<length]), to: "cut\(index).realm")
            let found = code {
                let storage = try openStorage(folder.file("cut\(index).realm"))
                let snapshot = try storage.snapshot()
                for (key, value) in snapshot.entries(20).map({ ($0[0], $0[1]) }) {
                    #expect(!key.isEmpty && !value.isEmpty)
                }
                for number in UInt32(0)..<30 { #expect(snapshot.leafBytes(1, number)?.count == 8176) }
            }
            if found != nil { refused += 1 }
            #expect(found == nil || found == .damaged || found == .notADatabase, "length \(length)")
        }
        #expect(refused > lengths.count / 2)
    }

    @Test("a file that is something else is refused and not changed")
    func foreign() throws {
        let texts: [[UInt8]] = [
            Array("Hello".utf8), Array(repeating: 0, count: 20_000),
            Array("SQLite format 3\0".utf8) + Array(repeating: 1, count: 9000),
        ]
        for (index, bytes) in texts.enumerated() {
            folder.write(bytes, to: "foreign\(index)")
            #expect(code { _ = try openStorage(folder.file("foreign\(index)")) } == .notADatabase)
            #expect(folder.read("foreign\(index)") == bytes)
        }
    }

    @Test("a file of a newer page format, or of a newer library, is refused as such")
    func newerVersion() throws {
        try fill(folder.file("a.realm"), commits: 1)
        var bytes = folder.read("a.realm")
        bytes[20] = 9
        bytes[4096 + 20] = 9
        folder.write(bytes, to: "pages.realm")
        #expect(code { _ = try openStorage(folder.file("pages.realm")) } == .unsupportedVersion)

        bytes = folder.read("a.realm")
        let mark = Array("Causeway".utf8)
        for start in 0..<bytes.count - 12 where Array(bytes[start..<start + 8]) == mark { bytes[start + 8] = 77 }
        folder.write(bytes, to: "library.realm")
        #expect(code { _ = try openStorage(folder.file("library.realm")) } == .unsupportedVersion)
    }

    @Test("an empty file becomes a database, a folder does not, a missing folder is named")
    func places() throws {
        folder.write([], to: "empty")
        #expect(code { _ = try openStorage(folder.file("empty")) } == nil)
        #expect(code { _ = try openStorage(folder.path) } == .notADatabase)
        #expect(code { _ = try openStorage(folder.file("nowhere/a.realm")) } == .fileNotFound)
        #expect(code { _ = try openStorage(folder.file("absent"), readOnly: true) } == .fileNotFound)
    }

    @Test("read-only refuses to write and reads everything")
    func readOnly() throws {
        try fill(folder.file("a.realm"), commits: 2)
        let storage = try openStorage(folder.file("a.realm"), readOnly: true)
        #expect(try storage.snapshot().version == 2)
        #expect(code { _ = try storage.write() } == .readOnly)
    }

    @Test("a file without permission is refused", .enabled(if: geteuid() != 0, "the superuser may do everything"))
    func permission() throws {
        try fill(folder.file("a.realm"), commits: 1)
        chmod(folder.file("a.realm"), 0)
        #expect(code { _ = try openStorage(folder.file("a.realm")) } == .permissionDenied)
    }

    @Test("a file that has outgrown its map undoes that transaction only")
    func mapFull() throws {
        let storage = try openStorage(folder.file("a.realm"), mapSizeBytes: 1 << 20)
        func write(_ pages: Int) throws {
            let writer = try storage.write()
            for number in 0..<pages {
                writer.replaceLeaf(1, UInt32(number), Array(repeating: 1, count: 8176))
            }
            _ = try writer.commit(.relaxed)
        }
        try write(20)
        #expect(code { try write(500) } == .mapFull)
        let snapshot = try storage.snapshot()
        #expect(snapshot.version == 1)
        #expect(snapshot.leafBytes(1, 19)?.count == 8176)
        try write(20)
        #expect(try storage.newestVersion() == 2)
    }

    @Test("address space that cannot be reserved is an error with a remedy")
    func addressSpace() throws {
        #expect(code { _ = try openStorage(folder.file("a.realm"), mapSizeBytes: 1 << 60) } == .mapFull)
        #expect(code { _ = try openStorage(folder.file("a.realm")) } == nil)
    }

    @Test("a full disk undoes that transaction, keeps everything before it and leaves the store usable")
    func fullDisk() throws {
        let place = folder.file("small")
        mkdir(place, 0o700)
        guard mount("tmpfs", place, "tmpfs", 0, "size=1500k") == 0 else {
            // Only the superuser may mount; the same path is taken by a limit on file sizes elsewhere.
            rmdir(place)
            return
        }
        defer {
            umount2(place, 2)
            rmdir(place)
        }
        let storage = try openStorage(place + "/a.realm")
        func write(_ leaves: Int, _ fill: UInt8) throws {
            let writer = try storage.write()
            for number in 0..<leaves { writer.replaceLeaf(1, UInt32(number), Array(repeating: fill, count: 8176)) }
            _ = try writer.commit(.durable)
        }
        try write(10, 1)
        for _ in 0..<3 { #expect(code { try write(1000, 2) } == .outOfSpace) }
        #expect(try storage.snapshot().leafBytes(1, 9)?.first == 1)
        try write(10, 3)
        #expect(try storage.snapshot().leafBytes(1, 9)?.first == 3)
        #expect(try storage.newestVersion() == 2)
    }

    @Test("a compact copy holds the same contents and version in fewer bytes")
    func compact() throws {
        try fill(folder.file("a.realm"), commits: 40)
        let storage = try openStorage(folder.file("a.realm"))
        let writer = try storage.write()
        for number in UInt32(0)..<30 { writer.removeLeaf(column: 1, number: number) }
        let snapshot = try writer.commit(.durable)
        try storage.compact(to: folder.file("copy.realm"))
        #expect(code { try storage.compact(to: folder.file("copy.realm")) } == .fileExists)
        #expect(folder.read("copy.realm").count < folder.read("a.realm").count)
        let copy = try openStorage(folder.file("copy.realm"))
        #expect(try copy.snapshot().entries(20) == snapshot.entries(20))
        #expect(try copy.newestVersion() == snapshot.version)
        let statistics = try copy.statistics()
        #expect(statistics.leaves == 15)
        #expect(statistics.sizeBytes == folder.read("copy.realm").count)
    }
}
