package import CausewayModel
package import CausewayOperations

// A device follows the server: it repeats what the server's operations did, in the server's order. It does not join
// them, because it does not have the stamps by which the server decided.

extension ListState {
    /// What a step does to the visible elements, by index.
    package enum IndexEdit: Hashable, Sendable {
        case insert(Int, Value)
        case remove(Int)
        case set(Int, Value)
        /// The second index is the one afterwards.
        case move(Int, Int)
    }

    /// Does what the server did. Elements that are inserted and removed again never show.
    ///
    /// - Returns: the steps by which the visible elements change; nil if an operation names what is not here. Then the
    ///   state is of no use any more.
    /// - Complexity: O(k · n / 512) for k operations, and O(n) once to find positions by id
    package mutating func follow(_ edits: [StampedEdit<ListOperation>]) -> [IndexEdit]? {
        let removed = edits.removed
        var steps: [IndexEdit] = []
        steps.reserveCapacity(edits.count)
        for edit in edits {
            guard follow(edit.edit, edit.stamp, removed, &steps) else { return nil }
        }
        return steps
    }

    private mutating func follow(
        _ operation: ListOperation, _ stamp: Stamp, _ removed: Set<ElementID>, _ steps: inout [IndexEdit]
    ) -> Bool {
        guard knowsWhatIsNamed(by: operation) else { return false }
        switch operation {
        case .insert(let id, _, _, let value):
            guard join(operation, stamp: stamp) == .applied, let element = element(id) else { return true }
            if removed.contains(id) {
                _ = remove(element)
            } else {
                steps.append(.insert(index(of: element), value))
            }
        case .delete(let id):
            removeVisibly(id, &steps)
        case .clear(let ids):
            for id in ids { removeVisibly(id, &steps) }
        case .set(let id, let value):
            guard let element = element(id), !elements[element].isRemoved else { return true }
            if elements[element].value != value { steps.append(.set(index(of: element), value)) }
            elements[element].value = value
            elements[element].valueStamp = stamp
        case .move(let id, let position, let left, let right):
            guard let element = element(id) else { return false }
            let known = number(position)
            if let known, positions[Int(known)].element != Int32(element) { return false }
            let target = known ?? addPosition(position, between: left, and: right, element: Int32(element))
            guard !elements[element].isRemoved else { return true }
            let before = index(of: element)
            show(element, at: target, stamp)
            let after = index(of: element)
            if before != after { steps.append(.move(before, after)) }
        }
        return true
    }

    private mutating func removeVisibly(_ id: ElementID, _ steps: inout [IndexEdit]) {
        guard let element = element(id), !elements[element].isRemoved else { return }
        steps.append(.remove(index(of: element)))
        _ = remove(element)
    }

    /// The index of a visible element.
    private func index(of element: Int) -> Int {
        order.visibleCount(before: elements[element].position, where: isVisible)
    }

    /// Whether all elements and positions that an operation builds on are here. If not, what it does depends on the
    /// order of arrival.
    package mutating func knowsWhatIsNamed(by operation: ListOperation) -> Bool {
        switch operation {
        case .insert(let id, let left, let right, _): knows(left) && knows(right) || number(id) != nil
        case .move(let id, let position, let left, let right):
            element(id) != nil && (knows(left) && knows(right) || number(position) != nil)
        case .delete(let id), .set(let id, _): element(id) != nil
        case .clear(let ids): ids.allSatisfy { element($0) != nil }
        }
    }

    private mutating func knows(_ origin: ElementID?) -> Bool {
        guard let origin else { return true }
        return number(origin) != nil
    }

    /// Those elements of a clear that are known, removed ones included.
    package mutating func known(_ ids: [ElementID]) -> [ElementID] { ids.filter { element($0) != nil } }
}

extension [StampedEdit<ListOperation>] {
    /// The elements that the operations remove.
    var removed: Set<ElementID> {
        var removed: Set<ElementID> = []
        for edit in self {
            switch edit.edit {
            case .delete(let id): removed.insert(id)
            case .clear(let ids): removed.formUnion(ids)
            case .insert, .set, .move: break
            }
        }
        return removed
    }
}
