import Foundation

/// What a process has used, as the system accounts for it: so a busy machine changes the figures little.
struct ProcessProbe {
    let number: Int32

    /// Nanoseconds on a processor, of all its threads that live.
    var cpuNanoseconds: UInt64 {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/task")) ?? []
        return threads.reduce(0) { sum, thread in
            let text = try? String(contentsOfFile: "/proc/\(number)/task/\(thread)/schedstat", encoding: .utf8)
            return sum + (text?.split(separator: " ").first.flatMap { UInt64($0) } ?? 0)
        }
    }

    /// Milliseconds on a processor since it had used so many nanoseconds.
    func cpuMilliseconds(since nanoseconds: UInt64) -> Double { Double(cpuNanoseconds - nanoseconds) / 1e6 }

    var residentBytes: Int { kilobytes("VmRSS:") << 10 }

    private func kilobytes(_ name: String) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) })
        else { return 0 }
        return Int(line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first ?? "") ?? 0
    }
}
