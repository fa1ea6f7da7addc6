import Synchronization

/// The values of one metric under one set of labels. Changed by any thread, without a lock.
package enum MetricSeries: Sendable {
    case counter(CounterSeries)
    case gauge(GaugeSeries)
    case histogram(HistogramSeries)

    init(_ definition: MetricDefinition) {
        self =
            switch definition.kind {
            case .counter: .counter(CounterSeries())
            case .gauge: .gauge(GaugeSeries())
            case .histogram: .histogram(HistogramSeries(bounds: definition.bounds))
            }
    }
}

/// Only grows.
package final class CounterSeries: Sendable {
    private let count = Atomic<UInt64>(0)

    package init() {}

    package var value: UInt64 { count.load(ordering: .relaxed) }

    /// - Parameter amount: what is not above zero is ignored.
    package func add(_ amount: Int = 1) {
        if amount > 0 { count.wrappingAdd(UInt64(amount), ordering: .relaxed) }
    }

    package func reset() { count.store(0, ordering: .relaxed) }
}

/// Goes up and down.
package final class GaugeSeries: Sendable {
    private let bits = Atomic<UInt64>(0)

    package init() {}

    package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    package func add(_ amount: Double) { bits.addDouble(amount) }
}

/// Counts observations by size.
package final class HistogramSeries: Sendable {
    private final class Bucket: Sendable {
        let count = Atomic<UInt64>(0)
    }

    let bounds: [Double]
    /// One more than bounds.
    private let buckets: [Bucket]
    private let sumBits = Atomic<UInt64>(0)

    package init(bounds: [Double]) {
        self.bounds = bounds
        buckets = (0...bounds.count).map { _ in Bucket() }
    }

    /// An observation that is no number is ignored: one would make the sum useless for ever.
    package func observe(_ value: Double) {
        guard value.isFinite else { return }
        let place = bounds.firstIndex { value <= $0 } ?? bounds.count
        buckets[place].count.wrappingAdd(1, ordering: .relaxed)
        sumBits.addDouble(value)
    }

    package func observe(nanoseconds: UInt64) { observe(Double(nanoseconds) / 1e9) }

    /// How many observations each bucket has by itself, the one without a bound last.
    package var counts: [UInt64] { buckets.map { $0.count.load(ordering: .relaxed) } }
    package var count: UInt64 { counts.reduce(0, +) }
    package var sum: Double { Double(bitPattern: sumBits.load(ordering: .relaxed)) }
}

extension Atomic where Value == UInt64 {
    /// Adds to a number that is kept by its bits.
    fileprivate borrowing func addDouble(_ amount: Double) {
        var known = load(ordering: .relaxed)
        while true {
            let next = (Double(bitPattern: known) + amount).bitPattern
            let (isDone, original) = weakCompareExchange(expected: known, desired: next, ordering: .relaxed)
            if isDone { return }
            known = original
        }
    }
}
