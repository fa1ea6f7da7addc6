import Foundation

/// The lowest priority for work that nobody waits for.
package enum LowPriority {
    private static let nice: Int32 = 19

    /// Lowers the priority of the calling thread, for good. On Linux the threads of a process have priorities of their
    /// own, and those of the disk follow them. A failure is ignored: then the work runs as any other.
    package static func takeForThisThread() {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
    }
}
