import CausewayFolders
import CausewayStorage
import CausewayStorageOracle
import Glibc
import Testing

/// What a path leads to, and what keeps a file from being opened, on every backend.
@Suite("Storage files")
struct FileTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("two paths to one file share one storage", arguments: StorageBackend.allCases)
    func oneForEachFile(backend: StorageBackend) throws {
        let storage = try backend.open(folder.file("a.realm"))
        symlink(folder.file("a.realm"), folder.file("b.realm"))
        #expect(try backend.open(folder.file("b.realm")) === storage)
        #expect(try backend.open(folder.path + "/./a.realm") === storage)
        let memory = try backend.open("memory", inMemory: true)
        #expect(try backend.open("memory", inMemory: true) === memory)
        #expect(try backend.open("other memory", inMemory: true) !== memory)
    }

    @Test("a storage in memory is gone with its last user and leaves no file", arguments: StorageBackend.allCases)
    func inMemory(backend: StorageBackend) throws {
        var storage: (any Storage)? = try backend.open(folder.file("ghost"), inMemory: true)
        do {
            let writer = try #require(try storage?.write())
            writer.put(20, [1], [1])
            _ = try writer.commit(.durable)
        }
        #expect(folder.names.isEmpty)
        storage = nil
        #expect(try backend.open(folder.file("ghost"), inMemory: true).snapshot().get(20, [1]) == nil)
    }

    @Test(
        "a file cut at any length opens with its contents or is refused, and never kills the process",
        arguments: StorageBackend.allCases)
    func truncated(backend: StorageBackend) throws {
        try fill(backend, folder.file("whole.realm"))
        let bytes = folder.read("whole.realm")
        #expect(bytes.count > 100_000)
        var refused = 0
        let lengths =
            [1, 15, 16, 20, 100, 255, 4095, 4096, 4100, 8191, 8192] + stride(from: 8193, to: bytes.count, by: 5001)
        for (index, length) in lengths.enumerated() {
            folder.write(Array(bytes[..<length]), to: "cut\(index).realm")
            let found = code {
                let storage = try backend.open(folder.file("cut\(index).realm"))
                let snapshot = try storage.snapshot()
                // Nothing was synced, so the file may come back with any of its commits, whole.
                let commits = Int(snapshot.version)
                let entries = snapshot.entries(20).count
                let leaves = (UInt32(0)..<30).filter { snapshot.leafBytes(1, $0)?.count == 8176 }.count
                if let damage = snapshot.damage { throw damage }
                #expect(entries == 20 * commits && leaves == commits, "length \(length)")
            }
            if found != nil { refused += 1 }
            #expect(found == nil || found == .damaged || found == .notADatabase, "length \(length)")
        }
        #expect(refused > 0)
    }

    @Test("a file that is something else is refused and not changed", arguments: StorageBackend.allCases)
    func foreign(backend: StorageBackend) throws {
        let texts: [[UInt8]] = [
            Array("Hello".utf8), Array(repeating: 1, count: 20_000), Array(repeating: 0, count: 20_000),
            Array("SQLite format 3\0".utf8) + Array(repeating: 1, count: 9000),
        ]
        for (index, bytes) in texts.enumerated() {
            folder.write(bytes, to: "foreign\(index)")
            #expect(code { _ = try backend.open(folder.file("foreign\(index)")) } == .notADatabase, "text \(index)")
            #expect(folder.read("foreign\(index)") == bytes)
        }
    }

    @Test(
        "an empty file becomes a database, a folder does not, a missing folder is named",
        arguments: StorageBackend.allCases)
    func places(backend: StorageBackend) throws {
        folder.write([], to: "empty")
        #expect(code { _ = try backend.open(folder.file("empty")) } == nil)
        #expect(code { _ = try backend.open(folder.path) } == .notADatabase)
        #expect(code { _ = try backend.open(folder.file("nowhere/a.realm")) } == .fileNotFound)
        #expect(code { _ = try backend.open(folder.file("absent"), readOnly: true) } == .fileNotFound)
        #expect(!folder.names.contains("absent"))
    }

    @Test("read-only refuses to write and reads everything", arguments: StorageBackend.allCases)
    func readOnly(backend: StorageBackend) throws {
        try fill(backend, folder.file("a.realm"), commits: 2)
        let storage = try backend.open(folder.file("a.realm"), readOnly: true)
        let snapshot = try storage.snapshot()
        #expect(snapshot.version == 2)
        #expect(snapshot.entries(20).count == 40)
        #expect(snapshot.leafBytes(1, 1)?.count == 8176)
        #expect(code { _ = try storage.write() } == .readOnly)
    }

    @Test("who opens for writing can write, whoever has the file open read-only", arguments: StorageBackend.allCases)
    func readOnlyBeside(backend: StorageBackend) throws {
        try fill(backend, folder.file("a.realm"), commits: 2)
        let reading = try backend.open(folder.file("a.realm"), readOnly: true)
        do {
            let writing = try backend.open(folder.file("a.realm"))
            let writer = try writing.write()
            writer.put(20, [1], [2])
            _ = try writer.commit(.durable)
            #expect(try reading.snapshot().get(20, [1]) == [2])
            // Who reads shares the one that writes, while there is one.
            let other = try backend.open(folder.file("a.realm"), readOnly: true)
            #expect(other === writing && other !== reading)
        }
        #expect(code { _ = try reading.write() } == .readOnly)
    }

    @Test(
        "a file without permission is refused", .enabled(if: geteuid() != 0, "the superuser may do everything"),
        arguments: StorageBackend.allCases)
    func permission(backend: StorageBackend) throws {
        try fill(backend, folder.file("a.realm"), commits: 1)
        chmod(folder.file("a.realm"), 0)
        #expect(code { _ = try backend.open(folder.file("a.realm")) } == .permissionDenied)
    }

    @Test("a copy holds the same contents and version in fewer bytes", arguments: StorageBackend.allCases)
    func copy(backend: StorageBackend) throws {
        try fill(backend, folder.file("a.realm"), commits: 40)
        let storage = try backend.open(folder.file("a.realm"))
        let writer = try storage.write()
        for number in UInt32(0)..<30 { writer.removeLeaf(column: 1, number: number) }
        let snapshot = try writer.commit(.durable)
        try storage.copy(to: folder.file("copy.realm"), key: backend.key)
        #expect(code { try storage.copy(to: folder.file("copy.realm"), key: backend.key) } == .fileExists)
        #expect(folder.read("copy.realm").count < folder.read("a.realm").count)
        let copy = try backend.open(folder.file("copy.realm"))
        #expect(try copy.snapshot().entries(20) == snapshot.entries(20))
        #expect(try copy.newestVersion() == snapshot.version)
        let statistics = try copy.statistics()
        #expect(statistics.leaves == 15)
        #expect(statistics.sizeBytes == folder.read("copy.realm").count)
    }

    @Test("a sound file verifies, and its progress ends with everything", arguments: StorageBackend.allCases)
    func verify(backend: StorageBackend) throws {
        try fill(backend, folder.file("a.realm"))
        let storage = try backend.open(folder.file("a.realm"))
        var last = (done: 0, total: -1)
        let report = try storage.verify { last = ($0, $1) }
        #expect(report.problems == [])
        #expect(report.treeEntries == 600)
        #expect(report.leaves == 35)
        #expect(last.done == last.total)
    }
}

/// Some commits that leave 20 entries and a leaf each behind, and five leaves that all of them wrote.
func fill(_ backend: StorageBackend, _ path: String, commits: Int = 30) throws {
    let storage = try backend.open(path)
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

/// The code of the error that a body throws; nil when it throws none.
func code(_ body: () throws -> Void) -> StorageError.Code? {
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
