/// A metric as `METRICS.md` documents it: its name, what it measures, and how its series are told apart.
package struct MetricDefinition: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case counter
        case gauge
        case histogram
    }

    /// Ends with the unit; that of a counter ends with `_total`.
    package let name: String
    package let kind: Kind
    /// Prometheus' base units: `seconds`, `bytes`; empty for what is counted.
    package let unit: String
    /// The names of its labels, in the order in which values are given.
    package let labels: [String]
    /// One sentence.
    package let meaning: String
    /// The upper bounds of a histogram's buckets, ascending; the one without a bound is not among them.
    package let bounds: [Double]

    package init(
        _ name: String, _ kind: Kind, unit: String = "", labels: [String] = [], bounds: [Double] = [],
        _ meaning: String
    ) {
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "Buckets ascend.")
        self.name = name
        self.kind = kind
        self.unit = unit
        self.labels = labels
        self.bounds = bounds
        self.meaning = meaning
    }
}

/// Bounds of buckets, in seconds.
package enum MetricBounds {
    /// From a small change in memory to a commit on a slow disk.
    package static let work: [Double] = [
        0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// What devices wait for.
    package static let latency: [Double] = [
        0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30,
    ]
}
