package import CoreMetrics

/// Keeps what is measured through swift-metrics in a `MetricRegistry`.
///
/// A metric of the catalog has its documented labels and buckets. Metrics of other packages are kept as well: their
/// names become names of Prometheus, and their number has a bound (`MetricRegistry.foreignNamesMax`). Series stay until
/// the process ends.
package struct PrometheusFactory: MetricsFactory {
    package let registry: MetricRegistry

    package init(_ registry: MetricRegistry) {
        self.registry = registry
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard case .counter(let series)? = series(label, .counter, dimensions) else {
            return NOOPMetricsHandler.instance
        }
        return series
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        guard case .gauge(let series)? = series(label, .gauge, dimensions) else { return NOOPMetricsHandler.instance }
        return series
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        switch series(label, aggregate ? .histogram : .gauge, dimensions) {
        case .histogram(let series)?: return series
        case .gauge(let series)?: return series
        default: return NOOPMetricsHandler.instance
        }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        guard case .histogram(let series)? = series(label, .histogram, dimensions) else {
            return NOOPMetricsHandler.instance
        }
        return series
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// Nil when there are too many names. A name that is measured in two ways keeps the first.
    private func series(
        _ label: String, _ kind: MetricDefinition.Kind, _ dimensions: [(String, String)]
    ) -> MetricSeries? {
        let name = Self.name(label)
        let definition =
            registry.definition(named: name)
            ?? MetricDefinition(
                name, kind, labels: dimensions.map { Self.name($0.0) },
                bounds: kind == .histogram ? MetricBounds.work : [], "Measured by another package, as \(label).")
        let given = Dictionary(dimensions.map { (Self.name($0.0), $0.1) }) { $1 }
        return registry.family(definition)?.series(definition.labels.map { given[$0] ?? "" })
    }

    /// Prometheus' names have letters, digits and underscores, and begin with no digit.
    private static func name(_ label: String) -> String {
        let name = String(
            label.unicodeScalars.map { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_": Character(scalar)
                default: "_"
                }
            })
        return name.first.map { $0.isNumber } ?? true ? "_" + name : name
    }
}

extension CounterSeries: CounterHandler {
    package func increment(by amount: Int64) { add(Int(clamping: amount)) }
}

extension GaugeSeries: MeterHandler, RecorderHandler {
    package func set(_ value: Int64) { set(Double(value)) }
    package func increment(by amount: Double) { add(amount) }
    package func decrement(by amount: Double) { add(-amount) }
    package func record(_ value: Int64) { set(Double(value)) }
    package func record(_ value: Double) { set(value) }
}

extension HistogramSeries: RecorderHandler, TimerHandler {
    package func record(_ value: Int64) { observe(Double(value)) }
    package func record(_ value: Double) { observe(value) }
    package func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }
}
