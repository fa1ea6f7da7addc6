package import CausewayModel
package import CausewayOperations

// MARK: - Local edits, by visible index, as operations

extension ListState {
    /// - Precondition: `index` is in `0...count`.
    package func insertion(of value: Value, at index: Int, id: ElementID) -> ListOperation {
        precondition(index >= 0 && index <= count, "A list of \(count) elements takes no insertion at \(index).")
        let (left, right) = neighbours(behind: index - 1)
        return .insert(id, left: left, right: right, value: value)
    }

    /// - Precondition: `index` is in `0..<count`.
    package func removal(at index: Int) -> ListOperation {
        .delete(id(at: index))
    }

    /// - Parameter to: the element's index afterwards.
    /// - Precondition: both are in `0..<count`.
    package func movement(from: Int, to: Int, id position: ElementID) -> ListOperation {
        precondition(to >= 0 && to < count, "A list of \(count) elements has no place \(to).")
        // When an element moves towards the end, those behind it first close its gap.
        let (left, right) = neighbours(behind: to > from ? to : to - 1)
        return .move(id(at: from), position: position, left: left, right: right)
    }

    /// - Precondition: `index` is in `0..<count`.
    package func replacement(at index: Int, with value: Value) -> ListOperation {
        .set(id(at: index), value: value)
    }

    /// A clear that names every visible element.
    package func clearing() -> ListOperation {
        .clear(visible.map(\.id))
    }
}

extension ListState {
    private func id(at index: Int) -> ElementID {
        let element = elements[Int(positions[Int(number(at: index))].element)]
        return positions[Int(element.home)].id
    }

    /// The origins of an insert directly behind a visible element; -1: at the beginning.
    private func neighbours(behind index: Int) -> (left: ElementID?, right: ElementID?) {
        guard index >= 0 else { return (nil, order.first.map { positions[Int($0)].id }) }
        let number = number(at: index)
        return (positions[Int(number)].id, order.number(behind: number).map { positions[Int($0)].id })
    }

    /// The position of the visible element with this index.
    private func number(at index: Int) -> Int32 {
        precondition(index >= 0 && index < count, "A list of \(count) elements has no element \(index).")
        guard let number = order.visible(at: index, where: isVisible) else {
            preconditionFailure("A list counts more visible elements than it has.")
        }
        return number
    }
}
