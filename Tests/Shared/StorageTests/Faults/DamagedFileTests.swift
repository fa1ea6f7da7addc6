import CausewayFolders
import CausewaySeeds
import CausewayStorage
import CausewayStorageOracle
import Glibc
import Testing

/// A file that was closed cleanly and lost or changed bytes since: an error, or exactly what was in it.
@Suite("Damaged files")
struct DamagedFileTests {
    private static let pageBytes = 4096

    /// All bytes when asked for, and else so many in one that a run takes seconds.
    private static let isEveryByte = getenv("CAUSEWAY_EVERY_BYTE").map { String(cString: $0) == "1" } ?? false

    private static let seeds = SeedList.drawn(for: "damaged-files", count: 1)

    private func flip(_ file: SmallFile, _ offsets: some Sequence<Int>, _ about: String) -> (told: Int, right: Int) {
        let disk = ByteFile(file.bytes)
        var counts = (told: 0, right: 0)
        for (index, offset) in offsets.enumerated() {
            let mask: UInt8 = index.isMultiple(of: 2) ? 0x01 : 0xFF
            disk.flip(offset, mask)
            switch file.judge(isUsed: index % 7 == 0, { try file.open(disk) }) {
            case .right: counts.right += 1
            case .told: counts.told += 1
            case .wrong(let why): Issue.record("\(about), byte \(offset) xor \(mask): \(why)")
            }
            disk.restore()
        }
        return counts
    }

    @Test(
        "any byte of a file may be another one", arguments: [SmallFile.Kind.mixed, .compacted], [false, true])
    func flipped(kind: SmallFile.Kind, isEncrypted: Bool) throws {
        let file = try SmallFile(kind, isEncrypted: isEncrypted)
        #expect(file.judge(isUsed: false) { try file.open(ByteFile(file.bytes)) } == .right)
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            let step = Self.isEveryByte ? 1 : 211
            let offsets = stride(from: random.below(step), to: file.bytes.count, by: step)
            let counts = flip(file, offsets, "\(kind), seed \(seed)")
            #expect(counts.told > 0 && counts.right > 0, "seed \(seed)")
        }
    }

    @Test(
        "no byte of a header brings an older state back", arguments: SmallFile.Kind.allCases, [false, true])
    func headers(kind: SmallFile.Kind, isEncrypted: Bool) throws {
        let file = try SmallFile(kind, isEncrypted: isEncrypted)
        let step = Self.isEveryByte ? 1 : 97
        for slot in 0..<4 {
            let start = slot * Self.pageBytes
            let offsets = Array(start..<start + 4) + Array(stride(from: start + 8, to: start + 4096, by: step))
            _ = flip(file, offsets, "\(kind), slot \(slot)")
        }
    }

    @Test("a file may be cut at any page, and anywhere", arguments: [SmallFile.Kind.mixed, .compacted], [false, true])
    func cut(kind: SmallFile.Kind, isEncrypted: Bool) throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let file = try SmallFile(kind, isEncrypted: isEncrypted)
        let drawn = Self.seeds.flatMap { seed in
            var random = SeededNumbers(seed: seed)
            return (0..<60).map { _ in random.below(file.bytes.count) }
        }
        let lengths =
            Set(stride(from: 0, to: file.bytes.count, by: Self.pageBytes))
            .union(drawn)
            .union([1, 7, 8, 15, 16, 79, 80, 4095, 4097, 16_383, 16_385])
        var told = 0
        for length in lengths.sorted() {
            folder.write(Array(file.bytes[..<length]), to: "cut.realm")
            let verdict = file.judge(isUsed: false) {
                try StorageRegistry.shared.open(path: folder.file("cut.realm"), options: file.options)
            }
            switch verdict {
            case .right: break
            case .told: told += 1
            // Nothing, or the beginning of a creation that was cut short, is where a new file begins.
            case .wrong where length == 0: break
            case .wrong(let why): Issue.record("\(kind), cut to \(length): \(why)")
            }
        }
        #expect(told > 0)
    }

    @Test(
        "a read that fails while the file is opened is the disk's error, or does no harm", arguments: [false, true],
        [false, true])
    func failingRead(isEncrypted: Bool, isKilled: Bool) throws {
        // Nothing vouches for the last state of a killed process, so it is looked through.
        let file = try SmallFile(isKilled ? .mixed : .largeLastCommit, isEncrypted: isEncrypted, isKilled: isKilled)
        let disk = ByteFile(file.bytes)
        var call = 0
        var hasFailed = true
        while hasFailed {
            disk.readsBeforeFailure = call
            let verdict = file.judge(isUsed: false) { try file.open(disk) }
            hasFailed = disk.readsBeforeFailure.map { $0 < 0 } ?? false
            if case .wrong(let why) = verdict { Issue.record("read \(call): \(why)") }
            disk.readsBeforeFailure = call
            let error = failure(in: file) { try file.open(disk) }
            #expect(error == nil || error?.code == .io, "read \(call)")
            disk.readsBeforeFailure = nil
            // Further on there are the pages of an encrypted file, one like the other.
            call += 1 + max(0, call - 50) / 5
        }
        #expect(call >= 8)
    }

    @Test("mapped pages that the disk cannot read are its failure, and no damage", arguments: [false, true])
    func unreadablePages(isKilled: Bool) throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let file = try SmallFile(.mixed, isEncrypted: false, isKilled: isKilled)
        folder.write(file.bytes, to: "sick.realm")
        let disk = try UnreadableFile(path: folder.file("sick.realm"), readableBytes: 4 * Self.pageBytes)
        let error = failure(in: file) { try PageStorage.open(file: disk, path: "sick", options: file.options) }
        #expect(error?.code == .io)
        #expect(error?.message.hasPrefix("The disk failed to read page ") == true)
    }

    /// Why a file cannot be opened or read as a whole, or nil.
    private func failure(in file: SmallFile, _ open: () throws -> any Storage) -> StorageError? {
        do {
            let snapshot = try open().snapshot()
            _ = file.contents.compare(with: snapshot)
            return snapshot.damage
        } catch {
            return error as? StorageError
        }
    }
}
