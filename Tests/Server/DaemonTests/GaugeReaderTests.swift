import Dispatch
import Synchronization
import Testing

@testable import CausewayDaemon

@Suite("Gauges that may block")
struct GaugeReaderTests {
    private final class Source: Sendable {
        let begun = Atomic(0)
        let gate = DispatchSemaphore(value: 0)

        func read() -> Int? {
            let number = begun.add(1, ordering: .relaxed).newValue
            gate.wait()
            return number
        }
    }

    @Test("who asks during a reading gets what it finds, and the next one reads anew")
    func joined() async {
        let (source, reader) = (Source(), GaugeReader<Int>(label: "test"))
        async let first = reader.read(withinMilliseconds: 60_000) { source.read() }
        while source.begun.load(ordering: .relaxed) == 0 { await Task.yield() }
        async let second = reader.read(withinMilliseconds: 60_000) { source.read() }
        // It has joined, or it reads by itself: either way nobody is left out.
        for _ in 0..<1_000 { await Task.yield() }
        source.gate.signal()
        source.gate.signal()
        #expect(await first == 1)
        let joined = await second
        #expect(joined == 1 || joined == 2)
        source.gate.signal()
        #expect(await reader.read(withinMilliseconds: 60_000) { source.read() } != nil)
    }

    @Test("a reading that hangs is not begun again, and whoever waits for it is told nothing in time")
    func hanging() async {
        let (source, reader) = (Source(), GaugeReader<Int>(label: "test"))
        for _ in 0..<5 { #expect(await reader.read(withinMilliseconds: 20) { source.read() } == nil) }
        #expect(source.begun.load(ordering: .relaxed) <= 1)
        for _ in 0..<20 { source.gate.signal() }
        #expect(await reader.read(withinMilliseconds: 60_000) { source.read() } != nil)
    }
}
