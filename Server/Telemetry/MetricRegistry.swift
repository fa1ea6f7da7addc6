import Synchronization

/// Every metric of the process, by name.
package final class MetricRegistry: Sendable {
    /// Series of one name; what comes on top is counted in one series.
    package static let seriesMax = 8_192
    /// Names that the catalog does not have, of packages that measure themselves. More are not kept.
    package static let foreignNamesMax = 256

    private let families: Mutex<[String: MetricFamily]>
    private let seriesMax: Int
    private let catalogCount: Int
    private let overflowed: @Sendable (MetricDefinition) -> Void

    /// - Parameter overflowed: told once for each metric of which not all series are kept.
    package init(
        _ catalog: [MetricDefinition] = MetricCatalog.all, seriesMax: Int = MetricRegistry.seriesMax,
        overflowed: @escaping @Sendable (MetricDefinition) -> Void = { _ in }
    ) {
        self.seriesMax = seriesMax
        self.overflowed = overflowed
        catalogCount = catalog.count
        var families: [String: MetricFamily] = [:]
        for definition in catalog {
            let family = MetricFamily(definition, seriesMax: seriesMax, overflowed: overflowed)
            precondition(families.updateValue(family, forKey: definition.name) == nil, "Two metrics have one name.")
        }
        self.families = Mutex(families)
    }

    // MARK: - Series

    package func counter(_ definition: MetricDefinition, _ values: String...) -> CounterSeries {
        guard case .counter(let series)? = family(definition)?.series(values) else { return CounterSeries() }
        return series
    }

    package func gauge(_ definition: MetricDefinition, _ values: String...) -> GaugeSeries {
        guard case .gauge(let series)? = family(definition)?.series(values) else { return GaugeSeries() }
        return series
    }

    package func histogram(_ definition: MetricDefinition, _ values: String...) -> HistogramSeries {
        guard case .histogram(let series)? = family(definition)?.series(values) else {
            return HistogramSeries(bounds: definition.bounds)
        }
        return series
    }

    /// Takes out the series of all metrics with a value of a label, such as those of a database that was dropped.
    package func forget(_ label: String, _ value: String) {
        for family in families.withLock({ Array($0.values) }) { family.forget(label, value) }
    }

    /// The definition under a name, if there is one.
    func definition(named name: String) -> MetricDefinition? { families.withLock { $0[name] }?.definition }

    /// The metric of a definition. Nil when there are too many names.
    func family(_ definition: MetricDefinition) -> MetricFamily? {
        families.withLock { families in
            if let known = families[definition.name] { return known }
            guard families.count < catalogCount + Self.foreignNamesMax else { return nil }
            let family = MetricFamily(definition, seriesMax: seriesMax, overflowed: overflowed)
            families[definition.name] = family
            return family
        }
    }

    // MARK: - The text

    /// Everything, in Prometheus' text format.
    ///
    /// - Parameter samples: gauges that were read just now. Of one name at most as many count as it may have series.
    package func text(_ samples: [MetricSample] = []) -> String {
        let families = families.withLock { Array($0.values) }
        let read = Dictionary(grouping: samples, by: \.definition.name)
        var exposition = Exposition()
        for family in families.sorted(by: { $0.definition.name < $1.definition.name }) {
            let known = family.all
            let news = (read[family.definition.name] ?? []).prefix(seriesMax)
            guard !known.isEmpty || !news.isEmpty else { continue }
            exposition.begin(family.definition)
            for (values, series) in known { exposition.add(series, values, of: family.definition) }
            for sample in news { exposition.add(sample) }
        }
        return exposition.text
    }
}

/// A gauge, or a counter that somebody else keeps, read at a scrape.
package struct MetricSample: Sendable {
    package let definition: MetricDefinition
    package let values: [String]
    package let number: Double

    package init(_ definition: MetricDefinition, _ values: String..., is number: Double) {
        self.definition = definition
        self.values = values
        self.number = number
    }
}
