package import CausewayModel
import CausewayOperations

// RULES.md, section 2.1, says what these mean.

/// The sum of the additions to a counter since its creation. The field holds the first value plus this sum.
///
/// It is kept so that another create of the object, with another first value, loses no additions.
package struct CounterSum: Hashable, Sendable {
    package var property: String
    package var amount: Int64

    package init(_ property: String, _ amount: Int64) {
        self.property = property
        self.amount = amount
    }
}

extension ObjectState {
    /// The sum of the additions to a counter since the object was created; zero once the counter was set.
    package func sum(of property: String) -> Int64 {
        sums.first { $0.property.isSame(as: property) }?.amount ?? 0
    }

    package mutating func setSum(of property: String, to amount: Int64) {
        let index = sums.firstIndex { !$0.property.precedes(property) } ?? sums.count
        if index < sums.count, sums[index].property.isSame(as: property) { sums.remove(at: index) }
        if amount != 0 { sums.insert(CounterSum(property, amount), at: index) }
    }

    /// What an addition must have been made on to count: the stamp of the current set, or zero for the first value.
    package func base(ofAdditionsTo property: String) -> Stamp {
        guard let field = self[property], !field.isDefault else { return .zero }
        return field.stamp
    }

    /// C1 to C4: adds to the current value, if the addition was made on it.
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

    /// C3 and C4: adjusts the sum after a field has taken a value. A first value keeps the additions; a set value ends
    /// the sum. False if the field now holds another value than the given one.
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
