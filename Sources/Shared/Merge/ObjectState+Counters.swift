package import CausewayModel
import CausewayOperations

// RULES.md, section 2.1, says what these mean.

/// What was added to the value that a counter was created with. The field holds both together.
///
/// It is kept so that another create of the same object, which brings another first value, loses nothing of it.
package struct CounterSum: Hashable, Sendable {
    package var property: String
    package var amount: Int64

    package init(_ property: String, _ amount: Int64) {
        self.property = property
        self.amount = amount
    }
}

extension ObjectState {
    /// What was added to a counter since the object was created; zero once it was set.
    package func sum(of property: String) -> Int64 {
        sums.first { $0.property.isSame(as: property) }?.amount ?? 0
    }

    package mutating func setSum(of property: String, to amount: Int64) {
        let index = sums.firstIndex { !$0.property.precedes(property) } ?? sums.count
        if index < sums.count, sums[index].property.isSame(as: property) { sums.remove(at: index) }
        if amount != 0 { sums.insert(CounterSum(property, amount), at: index) }
    }

    /// What an addition to a counter must have been made on to count: the stamp of the set that stands, or zero for the
    /// object's first value.
    package func base(ofAdditionsTo property: String) -> Stamp {
        guard let field = self[property], !field.isDefault else { return .zero }
        return field.stamp
    }

    /// C1 to C4: adds to the value that stands, if that is what the addition was made on.
    mutating func join(_ addition: Addition, to property: String) -> Outcome {
        let base = base(ofAdditionsTo: property)
        guard addition.base == nil || addition.base == base else { return .noEffect }
        guard let index = fields.firstIndex(where: { $0.property.isSame(as: property) }) else {
            put(Field(property, .int(addition.amount), stamp: .zero, isDefault: true))
            setSum(of: property, to: addition.amount)
            return .applied
        }
        guard case .int(let value) = fields[index].value else { return .noEffect }
        fields[index].value = .int(value &+ addition.amount)
        if fields[index].isDefault { setSum(of: property, to: sum(of: property) &+ addition.amount) }
        return .applied
    }

    /// C1 and C2: a field has just taken a value. A first value keeps what was added to the one before; one that was set
    /// ends it. False when the value is not the one that was given.
    mutating func keepSum(at index: Int) -> Bool {
        let field = fields[index]
        let sum = sum(of: field.property)
        guard sum != 0 else { return true }
        guard field.isDefault, case .int(let value) = field.value else {
            setSum(of: field.property, to: 0)
            return true
        }
        fields[index].value = .int(value &+ sum)
        return false
    }
}
