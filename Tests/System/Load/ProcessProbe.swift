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

    /// Milliseconds on a processor, of all its threads, those that have ended too. In steps of the system's clock, which are ten
    /// milliseconds mostly.
    var cpuMillisecondsOfAll: Double {
        let text = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
        // The name in parentheses may have spaces.
        let fields = text.drop { $0 != ")" }.split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return 0 }
        return (user + system) * 1e3 / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    var residentBytes: Int { kilobytes("VmRSS:") << 10 }

    private func kilobytes(_ name: String) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) })
        else { return 0 }
        return Int(line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first ?? "") ?? 0
    }
}
