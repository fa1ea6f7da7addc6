/// A file as the system offers it: single calls that may do less than was asked, be interrupted or fail. Whoever
/// uses it loops; so a simulated disk can interrupt every one of them.
///
/// Results are those of the system: a count, or a negative errno.
package protocol DiskFile: AnyObject, Sendable {
    /// Length of the file.
    func size() -> Int
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int
    /// Writes several pieces one behind the other, as `pwritev`. At most ``maximumPieces`` of them.
    func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int) -> Int
    /// Makes everything written before it survive a power loss: `fdatasync`.
    func synchronize() -> Int
    /// Makes room up to a length, so that writing there needs no further metadata: `fallocate`. Never shortens.
    func reserve(_ sizeBytes: Int) -> Int
    func truncate(_ sizeBytes: Int) -> Int
    /// Maps so many bytes for reading, more than the file has; bytes appear there as they are written. Stays until
    /// the file object goes away. Nil when the address range cannot be had.
    func map(_ reservedBytes: Int) -> UnsafeRawPointer?
    /// Forgets what is kept in memory and need not be written any more, so that reading tells what the disk has: after
    /// a sync that failed, these are two things.
    func dropCache()
    /// Expects much of the mapped file to be read, and lets the system fetch what lies behind what is read. Before that
    /// it fetches no more than is asked for.
    func readAhead()
}

extension DiskFile {
    /// For disks that keep nothing in memory.
    package func dropCache() {}

    /// For disks that keep everything in memory.
    package func readAhead() {}
}

/// The most pieces one call of `pwritev` takes.
package let maximumPieces = 1024
