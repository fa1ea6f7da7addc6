import CAllocator
import Foundation
import ServiceLifecycle

/// Gives memory back to the system that large requests needed. The C library would keep what is freed, and the process
/// would stay as large as at its largest moment.
struct MemoryReturn: Service {
    var interval = Duration.seconds(5)
    /// How much more unused memory than was left the last time makes a trim worth it.
    static let worthBytes = 16 << 20
    /// After so many intervals it is tried again where that much is left: what lay between it may have been freed
    /// since.
    static let intervalsOfTry = 3

    /// The C library raises these thresholds by itself, up to 64 MiB for each of its arenas. `malloc_trim` does not
    /// reach what lies free at the end of an arena: it goes back when it is freed, or not at all. Setting the
    /// thresholds keeps them as they are.
    private static let (ownMappingBytes, freeAtEndBytes): (Int32, Int32) = (2 << 20, 2 << 20)

    /// Limits the number of arenas. Must be called before the first thread starts: an arena that exists stays.
    ///
    /// There may be eight arenas for each processor, and each thread that was busy once leaves one full of holes. After
    /// ten minutes of attacks fifteen of them held 80 MiB, 15 of which were in use.
    static func limitArenas() {
        mallopt(M_ARENA_MAX, Int32(clamping: max(2, ProcessInfo.processInfo.activeProcessorCount)))
    }

    func run() async throws {
        mallopt(M_MMAP_THRESHOLD, Self.ownMappingBytes)
        mallopt(M_TRIM_THRESHOLD, Self.freeAtEndBytes)
        await cancelWhenGracefulShutdown { await giveBack() }
    }

    /// Runs until its task is cancelled.
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

    /// The anonymous memory that the process holds and has not allocated: mostly what it has freed. Nil where the
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
