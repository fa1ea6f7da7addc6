import Glibc
import Synchronization

/// The addresses that files reserve in this process.
enum AddressSpace {
    private static let reservedBytes = Atomic(0)
    /// While files have reserved less than a quarter of this, there is enough left for all else that a process maps.
    private static let plentyBytes = 32 << 40
    /// Whether the processor and the kernel have so many addresses at all: few systems have less.
    private static let hasPlenty = canReserve(plentyBytes)

    static func took(_ byteCount: Int) { reservedBytes.add(byteCount, ordering: .relaxed) }
    static func gaveBack(_ byteCount: Int) { reservedBytes.subtract(byteCount, ordering: .relaxed) }

    /// Whether the system can reserve an address range of this size.
    ///
    /// Giving back the range that was tried interrupts the other threads of the process. So nothing is tried while files
    /// have reserved little and nobody has limited the addresses.
    static func isAvailable(_ byteCount: Int) -> Bool {
        if !isLimited, reservedBytes.load(ordering: .relaxed) + byteCount < plentyBytes / 4, hasPlenty { return true }
        return canReserve(byteCount)
    }

    private static var isLimited: Bool {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) != 0 || limit.rlim_cur != rlim_t.max
    }

    private static func canReserve(_ byteCount: Int) -> Bool {
        // The range is inaccessible, so only the limit on address space counts it.
        let memory = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let memory, memory != MAP_FAILED else { return false }
        munmap(memory, byteCount)
        return true
    }
}
