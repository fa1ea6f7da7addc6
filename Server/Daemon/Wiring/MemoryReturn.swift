import CAllocator
import Foundation
import ServiceLifecycle

/// Gives back to the system what large requests needed: the C library keeps freed memory for itself otherwise, and the
/// process would stay as large as the largest moment was.
struct MemoryReturn: Service {
    var interval = Duration.seconds(5)
    /// So much more of it than was left the last time is worth to go through what is free.
    static let worthBytes = 16 << 20
    /// As often as this it is tried again where that much is left: what lay between it may have been freed since.
    static let intervalsOfTry = 3

    /// The C library makes these bounds larger by itself, up to 64 MiB for each of its arenas. What lies free at the end of
    /// an arena is out of `malloc_trim`'s reach: it goes back when it is freed, or not at all. Setting them keeps them as
    /// they are.
    private static let (ownMappingBytes, freeAtEndBytes): (Int32, Int32) = (2 << 20, 2 << 20)

    /// Before the first thread is started: an arena that is there stays.
    ///
    /// There may be eight arenas for each processor, and each thread that was busy once leaves one full of holes: after
    /// ten minutes of attacks fifteen of them held 80 MiB, 15 of which were in use.
    static func limitArenas() {
        mallopt(M_ARENA_MAX, Int32(clamping: max(2, ProcessInfo.processInfo.activeProcessorCount)))
    }

    func run() async throws {
        mallopt(M_MMAP_THRESHOLD, Self.ownMappingBytes)
        mallopt(M_TRIM_THRESHOLD, Self.freeAtEndBytes)
        await cancelWhenGracefulShutdown { await giveBack() }
    }

    /// Goes on until its task is cancelled.
    func giveBack() async {
        var left = 0
        var intervals = 0
        while (try? await Task.sleep(for: interval)) != nil {
            guard let unused = Self.unusedBytes() else { continue }
            intervals += 1
            let isAgain = unused > Self.worthBytes && intervals >= Self.intervalsOfTry
            if unused > left + Self.worthBytes || isAgain {
                malloc_trim(0)
                left = Self.unusedBytes() ?? unused
                intervals = 0
            } else {
                left = min(left, unused)
            }
        }
    }

    /// What the process holds in memory, of no file, and has not allocated: mostly what it has freed. Nil where the
    /// system does not tell.
    private static func unusedBytes() -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        guard let kibibytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
            return nil
        }
        let allocated = mallinfo2()
        return (kibibytes << 10) - Int(clamping: allocated.uordblks) - Int(clamping: allocated.hblkhd)
    }
}
