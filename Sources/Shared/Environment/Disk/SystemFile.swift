import Glibc
import Synchronization

/// A file of the operating system, which is closed with the last reference to this object.
package final class SystemFile: DiskFile {
    /// Why a file could not be opened: an errno.
    package struct OpeningError: Error, Hashable {
        package var errorNumber: Int32

        package init(errorNumber: Int32) {
            self.errorNumber = errorNumber
        }
    }

    /// The file descriptor, for calls that ``DiskFile`` does not have, such as locks. This object owns and closes it.
    package let descriptor: Int32
    /// Whether the file is in memory and cannot survive a power loss. Then it is neither synced nor given room in
    /// advance, which would only cost memory.
    package let isInMemory: Bool
    /// The largest growth in bytes that ``reserve(_:)`` fills with zeros.
    package static let zeroedGrowthMax = 4 << 20
    private static let zeros = [UInt8](repeating: 0, count: 1 << 18)
    /// Set once, by the first ``map(_:)``.
    private let mapping = Mutex<UnsafeRawBufferPointer?>(nil)

    private init(descriptor: Int32, isInMemory: Bool) {
        self.descriptor = descriptor
        self.isInMemory = isInMemory
    }

    /// The same file once more, for somebody else to map.
    package func duplicate() throws(OpeningError) -> SystemFile {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw OpeningError(errorNumber: errno) }
        return SystemFile(descriptor: copy, isInMemory: isInMemory)
    }

    deinit {
        mapping.withLock { mapping in
            guard let mapping, let start = mapping.baseAddress else { return }
            munmap(UnsafeMutableRawPointer(mutating: start), mapping.count)
        }
        close(descriptor)
    }

    /// The length, or a negative errno.
    package func size() -> Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : -Int(errno)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        Self.result(pread(descriptor, buffer.baseAddress, buffer.count, offset))
    }

    package func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int) -> Int {
        precondition(pieces.count <= maximumPieces, "One call takes \(maximumPieces) pieces at most.")
        if pieces.count == 1 {
            return Self.result(pwrite(descriptor, pieces[0].baseAddress, pieces[0].count, offset))
        }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: pieces.count) { vectors in
            for (index, piece) in pieces.enumerated() {
                vectors[index] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress), iov_len: piece.count)
            }
            return Self.result(pwritev(descriptor, vectors.baseAddress, Int32(pieces.count), offset))
        }
    }

    package func synchronize() -> Int {
        isInMemory ? 0 : Self.result(Int(fdatasync(descriptor)))
    }

    /// Allocates room, and fills it with zeros if it is small. The first write into room that is only allocated makes
    /// the file system update metadata, which makes the next fsync half as long again. A large piece is about to be
    /// filled with data anyway.
    package func reserve(_ sizeBytes: Int) -> Int {
        let present = size()
        guard present >= 0, present < sizeBytes else { return min(present, 0) }
        if isInMemory { return truncate(sizeBytes) }
        let growth = sizeBytes - present
        // Returns the error number itself.
        let failure = posix_fallocate(descriptor, present, growth)
        guard failure == 0 else { return -Int(failure) }
        if growth <= Self.zeroedGrowthMax { writeZeros(from: present, upTo: sizeBytes) }
        return 0
    }

    /// Writes zeros to allocated room, which already reads as zeros. A failure only costs time later, so it is ignored.
    private func writeZeros(from start: Int, upTo end: Int) {
        Self.zeros.withUnsafeBytes { zeros in
            var place = start
            while place < end {
                let written = write([UnsafeRawBufferPointer(rebasing: zeros.prefix(end - place))], at: place)
                guard written > 0 else { return }
                place += written
            }
        }
    }

    package func truncate(_ sizeBytes: Int) -> Int {
        Self.result(Int(ftruncate(descriptor, sizeBytes)))
    }

    package func dropCache() {
        // Pages that wait to be written stay. A failure is ignored: a system without this call has no such cache.
        if !isInMemory { _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }
    }

    package func map(_ reservedBytes: Int) -> UnsafeRawPointer? {
        mapping.withLock { mapping in
            precondition(mapping == nil, "A file is mapped once.")
            let start = mmap(nil, reservedBytes, PROT_READ, MAP_SHARED | Int32(MAP_NORESERVE), descriptor, 0)
            guard let start, start != MAP_FAILED else { return nil }
            // Opening a large file for a few objects must not read megabytes around each of their pages.
            madvise(start, reservedBytes, MADV_RANDOM)
            mapping = UnsafeRawBufferPointer(start: start, count: reservedBytes)
            return UnsafeRawPointer(start)
        }
    }

    package func readAhead() {
        mapping.withLock { mapping in
            guard let mapping, let start = mapping.baseAddress else { return }
            madvise(UnsafeMutableRawPointer(mutating: start), mapping.count, MADV_NORMAL)
        }
    }

    /// Turns the result of a system call into a count or a negative errno. Nothing may run between the two calls.
    private static func result(_ answer: Int) -> Int { answer >= 0 ? answer : -Int(errno) }
}

// MARK: - Opening

extension SystemFile {
    /// Opens an existing file.
    package static func open(path: String, readOnly: Bool) throws(OpeningError) -> SystemFile {
        try open(path, readOnly ? O_RDONLY : O_RDWR, mode: 0, isInMemory: false)
    }

    /// Opens a file for reading and writing, and creates it if there is none.
    /// - Parameters:
    ///   - mode: the permissions of a new file; by default only its owner may read and write it.
    ///   - exclusively: fail with EEXIST when the file exists.
    package static func create(path: String, mode: UInt32 = 0o600, exclusively: Bool = false)
        throws(OpeningError) -> SystemFile
    {
        try open(path, O_RDWR | O_CREAT | (exclusively ? O_EXCL : 0), mode: mode, isInMemory: false)
    }

    /// Creates a file in memory and removes its name at once. It vanishes with its last user, however the process ends.
    package static func createInMemory() throws(OpeningError) -> SystemFile {
        let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        let number = UInt64.random(in: .min ... .max)
        let path = "\(folder)/causeway-\(getpid())-\(String(number, radix: 36))"
        let file = try open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600, isInMemory: true)
        unlink(path)
        return file
    }

    private static func open(_ path: String, _ flags: Int32, mode: UInt32, isInMemory: Bool)
        throws(OpeningError) -> SystemFile
    {
        while true {
            let descriptor = Glibc.open(path, flags | O_CLOEXEC, mode)
            if descriptor >= 0 { return SystemFile(descriptor: descriptor, isInMemory: isInMemory) }
            // Opening may wait for a slow file system, and a signal interrupts the wait.
            if errno != EINTR { throw OpeningError(errorNumber: errno) }
        }
    }
}

/// Makes a new or removed name survive a power loss: syncs the folder that contains `path`.
/// Returns zero or a negative errno.
package func synchronizeFolder(of path: String) -> Int {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return -Int(errno) }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 ? 0 : -Int(errno)
}
