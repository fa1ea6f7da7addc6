import CausewayModel
package import CausewayOperations

// Forgetting positions that show nothing any more: RULES.md, section 12.
//
// The tree orders positions by their parents, so a parent cannot simply be removed: text typed in sequence is one chain
// of parents. Instead, the positions that were there at the mark are rebuilt as one chain of right children, in the
// order of the list. Whoever writes from now on has seen all of them. Everybody's next insert between two neighbours of
// the chain becomes a left child of the second one. Such siblings are ordered by id, as usual.

extension ListState {
    /// Whether positions that show nothing outnumber the others by more than four. Then forgetting them is worth
    /// sending the list whole.
    package var isWorthForgetting: Bool { order.count > 2 * count + Self.removedKept }

    private static var removedKept: Int { 4 }

    /// What a mark keeps of a list: its tree, without the values.
    package var places: ListState {
        var places = self
        for element in places.elements.indices {
            places.elements[element].value = .null
            places.elements[element].valueStamp = .zero
            places.elements[element].positionStamp = .zero
        }
        return places
    }

    /// Forgets positions that showed nothing in an earlier state of the list and show nothing now.
    ///
    /// What everybody sees stays as it is. Nothing is forgotten if runs written since the mark could not keep their
    /// order; once they are part of a later mark, they can.
    ///
    /// - Returns: Whether anything was forgotten.
    /// - Complexity: O(n + m)
    package mutating func forget(_ mark: ListState) -> Bool {
        guard let plan = ForgettingPlan(self, mark) else { return false }
        self = plan.rebuilt(self)
        return true
    }

    /// F8: an insert or move of a writer who does not know all positions, with its origins replaced by two neighbours
    /// here. Nil for other operations.
    package mutating func placedByWhatIsKnown(_ operation: ListOperation) -> ListOperation? {
        switch operation {
        case .insert(let id, let left, let right, let value):
            let (left, right) = knownNeighbours(left, right)
            return .insert(id, left: left, right: right, value: value)
        case .move(let id, let position, let left, let right):
            let (left, right) = knownNeighbours(left, right)
            return .move(id, position: position, left: left, right: right)
        case .delete, .set, .clear: return nil
        }
    }

    /// Directly behind the left origin; if that is forgotten, directly before the right one. Without a right one: the
    /// end. If both are forgotten: the beginning.
    private mutating func knownNeighbours(
        _ left: ElementID?, _ right: ElementID?
    ) -> (left: ElementID?, right: ElementID?) {
        let leftNumber = left.flatMap { number($0) }
        if left != nil, leftNumber == nil {
            guard let right else { return (order.last.map { positions[Int($0)].id }, nil) }
            if let known = number(right) { return (order.number(before: known).map { positions[Int($0)].id }, right) }
        }
        let next = leftNumber.map { order.number(behind: $0) } ?? order.first
        return (leftNumber == nil ? nil : left, next.map { positions[Int($0)].id })
    }

    /// Whether a position shows nothing and names no element that is still there.
    fileprivate func isGone(_ number: Int32) -> Bool {
        let element = elements[Int(positions[Int(number)].element)]
        return element.isRemoved || element.position != number && element.home != number
    }
}

/// Which positions stay, and where the positions newer than the mark are attached.
private struct ForgettingPlan {
    /// The positions of the mark that stay, in the order of the list.
    private var chain: [Int32] = []
    /// The positions newer than the mark, in the order of the list.
    private var newer: [Int32] = []
    /// For each newer position with an older parent: the index in `chain` of the position that it stands before.
    private var follower: [Int32: Int] = [:]

    /// Nil where nothing can be forgotten.
    init?(_ list: ListState, _ mark: ListState) {
        var gone: [ElementID: Bool] = [:]
        gone.reserveCapacity(mark.order.count)
        for number in mark.order { gone[mark.positions[Int(number)].id] = mark.isGone(number) }
        let isOlder = list.positions.map { gone[$0.id] != nil }
        var goes = list.positions.indices.map { number in
            gone[list.positions[number].id] == true && list.isGone(Int32(number))
        }
        // An element is named by its home.
        for number in list.positions.indices where !goes[number] {
            goes[Int(list.elements[Int(list.positions[number].element)].home)] = false
        }
        guard goes.contains(true) else { return nil }
        guard arrange(list, isOlder, &goes), goes.contains(true) else { return nil }
    }

    /// Newer positions between two of the chain become siblings, so their ids must ascend. Where they do not, a
    /// position that could go stays between them; false if there is none.
    private mutating func arrange(_ list: ListState, _ isOlder: [Bool], _ goes: inout [Bool]) -> Bool {
        var last: ElementID?
        var divider: Int32?
        for number in list.order {
            let position = list.positions[Int(number)]
            if isOlder[Int(number)] {
                if !goes[Int(number)] {
                    chain.append(number)
                    (last, divider) = (nil, nil)
                } else if list.elements[Int(position.element)].home == number {
                    divider = number
                }
                continue
            }
            newer.append(number)
            guard position.parent == .none || isOlder[Int(position.parent)] else { continue }
            if let previous = last, position.id < previous {
                guard let kept = divider else { return false }
                chain.append(kept)
                goes[Int(kept)] = false
            }
            (last, divider) = (position.id, nil)
            follower[number] = chain.count
        }
        return true
    }

    func rebuilt(_ list: ListState) -> ListState {
        var result = ListState()
        var numbers = [Int32](repeating: .none, count: list.positions.count)
        var previous = Int32.none
        for number in chain {
            previous = result.addPosition(list.positions[Int(number)].id, below: previous, isLeft: false, element: 0)
            numbers[Int(number)] = previous
        }
        for number in newer { add(number, of: list, to: &result, &numbers) }
        for (number, position) in list.positions.enumerated() {
            let element = list.elements[Int(position.element)]
            guard element.home == number, numbers[number] != .none else { continue }
            var kept = element
            kept.home = numbers[number]
            kept.position = numbers[Int(element.position)]
            result.positions[Int(kept.home)].element = Int32(result.elements.count)
            result.elements.append(kept)
        }
        for (number, position) in list.positions.enumerated() where numbers[number] != .none {
            let home = numbers[Int(list.elements[Int(position.element)].home)]
            result.positions[Int(numbers[number])].element = result.positions[Int(home)].element
        }
        result.count = list.count
        result.countVisible()
        return result
    }

    /// Adds a newer position, after those of its ancestors that are missing.
    private func add(_ number: Int32, of list: ListState, to result: inout ListState, _ numbers: inout [Int32]) {
        var path: [Int32] = []
        var climbing = number
        while numbers[Int(climbing)] == .none {
            path.append(climbing)
            if follower[climbing] != nil { break }
            climbing = list.positions[Int(climbing)].parent
        }
        for step in path.reversed() {
            let position = list.positions[Int(step)]
            var parent = Int32.none
            var isLeft = position.isLeft
            if let place = follower[step] {
                isLeft = place < chain.count
                if isLeft {
                    parent = numbers[Int(chain[place])]
                } else if let last = chain.last {
                    parent = numbers[Int(last)]
                }
            } else {
                parent = numbers[Int(position.parent)]
            }
            numbers[Int(step)] = result.addPosition(position.id, below: parent, isLeft: isLeft, element: 0)
        }
    }
}
