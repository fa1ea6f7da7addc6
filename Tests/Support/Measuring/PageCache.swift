import CMeasuring
package import Foundation

/// What the system holds of a file in memory.
package enum PageCache {
    package struct StillInMemory: Error, CustomStringConvertible {
        package let file: String
        package let share: Double
        package var description: String {
            "\(Int(share * 100)) % of \(file) cannot be dropped from memory. "
                + "Close it, and keep it on a disk (TMPDIR), not in memory."
        }
    }

    /// More than this may not be left: a page or two are read again by whoever looks.
    private static let mostLeft = 0.01
    private static let attempts = 50

    /// Makes the next reader of a file go to its disk, whose own memory nobody can empty from here.
    ///
    /// The system forgets what is on the disk and mapped by nobody, so that the file is synced first and must be closed.
    /// - Throws: `StillInMemory` where it did not forget.
    package static func drop(_ file: URL) throws {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure() }
        for attempt in 1... {
            let number = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
            guard number == 0 else { throw POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO) }
            let share = try residentShare(of: file)
            if share <= mostLeft { return }
            guard attempt < attempts else { throw StillInMemory(file: file.path, share: share) }
            // A thread that helped with the last scan lets go of the file when it gets to run; nobody is told when.
            usleep(10_000)
        }
    }

    /// False for a file system in memory, which has nothing to drop to.
    package static func isOnDisk(_ file: URL) -> Bool { !causeway_is_in_memory(file.path) }

    /// The part of a file's pages that is in memory.
    package static func residentShare(of file: URL) throws -> Double {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        let bytes = Int(lseek(descriptor, 0, SEEK_END))
        guard bytes > 0 else { return 0 }
        guard let start = mmap(nil, bytes, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
            throw failure()
        }
        defer { munmap(start, bytes) }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        var states = [UInt8](repeating: 0, count: (bytes + page - 1) / page)
        guard mincore(start, bytes, &states) == 0 else { throw failure() }
        return Double(states.count { $0 & 1 == 1 }) / Double(states.count)
    }

    private static func failure() -> any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
