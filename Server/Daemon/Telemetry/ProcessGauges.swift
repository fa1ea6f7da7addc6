import CAllocator
import CausewayTelemetry
import CoreFoundation
import Foundation

/// What the process takes of its machine.
struct ProcessGauges: Sendable {
    let started: Date

    func read() -> [MetricSample] {
        let allocated = mallinfo2()
        var samples = [
            MetricSample(
                MetricCatalog.allocatedMemory, is: Double(allocated.uordblks) + Double(allocated.hblkhd)),
            MetricSample(MetricCatalog.startTime, is: started.timeIntervalSince1970),
            MetricSample(MetricCatalog.cpuSeconds, is: Self.cpuSeconds),
        ]
        if let bytes = Self.residentBytes { samples.append(MetricSample(MetricCatalog.residentMemory, is: bytes)) }
        // Reading the list opens one itself.
        if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            samples.append(MetricSample(MetricCatalog.openFiles, is: Double(files - 1)))
        }
        return samples
    }

    private static var cpuSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The second number of `statm` counts pages.
    private static var residentBytes: Double? {
        let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let numbers = text?.split(separator: " ") ?? []
        return numbers.count > 1 ? Double(numbers[1]).map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }
}
