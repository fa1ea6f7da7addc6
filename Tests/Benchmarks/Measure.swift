import CausewayMeasuring

/// Keeps the optimiser from dropping a result that nothing reads.
@inline(never)
func consume<Value>(_ value: Value) {}

/// Ends the run where the two sides of a benchmark, or a side and its data, do not have the same.
func check(_ found: Int, _ expected: Int, _ what: String) throws {
    guard found == expected else {
        throw Duel.Disagreement(description: "\(what): \(found) instead of \(expected)")
    }
}
