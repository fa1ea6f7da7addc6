/// Times in milliseconds, in the order in which they were taken.
struct Percentiles {
    private var sorted: [Double]

    init(_ times: [Double]) {
        sorted = times.sorted()
    }

    var count: Int { sorted.count }
    var median: Double { at(50) }
    var last: Double { sorted.last ?? .nan }

    /// The time that so many in a hundred do not exceed.
    func at(_ percent: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        return sorted[min(Int(Double(sorted.count) * percent / 100), sorted.count - 1)]
    }
}

extension ContinuousClock.Instant {
    /// Milliseconds since.
    var milliseconds: Double { (ContinuousClock.now - self) / .milliseconds(1) }
}
