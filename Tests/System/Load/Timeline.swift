import CausewayPrograms
import Foundation
import Synchronization

/// What happened during a profile, second by second.
final class Timeline: Sendable {
    private struct State {
        /// When something was noticed, in seconds after the start, and how long it had taken in milliseconds.
        var waits: [(second: Double, milliseconds: Double)] = []
        var samples: [Sample] = []
    }

    /// What the server used at a moment.
    struct Sample {
        var second: Double
        /// Processors, since the sample before.
        var cores: Double
        var megabytes: Double
    }

    private let start = ContinuousClock.now
    private let state = Mutex(State())
    private let process = Atomic<Int32>(0)

    /// Samples this server from now on.
    func watch(_ server: SyncServer) {
        process.store(server.processNumber ?? 0, ordering: .relaxed)
    }

    var second: Double { start.milliseconds / 1_000 }

    /// Something was noticed that began at an instant.
    func note(since begin: ContinuousClock.Instant) {
        let (second, milliseconds) = (second, begin.milliseconds)
        state.withLock { $0.waits.append((second, milliseconds)) }
    }

    /// Samples the server twice a second while something runs.
    func sampling<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        let sampling = Task { [self] in
            var probe = ProcessProbe(number: process.load(ordering: .relaxed))
            var (number, before, last) = (probe.number, probe.cpuNanoseconds, second)
            while (try? await Task.sleep(for: .milliseconds(500))) != nil {
                probe = ProcessProbe(number: process.load(ordering: .relaxed))
                let (current, now) = (probe, second)
                let cpu = current.cpuNanoseconds
                // A server that was started anew counts from zero; of one that ended threads less is accounted than before.
                let used = current.number == number ? cpu - min(before, cpu) : cpu
                let sample = Sample(
                    second: now, cores: Double(used) / 1e9 / max(now - last, 0.001),
                    megabytes: Double(current.residentBytes >> 20))
                state.withLock { $0.samples.append(sample) }
                (number, before, last) = (current.number, cpu, now)
            }
        }
        defer { sampling.cancel() }
        return try await body()
    }

    var waits: Percentiles { Percentiles(state.withLock { $0.waits.map(\.milliseconds) }) }
    var samples: [Sample] { state.withLock { $0.samples } }

    /// What was noticed in each second.
    var seconds: [(second: Int, waits: Percentiles)] {
        let waits = state.withLock { $0.waits }
        return Dictionary(grouping: waits) { Int($0.second) }
            .map { ($0.key, Percentiles($0.value.map(\.milliseconds))) }
            .sorted { $0.0 < $1.0 }
    }

    /// The profile in a line.
    func summary(of what: String) -> String {
        let (waits, samples) = (waits, samples)
        let cores = samples.isEmpty ? 0 : samples.reduce(0) { $0 + $1.cores } / Double(samples.count)
        return "\(what): \(waits.count) waits; median \(waits.median.shown) ms, p95 \(waits.at(95).shown) ms, p99 "
            + "\(waits.at(99).shown) ms, longest \(waits.last.shown) ms; server \(cores.shown) processors on average, "
            + "at most \((samples.map(\.megabytes).max() ?? 0).shown) MB"
    }
}
