/// The median of some runs of `body`, in nanoseconds for each of `operations`.
func medianNanoseconds(runs: Int, operations: Int, _ body: () throws -> Void) rethrows -> Double {
    var times: [Double] = []
    let clock = ContinuousClock()
    for _ in 0..<runs {
        let duration = try clock.measure(body)
        times.append(duration.nanoseconds / Double(operations))
    }
    return times.sorted()[runs / 2]
}

extension Duration {
    var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
    }
}

/// Keeps the optimiser from dropping a result that nothing reads.
@inline(never)
func consume<Value>(_ value: Value) {}

/// A small generator, so that every run asks for the same rows.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
