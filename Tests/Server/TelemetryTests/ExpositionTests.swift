import CoreMetrics
import Testing

@testable import CausewayTelemetry

@Suite("The text that Prometheus reads")
struct ExpositionTests {
    private let counter = MetricDefinition("a_total", .counter, labels: ["name"], "Counts \\ lines\nand more.")
    private let gauge = MetricDefinition("b_bytes", .gauge, unit: "bytes", "A size.")
    private let histogram = MetricDefinition(
        "c_seconds", .histogram, unit: "seconds", labels: ["name"], bounds: [0.1, 1], "A time.")

    @Test("has help, type and every series, escaped and in one order")
    func whole() {
        let registry = MetricRegistry([counter, gauge, histogram])
        registry.counter(counter, "z").add(2)
        registry.counter(counter, "a\"b\\c\nd").add()
        registry.gauge(gauge).set(0.5)
        for value in [0.05, 0.1, 0.5, 7] { registry.histogram(histogram, "x").observe(value) }
        #expect(
            registry.text() == #"""
                # HELP a_total Counts \\ lines\nand more.
                # TYPE a_total counter
                a_total{name="a\"b\\c\nd"} 1
                a_total{name="z"} 2
                # HELP b_bytes A size.
                # TYPE b_bytes gauge
                b_bytes 0.5
                # HELP c_seconds A time.
                # TYPE c_seconds histogram
                c_seconds_bucket{name="x",le="0.1"} 2
                c_seconds_bucket{name="x",le="1"} 3
                c_seconds_bucket{name="x",le="+Inf"} 4
                c_seconds_sum{name="x"} 7.65
                c_seconds_count{name="x"} 4

                """#)
    }

    @Test("has numbers that are none as Prometheus writes them, and whole ones without a fraction")
    func numbers() {
        let registry = MetricRegistry([gauge])
        for (number, text) in [
            (Double.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (3, "3"), (-0.25, "-0.25"),
            (0x1p60, "1.152921504606847e+18"),
        ] {
            registry.gauge(gauge).set(number)
            #expect(registry.text().hasSuffix("b_bytes \(text)\n"), "\(number)")
        }
    }

    @Test("has no metric without a series")
    func empty() {
        #expect(MetricRegistry([counter, gauge]).text() == "")
    }

    @Test("has what is read at the scrape beside what is kept")
    func samples() {
        let text = MetricRegistry([gauge]).text([MetricSample(gauge, is: 12)])
        #expect(text.hasSuffix("b_bytes 12\n"))
    }
}

@Suite("Metrics of swift-metrics")
struct PrometheusFactoryTests {
    private let seconds = MetricDefinition(
        "d_seconds", .histogram, unit: "seconds", labels: ["name"], bounds: [0.1, 1], "A time.")

    @Test("timers become seconds, in the buckets of the catalog")
    func timer() {
        let factory = PrometheusFactory(MetricRegistry([seconds]))
        Timer(label: "d_seconds", dimensions: [("name", "x")], factory: factory).recordMilliseconds(500)
        #expect(factory.registry.histogram(seconds, "x").counts == [0, 1, 0])
        #expect(factory.registry.histogram(seconds, "x").sum == 0.5)
    }

    @Test("counters, meters and recorders of other packages get names of Prometheus")
    func foreign() {
        let factory = PrometheusFactory(MetricRegistry([]))
        Counter(label: "pool.requests-made", dimensions: [("host.name", "h")], factory: factory).increment(by: 3)
        Meter(label: "1pool", factory: factory).set(2.5)
        Gauge(label: "size", factory: factory).record(7)
        Recorder(label: "sizes", factory: factory).record(7)
        let text = factory.registry.text()
        for line in ["pool_requests_made{host_name=\"h\"} 3", "_1pool 2.5", "size 7", "sizes_count 1"] {
            #expect(text.contains(line + "\n"), "\(line) in \(text)")
        }
    }

    @Test("a name that is measured in two ways keeps the first, and the other one is dropped")
    func twoKinds() {
        let factory = PrometheusFactory(MetricRegistry([]))
        Counter(label: "x", factory: factory).increment()
        Meter(label: "x", factory: factory).set(9)
        #expect(factory.registry.text().contains("x 1\n"))
    }

    @Test("more names than there may be are dropped")
    func names() {
        let factory = PrometheusFactory(MetricRegistry([seconds]))
        for number in 0..<2 * MetricRegistry.foreignNamesMax {
            Counter(label: "n\(number)", factory: factory).increment()
        }
        let lines = factory.registry.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == MetricRegistry.foreignNamesMax)
    }
}
