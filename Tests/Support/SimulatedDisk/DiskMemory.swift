import Glibc

/// The bytes of a simulated disk: a range of addresses reserved once, of which only touched pages cost memory.
///
/// It remembers which pages were touched, so that a copy can be made equal again at the cost of the difference.
/// Bytes past the end are noise wherever something was written before, so that nobody can rely on them.
///
/// @unchecked Sendable: whoever owns it guards it; the addresses themselves are constant.
final class DiskMemory: @unchecked Sendable {
    static let pageBytes = 4096
    private static let noise: Int32 = 0xA5
    /// So many times its capacity may be mapped.
    private static let addressTimes = 4

    let base: UnsafeMutableRawPointer
    let capacityBytes: Int
    /// How much of it may be mapped: more than there is, as of a file.
    let addressableBytes: Int
    private(set) var sizeBytes = 0
    /// Nothing was ever written from here on.
    private var writtenEnd = 0
    private var touchedPages: [Int] = []
    private var isTouched: [Bool]

    init(capacityBytes: Int) {
        precondition(capacityBytes % Self.pageBytes == 0, "A disk consists of pages.")
        // As behind a file's end, nothing may be touched behind the capacity.
        let addressableBytes = capacityBytes * Self.addressTimes
        let memory = mmap(
            nil, addressableBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | Int32(MAP_NORESERVE), -1, 0)
        guard let memory, memory != MAP_FAILED, mprotect(memory, capacityBytes, PROT_READ | PROT_WRITE) == 0 else {
            fatalError("There are no \(addressableBytes) bytes of address space for a simulated disk.")
        }
        base = memory
        self.capacityBytes = capacityBytes
        self.addressableBytes = addressableBytes
        isTouched = Array(repeating: false, count: capacityBytes / Self.pageBytes)
    }

    deinit {
        munmap(base, addressableBytes)
    }

    /// Puts bytes in place, as far as the file reaches.
    func write(_ bytes: UnsafeRawPointer, count: Int, at offset: Int) {
        let count = min(count, sizeBytes - offset)
        guard count > 0 else { return }
        touch(offset, count)
        memcpy(base + offset, bytes, count)
        writtenEnd = max(writtenEnd, offset + count)
    }

    /// What is new reads as zeros, and what is cut off is lost.
    func resize(to newSize: Int) {
        precondition(newSize >= 0 && newSize <= capacityBytes, "A simulated disk has \(capacityBytes) bytes.")
        let changed = min(sizeBytes, newSize)..<min(max(sizeBytes, newSize), max(writtenEnd, min(sizeBytes, newSize)))
        if !changed.isEmpty {
            touch(changed.lowerBound, changed.count)
            memset(base + changed.lowerBound, newSize > sizeBytes ? 0 : Self.noise, changed.count)
        }
        sizeBytes = newSize
    }

    private func touch(_ offset: Int, _ count: Int) {
        for page in offset / Self.pageBytes...(offset + count - 1) / Self.pageBytes where !isTouched[page] {
            isTouched[page] = true
            touchedPages.append(page)
        }
    }

    /// Becomes equal to a memory it was equal to before either was touched.
    func follow(_ original: DiskMemory) {
        for page in original.touchedPages { copy(page, from: original) }
        for page in touchedPages {
            copy(page, from: original)
            isTouched[page] = false
        }
        touchedPages.removeAll(keepingCapacity: true)
        original.forgetTouches()
        sizeBytes = original.sizeBytes
        writtenEnd = original.writtenEnd
    }

    /// Becomes equal to any memory of the same capacity, having been empty.
    func copyAll(of original: DiskMemory) {
        memcpy(base, original.base, original.writtenEnd)
        original.forgetTouches()
        sizeBytes = original.sizeBytes
        writtenEnd = original.writtenEnd
    }

    /// Becomes equal to any memory of the same capacity, in place, so that whoever has mapped it sees the other's bytes.
    func replaceAll(with other: DiskMemory) {
        if sizeBytes > 0 || writtenEnd > 0 { touch(0, max(sizeBytes, writtenEnd, 1)) }
        let end = max(writtenEnd, other.writtenEnd)
        memcpy(base, other.base, end)
        sizeBytes = other.sizeBytes
        writtenEnd = end
    }

    private func copy(_ page: Int, from original: DiskMemory) {
        memcpy(base + page * Self.pageBytes, original.base + page * Self.pageBytes, Self.pageBytes)
    }

    private func forgetTouches() {
        for page in touchedPages { isTouched[page] = false }
        touchedPages.removeAll(keepingCapacity: true)
    }
}
