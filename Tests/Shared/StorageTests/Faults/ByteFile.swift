import CausewayEnvironment
import Glibc

/// A file in memory whose bytes a test may change behind the storage's back, and put back quickly.
///
/// @unchecked Sendable: used by one thread at a time.
final class ByteFile: DiskFile, @unchecked Sendable {
    static let capacityBytes = 8 << 20

    let base: UnsafeMutableRawPointer
    private let original: [UInt8]
    private var sizeBytes: Int
    /// What was written since the last ``restore()``.
    private var written: Range<Int>?
    /// Reads until one fails; nil when none does.
    var readsBeforeFailure: Int?

    init(_ bytes: [UInt8]) {
        let memory = mmap(
            nil, Self.capacityBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let memory, memory != MAP_FAILED else { fatalError("no address space for a file in memory") }
        base = memory
        original = bytes
        sizeBytes = bytes.count
        bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    }

    deinit {
        munmap(base, Self.capacityBytes)
    }

    func flip(_ offset: Int, _ mask: UInt8) {
        base.storeBytes(of: original[offset] ^ mask, toByteOffset: offset, as: UInt8.self)
        note(offset..<offset + 1)
    }

    /// Makes everything what it was at first.
    func restore() {
        guard let written else { return }
        original.withUnsafeBytes { bytes in
            let kept = written.clamped(to: 0..<bytes.count)
            memset(base + written.lowerBound, 0, written.count)
            memcpy(base + kept.lowerBound, bytes.baseAddress! + kept.lowerBound, kept.count)
        }
        sizeBytes = original.count
        self.written = nil
        readsBeforeFailure = nil
    }

    private func note(_ range: Range<Int>) {
        guard let old = written else { return written = range }
        written = min(old.lowerBound, range.lowerBound)..<max(old.upperBound, range.upperBound)
    }

    // MARK: - What a file does

    func size() -> Int { sizeBytes }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        if let left = readsBeforeFailure {
            readsBeforeFailure = left - 1
            if left == 0 { return -Int(EIO) }
        }
        let count = max(0, min(buffer.count, sizeBytes - offset))
        guard count > 0, let target = buffer.baseAddress else { return 0 }
        memcpy(target, base + offset, count)
        return count
    }

    func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int) -> Int {
        var end = offset
        for piece in pieces {
            guard let start = piece.baseAddress else { continue }
            guard end + piece.count <= Self.capacityBytes else { return -Int(ENOSPC) }
            memcpy(base + end, start, piece.count)
            end += piece.count
        }
        if end > offset { note(offset..<end) }
        sizeBytes = max(sizeBytes, end)
        return end - offset
    }

    func synchronize() -> Int { 0 }

    func reserve(_ newSize: Int) -> Int {
        guard newSize <= Self.capacityBytes else { return -Int(ENOSPC) }
        guard newSize > sizeBytes else { return 0 }
        note(sizeBytes..<newSize)
        sizeBytes = newSize
        return 0
    }

    func truncate(_ newSize: Int) -> Int {
        guard newSize < sizeBytes else { return reserve(newSize) }
        memset(base + newSize, 0, sizeBytes - newSize)
        note(newSize..<sizeBytes)
        sizeBytes = newSize
        return 0
    }

    func map(_ reservedBytes: Int) -> UnsafeRawPointer? {
        reservedBytes <= Self.capacityBytes ? UnsafeRawPointer(base) : nil
    }
}
