import Synchronization

/// All series of one metric.
final class MetricFamily: Sendable {
    let definition: MetricDefinition
    private let seriesMax: Int
    /// Told once, when a series finds no place.
    private let overflowed: @Sendable (MetricDefinition) -> Void
    private let state = Mutex(State())

    private struct State {
        var series: [[String]: MetricSeries] = [:]
        var hasOverflowed = false
    }

    /// The value of every label of the series that counts what found no place of its own.
    static let overflow = "overflow"
    /// Longer values are cut: some come from outside.
    private static let labelBytesMax = 128

    init(
        _ definition: MetricDefinition, seriesMax: Int, overflowed: @escaping @Sendable (MetricDefinition) -> Void
    ) {
        self.definition = definition
        self.seriesMax = seriesMax
        self.overflowed = overflowed
    }

    /// The series of these values; made at its first use. Callers that use it often keep it.
    ///
    /// - Parameter values: in the order of the definition's labels.
    func series(_ values: [String]) -> MetricSeries {
        let values = definition.labels.indices.map { index in
            index < values.count ? String(decoding: values[index].utf8.prefix(Self.labelBytesMax), as: UTF8.self) : ""
        }
        let (series, isNews) = state.withLock { state in
            if let known = state.series[values] { return (known, false) }
            let isFull = state.series.count >= seriesMax
            let isNews = isFull && !state.hasOverflowed
            let key = isFull ? values.map { _ in Self.overflow } : values
            state.hasOverflowed = state.hasOverflowed || isFull
            if let known = state.series[key] { return (known, isNews) }
            let made = MetricSeries(definition)
            state.series[key] = made
            return (made, isNews)
        }
        if isNews { overflowed(definition) }
        return series
    }

    /// Takes out the series with a value of a label. Whoever holds one counts on for nobody.
    func forget(_ label: String, _ value: String) {
        guard let index = definition.labels.firstIndex(of: label) else { return }
        state.withLock { state in state.series = state.series.filter { $0.key[index] != value } }
    }

    /// In the order of their labels.
    var all: [(values: [String], series: MetricSeries)] {
        state.withLock { $0.series.map { ($0.key, $0.value) } }
            .sorted { $0.values.lexicographicallyPrecedes($1.values) }
    }
}
