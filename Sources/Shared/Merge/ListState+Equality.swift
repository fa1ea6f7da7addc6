import CausewayModel

/// States are equal when the same operations made them. Numbers do not count: they tell the order of arrival.
extension ListState: Hashable {
    package static func == (left: ListState, right: ListState) -> Bool {
        guard left.order.count == right.order.count, left.count == right.count else { return false }
        for (mine, other) in zip(left.order, right.order) {
            guard left.description(of: mine) == right.description(of: other) else { return false }
        }
        return true
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for number in order { hasher.combine(positions[Int(number)].id) }
    }

    /// A position in terms that do not depend on numbers.
    private struct Description: Equatable {
        var id: ElementID
        var parent: ElementID?
        var isLeft: Bool
        var home: ElementID
        var isRemoved: Bool
        var value: Value
        var valueStamp: Stamp
        var shown: ElementID
        var positionStamp: Stamp
    }

    private func description(of number: Int32) -> Description {
        let position = positions[Int(number)]
        let element = elements[Int(position.element)]
        return Description(
            id: position.id,
            parent: position.parent == .none ? nil : positions[Int(position.parent)].id,
            isLeft: position.isLeft,
            home: positions[Int(element.home)].id,
            isRemoved: element.isRemoved,
            value: element.value,
            valueStamp: element.valueStamp,
            shown: positions[Int(element.position)].id,
            positionStamp: element.positionStamp
        )
    }
}
