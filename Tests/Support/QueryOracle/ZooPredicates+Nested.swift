import CausewayModel
import CausewayQuery
import CausewaySeeds

/// Paths into the lists and dictionaries of mixed values, and what types there are.
extension ZooHistory {
    /// Subscripts behind a mixed property, its own list or map the first of what they go into; answers whether they lead
    /// to many values.
    mutating func addSubscripts(to step: inout BoundPath.Step) -> Bool {
        var subscripts = (0..<1 + numbers.below(3)).map { _ in
            numbers.once(in: 3) ? NestedStep.any : singleSubscript()
        }
        switch numbers.below(6) {
        case 0: subscripts.append(.keys)
        case 1: subscripts.append(.count)
        default: break
        }
        switch step.collection {
        // A position of a list that nothing follows is no subscript but a place.
        case .list where subscripts.count == 1: subscripts = [.any]
        case .map where step.mapKey == nil: subscripts[0] = .any
        default: break
        }
        step.nested = subscripts
        return subscripts.contains(.any) || subscripts.contains(.keys)
    }

    mutating func singleSubscripts() -> [NestedStep] {
        (0..<1 + numbers.below(2)).map { _ in singleSubscript() }
    }

    private mutating func singleSubscript() -> NestedStep {
        numbers.once(in: 2) ? .index(numbers.below(4)) : .key(ExactString(numbers.one(of: names.keys + ["missing"])))
    }

    /// What a path gives, which is not always what its last property holds.
    static func type(of step: BoundPath.Step) -> PropertyType { step.nested.last == .count ? .int : step.type }

    /// A mixed value, or what is in it.
    mutating func mixedStep(isToMany: Bool) -> BoundPath.Step {
        let columns = Zoo.mixedColumns.filter { isToMany || Zoo.animal.properties[$0].collection == .none }
        let column = numbers.one(of: columns)
        var step = Self.step("Animal", column, Zoo.animal.properties[column])
        if !isToMany {
            if numbers.once(in: 2) { step.nested = singleSubscripts() }
        } else if step.collection == .none || numbers.once(in: 2) {
            step.nested = [.any] + (numbers.once(in: 2) ? [] : [singleSubscript()])
        }
        return step
    }

    /// Of an animal's mixed values, or of those that a path leads to.
    mutating func typeTest(on className: String) -> BoundTypeTest? {
        guard className == "Animal" else { return nil }
        let isToMany = numbers.once(in: 2)
        let right: BoundTypeTest.Right =
            numbers.once(in: 4)
            ? .path(BoundPath(steps: [mixedStep(isToMany: false)]))
            : .types(Set((0..<1 + numbers.below(3)).map { _ in numbers.one(of: StoredType.allCases) }))
        return BoundTypeTest(
            quantifier: isToMany ? numbers.one(of: [.any, .all, .none]) : .implied,
            path: BoundPath(steps: [mixedStep(isToMany: isToMany)]), isNegated: numbers.once(in: 2), right: right)
    }
}
