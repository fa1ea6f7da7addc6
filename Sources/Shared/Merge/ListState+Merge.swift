import CausewayModel
import CausewayOperations

extension ListState {
    /// Becomes the state that has seen the operations of both: idempotent, commutative and associative.
    ///
    /// - Complexity: O(n + m)
    package mutating func merge(_ other: ListState) {
        if other.positions.isEmpty { return }
        if positions.isEmpty {
            self = other
            return
        }
        var mapped = [Int32](repeating: .none, count: other.positions.count)
        var isNew = [Bool](repeating: false, count: other.positions.count)
        for number in other.order {
            add(number, of: other, &mapped, &isNew)
        }
        for element in other.elements {
            merge(element, of: other, mapped, isNew)
        }
        // A new position of an element that was not taken over can only come from ids used twice; it shows nothing.
        for (number, element) in other.positions.map(\.element).enumerated() where isNew[number] {
            let home = mapped[Int(other.elements[Int(element)].home)]
            positions[Int(mapped[number])].element = positions[Int(home)].element
        }
        countVisible()
    }

    /// Adds a position with all its ancestors that are not here yet.
    private mutating func add(_ number: Int32, of other: ListState, _ mapped: inout [Int32], _ isNew: inout [Bool]) {
        var path: [Int32] = []
        var climbing = number
        while climbing != .none, mapped[Int(climbing)] == .none {
            if let here = self.number(other.positions[Int(climbing)].id) {
                mapped[Int(climbing)] = here
                break
            }
            path.append(climbing)
            climbing = other.positions[Int(climbing)].parent
        }
        for step in path.reversed() {
            let position = other.positions[Int(step)]
            let parent = position.parent == .none ? .none : mapped[Int(position.parent)]
            // The element is set once all positions are here; until then any will do.
            mapped[Int(step)] = addPosition(position.id, below: parent, isLeft: position.isLeft, element: 0)
            isNew[Int(step)] = true
        }
    }

    private mutating func merge(_ theirs: Element, of other: ListState, _ mapped: [Int32], _ isNew: [Bool]) {
        let home = mapped[Int(theirs.home)]
        let position = mapped[Int(theirs.position)]
        if isNew[Int(theirs.home)] {
            let number = Int32(elements.count)
            positions[Int(home)].element = number
            var element = theirs
            element.home = home
            // A position that another element has here already can only come from ids used twice.
            element.position = isNew[Int(theirs.position)] ? position : home
            elements.append(element)
            if !element.isRemoved { count += 1 }
            return
        }
        let ours = positions[Int(home)].element
        guard elements[Int(ours)].home == home else { return }
        if theirs.isRemoved {
            _ = remove(Int(ours))
            return
        }
        if isNew[Int(theirs.position)] || positions[Int(position)].element == ours {
            _ = place(Int(ours), at: position, theirs.positionStamp)
        }
        let current = elements[Int(ours)]
        if !current.isRemoved, isStronger(theirs, than: current) {
            elements[Int(ours)].value = theirs.value
            elements[Int(ours)].valueStamp = theirs.valueStamp
        }
    }

    /// Equal stamps with different values come from two moments of one changeset: any rule will do that both sides
    /// follow.
    private func isStronger(_ theirs: Element, than ours: Element) -> Bool {
        if theirs.valueStamp != ours.valueStamp { return ours.valueStamp < theirs.valueStamp }
        return theirs.value.isWrittenAfter(ours.value)
    }
}

extension Value {
    /// Decides between two values where no stamp does: true if this one has the greater bytes.
    func isWrittenAfter(_ other: Value) -> Bool {
        self != other && other.written.lexicographicallyPrecedes(written)
    }

    private var written: [UInt8] {
        var writer = ByteWriter()
        writer.write(self)
        return writer.bytes
    }
}
