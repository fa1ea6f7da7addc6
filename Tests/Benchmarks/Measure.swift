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
