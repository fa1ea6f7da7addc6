import Synchronization
import Testing

@testable import CausewayTelemetry

@Suite("Series of metrics")
struct MetricSeriesTests {
    private let counter = MetricDefinition("a_total", .counter, labels: ["name"], "Counts.")

    @Test("changes of many threads are all counted")
    func threads() async {
        let (counter, gauge, histogram) = (CounterSeries(), GaugeSeries(), HistogramSeries(bounds: [1, 2]))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for step in 0..<1_000 {
                        counter.add(2)
                        gauge.add(0.5)
                        histogram.observe(Double(step % 3) + 0.5)
                    }
                }
            }
        }
        #expect(counter.value == 16_000)
        #expect(gauge.value == 4_000)
        #expect(histogram.counts == [2_672, 2_664, 2_664])
        #expect(histogram.sum == 11_992)
    }

    @Test("a counter never goes back, and an observation that is no number is ignored")
    func nonsense() {
        let (counter, histogram) = (CounterSeries(), HistogramSeries(bounds: [1]))
        counter.add(-5)
        counter.add(0)
        for value in [Double.nan, .infinity] { histogram.observe(value) }
        #expect(counter.value == 0)
        #expect(histogram.count == 0 && histogram.sum == 0)
    }

    @Test("more series than one name may have are counted together, and that is told once")
    func bound() {
        let told = Mutex<[String]>([])
        let registry = MetricRegistry([counter], seriesMax: 3) { definition in
            told.withLock { $0.append(definition.name) }
        }
        for number in 0..<10 { registry.counter(counter, "\(number)").add() }
        #expect(registry.counter(counter, "1").value == 1)
        #expect(registry.counter(counter, "overflow").value == 7)
        #expect(told.withLock { $0 } == ["a_total"])
        #expect(registry.text().split(separator: "\n").count == 2 + 4)
    }

    @Test("a long label is cut")
    func longLabel() {
        let registry = MetricRegistry([counter])
        registry.counter(counter, String(repeating: "x", count: 1_000)).add()
        #expect(registry.text().utf8.count < 300)
    }
}
