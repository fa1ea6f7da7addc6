import Foundation

/// What one of many equal things takes in memory.
///
/// As many are made, and kept, before those that count: they use up what was freed earlier, which the process holds
/// without needing it.
///
/// - Parameter make: makes one that shares nothing with the others.
package func bytesInMemory<Thing>(ofEachOf count: Int, _ make: () throws -> Thing) throws -> Double {
    var kept: [Thing] = []
    for _ in 0..<count { kept.append(try make()) }
    let before = try residentBytes()
    for _ in 0..<count { kept.append(try make()) }
    let after = try residentBytes()
    return withExtendedLifetime(kept) { Double(after - before) / Double(count) }
}

private struct UnreadableStatistics: Error {}

/// The pages of this process that are in memory.
package func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { throw UnreadableStatistics() }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}

/// The most physical memory that this process used, since it began or since a moment.
package enum PeakMemory {
    /// Forgets earlier peaks. Needs nothing but a kernel that lets a process reset its own (Linux since 4.0).
    package static func begin() throws {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// The most bytes since `begin()`; without it, ever.
    package static func bytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { throw UnreadableStatistics() }
        return kilobytes * 1_024
    }
}
