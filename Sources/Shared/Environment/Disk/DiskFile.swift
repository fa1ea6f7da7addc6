/// A file with the system's single calls, which may do less than asked, be interrupted or fail. The caller must loop,
/// so a simulated disk can interrupt every call.
///
/// A result is a count (zero where there is nothing to count) or a negative errno.
package protocol DiskFile: AnyObject, Sendable {
    /// The length of the file in bytes.
    func size() -> Int
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int
    /// Writes at most ``maximumPieces`` pieces one behind the other, like `pwritev`.
    func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int) -> Int
    /// Makes everything written before the call survive a power loss, like `fdatasync`.
    func synchronize() -> Int
    /// Allocates room up to a length, like `fallocate`, so that writing there needs no more metadata. Never shortens.
    func reserve(_ sizeBytes: Int) -> Int
    func truncate(_ sizeBytes: Int) -> Int
    /// Maps this many bytes for reading. They may be more than the file has; bytes appear there when they are written.
    /// The mapping lasts as long as this object. Nil when the address range cannot be reserved.
    func map(_ reservedBytes: Int) -> UnsafeRawPointer?
    /// Drops cached bytes that do not have to be written, so that reads return the disk's content. After a failed sync
    /// the two may differ.
    func dropCache()
    /// Lets the system read ahead in the mapped file, because much of it will be read. Before this call it fetches only
    /// the pages that are touched.
    func readAhead()
}

extension DiskFile {
    /// For disks that keep nothing in memory.
    package func dropCache() {}

    /// For disks that keep everything in memory.
    package func readAhead() {}
}

/// How many pieces one call of `pwritev` takes at most.
package let maximumPieces = 1024
