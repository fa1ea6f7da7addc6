import CStorage
import Glibc
import Synchronization

/// The words of ``SharedLayout`` in memory: a mapped file, or plain memory where no other process can reach the data.
///
/// Every word that changes while others read it is an atomic. So a process that is killed never leaves a torn word.
final class SharedMemory: Sendable {
    /// nonisolated(unsafe): set once, and points to atomics.
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    let processCount: Int
    private let isMapped: Bool

    /// Private memory of this process.
    init() {
        processCount = 1
        isMapped = false
        let byteCount = SharedLayout.byteCount(processes: 1)
        base = .allocate(byteCount: byteCount, alignment: 64)
        memset(base, 0, byteCount)
    }

    /// Maps the file behind a descriptor, which must have its full length.
    init(descriptor: Int32, path: String) throws(StorageError) {
        processCount = SharedLayout.processesMaximum
        isMapped = true
        let memory = mmap(nil, SharedLayout.fileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let memory, memory != MAP_FAILED else {
            throw StorageError(errno: errno, doing: "map the lock file", path: path)
        }
        base = memory
        causeway_guard_range(base, SharedLayout.fileBytes, path)
    }

    deinit {
        if isMapped {
            causeway_unguard_range(base)
            munmap(base, SharedLayout.fileBytes)
        } else {
            base.deallocate()
        }
    }

    // MARK: - Words

    // Zeroed memory and mapped bytes of any content are valid atomics, because an atomic has the layout of its integer.

    @inline(__always)
    func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inline(__always)
    func halfWord(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// A word that does not change while others read it.
    func plain(_ offset: Int) -> UInt64 { base.load(fromByteOffset: offset, as: UInt64.self) }

    /// The offset of a process entry.
    @inline(__always)
    func entry(_ number: Int) -> Int { SharedLayout.headerBytes + number * SharedLayout.entryBytes }

    // MARK: - Sets of process entries

    func insert(_ number: Int, into set: Int) {
        word(set + number / 64 * 8).pointee.bitwiseOr(1 << UInt64(number % 64), ordering: .sequentiallyConsistent)
    }

    func remove(_ number: Int, from set: Int) {
        word(set + number / 64 * 8).pointee.bitwiseAnd(~(1 << UInt64(number % 64)), ordering: .sequentiallyConsistent)
    }

    func contains(_ number: Int, in set: Int) -> Bool {
        word(set + number / 64 * 8).pointee.load(ordering: .sequentiallyConsistent) & 1 << UInt64(number % 64) != 0
    }

    @inline(__always)
    func forEach(in set: Int, _ body: (Int) -> Void) {
        for index in 0..<(processCount + 63) / 64 {
            var rest = word(set + index * 8).pointee.load(ordering: .sequentiallyConsistent)
            while rest != 0 {
                let bit = rest.trailingZeroBitCount
                rest &= rest - 1
                // A foreign lock file may have bits beyond the last entry.
                if index * 64 + bit < processCount { body(index * 64 + bit) }
            }
        }
    }
}
