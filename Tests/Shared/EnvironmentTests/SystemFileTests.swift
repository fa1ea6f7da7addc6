import CausewayEnvironment
import Foundation
import Testing

struct SystemFileTests {
    private let folder: URL
    private var path: String { folder.appending(path: "file").path(percentEncoded: false) }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "system-file-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func clean() {
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func piecesAreWrittenOneBehindTheOther() throws {
        defer { clean() }
        let file = try SystemFile.create(path: path)
        let pieces: [[UInt8]] = [[1, 2], [], [3, 4, 5]]
        let written = pieces[0].withUnsafeBytes { first in
            pieces[1].withUnsafeBytes { second in
                pieces[2].withUnsafeBytes { file.write([first, second, $0], at: 10) }
            }
        }
        #expect(written == 5)
        #expect(file.size() == 15)
        var bytes = [UInt8](repeating: 9, count: 8)
        #expect(bytes.withUnsafeMutableBytes { file.read(into: $0, at: 9) } == 6)
        #expect(bytes == [0, 1, 2, 3, 4, 5, 9, 9])
        #expect(file.synchronize() == 0)
        #expect(synchronizeFolder(of: path) == 0)
    }

    @Test func whatIsWrittenAppearsInTheMapping() throws {
        defer { clean() }
        let file = try SystemFile.create(path: path)
        let start = try #require(file.map(1 << 30))
        #expect(file.reserve(100_000) == 0)
        #expect([UInt8](repeating: 7, count: 100).withUnsafeBytes { file.write([$0], at: 50_000) } == 100)
        #expect(start.load(fromByteOffset: 50_099, as: UInt8.self) == 7)
        #expect(start.load(fromByteOffset: 50_100, as: UInt8.self) == 0)
    }

    @Test(arguments: [1, 4_096, 100_000, SystemFile.zeroedGrowthMax + 1])
    func reservedRoomIsZeroAndNeverLess(growth: Int) throws {
        defer { clean() }
        let file = try SystemFile.create(path: path)
        #expect([1, 2, 3].withUnsafeBytes { file.write([$0], at: 0) } == 24)
        #expect(file.reserve(24 + growth) == 0)
        #expect(file.size() == 24 + growth)
        #expect(file.reserve(5) == 0)
        #expect(file.size() == 24 + growth)
        var bytes = [UInt8](repeating: 1, count: growth)
        #expect(bytes.withUnsafeMutableBytes { file.read(into: $0, at: 24) } == growth)
        #expect(bytes.allSatisfy { $0 == 0 })
        #expect(file.truncate(24) == 0)
        #expect(file.size() == 24)
    }

    @Test func aFileInMemoryHasNoName() throws {
        let file = try SystemFile.createInMemory()
        #expect(file.isInMemory)
        #expect(file.reserve(10_000) == 0)
        #expect([UInt8(5)].withUnsafeBytes { file.write([$0], at: 9_999) } == 1)
        #expect(file.synchronize() == 0)
        let name = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file.descriptor)")
        #expect(name.hasSuffix("(deleted)"))
    }

    @Test func failuresCarryTheNumberOfTheSystem() throws {
        defer { clean() }
        #expect(throws: SystemFile.OpeningError(errorNumber: ENOENT)) {
            _ = try SystemFile.open(path: path, readOnly: false)
        }
        let file = try SystemFile.create(path: path, exclusively: true)
        #expect(throws: SystemFile.OpeningError(errorNumber: EEXIST)) {
            _ = try SystemFile.create(path: path, exclusively: true)
        }
        #expect(file.truncate(-1) == -Int(EINVAL))
        let readOnly = try SystemFile.open(path: path, readOnly: true)
        #expect([UInt8(1)].withUnsafeBytes { readOnly.write([$0], at: 0) } == -Int(EBADF))
    }
}
