package import CausewayModel

extension Table {
    /// Adds to a counter of an object that is here, and notes that it was an addition. Sums wrap around at 64 bits.
    package func add(_ amount: Int64, to key: ObjectKey, _ column: Int) {
        precondition(schema.properties[column].isCounter, "something was added to what is no counter")
        guard case .int(let value) = value(key, column) else { return }
        changes.add(amount, to: key, column, holding: value)
        set(key, column, .int(value &+ amount))
    }
}
