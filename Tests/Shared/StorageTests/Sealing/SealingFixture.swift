import CausewayEnvironment
import CausewaySeeds
import Glibc
import Synchronization
import Testing

@testable import CausewayStorage

/// What the tests of sealing share: a key, a file and a disk with the habits of real ones.
enum SealingFixture {
    static let keyBytes = [UInt8](0..<64)
    static let fileID = FileID(low: 0x0102_0304_0506_0708, high: 0x1112_1314_1516_1718)
    static let salt = SessionSalt(low: 0x2122_2324_2526_2728, high: 0x3132_3334_3536_3738)

    static func key(_ bytes: [UInt8] = keyBytes) throws -> SealingKey {
        try SealingKey(bytes, path: "sealed")
    }

    /// A seal in its file's first session.
    static func seal(_ disk: SealingDisk, key bytes: [UInt8] = keyBytes) throws -> PageSeal {
        let seal = try newSeal(disk, key: bytes)
        try seal.join(Session(firstBirth: 0, salt: salt))
        return seal
    }

    /// A seal that knows no session yet.
    static func newSeal(_ disk: SealingDisk, key bytes: [UInt8] = keyBytes, seed: UInt64 = 1) throws -> PageSeal {
        PageSeal(try key(bytes), fileID: fileID, disk: disk, random: SeededDraws(seed: seed))
    }

    static func pointer(
        page: UInt32, birth: UInt64, extent: UInt32 = 0, level: UInt8 = 0
    ) -> PagePointer {
        PagePointer(page: page, extent: extent, birth: birth, level: level, check: 0, checkHigh: 0)
    }

    static func bytes(_ count: Int, seed: UInt64 = 7) -> [UInt8] {
        let draws = SeededDraws(seed: seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: draws.next()) }
    }
}

extension PageSeal {
    /// Seals bytes and writes them where they belong.
    func write(_ bytes: [UInt8], _ pointer: PagePointer, _ kind: PageKind, to disk: SealingDisk) throws -> PagePointer {
        var pointer = pointer
        let sealed = try bytes.withUnsafeBytes { Array(try seal($0, &pointer, kind)) }
        forgetSealed()
        disk.put(sealed, at: Int(pointer.page) * Pages.sizeBytes)
        return pointer
    }

    /// What a pointer leads to, or nil.
    func read(_ pointer: PagePointer, _ kind: PageKind) -> [UInt8]? {
        let count = kind == .run ? Int(pointer.extent) : Pages.sizeBytes
        // No disk of these tests has more.
        let roomCount = min(max(count, 1), SealingDisk.runLimit)
        return withUnsafeTemporaryAllocation(byteCount: roomCount, alignment: 16) { room in
            room.initializeMemory(as: UInt8.self, repeating: 0xEE)
            guard count <= roomCount else { return nil }
            // Its place behind a base that is only ever added to.
            let base = UInt(bitPattern: room.baseAddress!) &- UInt(pointer.page) << UInt(Pages.sizeShift)
            if open(pointer, kind, into: UnsafeMutableRawPointer(bitPattern: base)!) == .sound {
                return Array(room[..<count])
            }
            if !room[..<count].allSatisfy({ $0 == 0 }) { Issue.record("Something is left of what cannot be opened.") }
            return nil
        }
    }
}

/// Memory that reads like a disk: a few bytes at a time, and now and then interrupted.
final class SealingDisk: DiskFile {
    private struct State {
        var bytes: [UInt8] = []
        var callCount = 0
    }

    static let runLimit = 1 << 16
    private let state = Mutex(State())
    private let readLimit: Int
    /// Every page holds what page 0 does, so that a moved page is found wherever it is looked for.
    private let isTheSameEverywhere: Bool

    init(readLimit: Int = 1 << 20, isTheSameEverywhere: Bool = false) {
        self.readLimit = readLimit
        self.isTheSameEverywhere = isTheSameEverywhere
    }

    func put(_ bytes: [UInt8], at offset: Int) {
        let offset = isTheSameEverywhere ? 0 : offset
        state.withLock { state in
            let missing = offset + bytes.count - state.bytes.count
            if missing > 0 { state.bytes.append(contentsOf: repeatElement(0, count: missing)) }
            state.bytes.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
    }

    func get(_ count: Int, at offset: Int) -> [UInt8] {
        state.withLock { Array($0.bytes[offset..<offset + count]) }
    }

    func size() -> Int { state.withLock { $0.bytes.count } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        guard buffer.count <= Self.runLimit else { return 0 }
        let offset = isTheSameEverywhere ? offset % Pages.sizeBytes : offset
        let wanted = buffer.count
        let found: [UInt8]? = state.withLock { state in
            state.callCount += 1
            if state.callCount % 3 == 2 { return nil }
            return Array(state.bytes.dropFirst(offset).prefix(min(wanted, readLimit)))
        }
        guard let found else { return -Int(EINTR) }
        buffer.copyBytes(from: found)
        return found.count
    }

    func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int) -> Int {
        put(pieces.flatMap { Array($0) }, at: offset)
        return pieces.reduce(0) { $0 + $1.count }
    }

    func synchronize() -> Int { 0 }
    func reserve(_ sizeBytes: Int) -> Int { 0 }
    func truncate(_ sizeBytes: Int) -> Int { 0 }
    func map(_ reservedBytes: Int) -> UnsafeRawPointer? { nil }
}

/// The same numbers again for the same seed.
final class SeededDraws: RandomSource {
    private let numbers: Mutex<SeededNumbers>

    init(seed: UInt64) {
        numbers = Mutex(SeededNumbers(seed: seed))
    }

    func next() -> UInt64 { numbers.withLock { $0.next() } }
}
