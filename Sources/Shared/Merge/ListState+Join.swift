package import CausewayModel
package import CausewayOperations

extension ListState {
    /// Joins one operation by the rules L1 to L11 and U1 to U5.
    ///
    /// - Complexity: O(1), apart from the pages of memory that a long list touches; O(log n) among n positions that
    ///   concurrent writers put at one place; a clear O(k) for k elements
    @discardableResult
    package mutating func join(_ operation: ListOperation, stamp: Stamp) -> Outcome {
        switch operation {
        case .insert(let id, let left, let right, let value):
            guard number(id) == nil else { return .noEffect }
            let element = Int32(elements.count)
            let home = addPosition(id, between: left, and: right, element: element)
            elements.append(
                Element(value: value, home: home, position: home, valueStamp: stamp, positionStamp: stamp))
            count += 1
            order.addVisible(1, of: home)
            return .applied
        case .delete(let id):
            guard let element = element(id) else { return .noEffect }
            return remove(element)
        case .move(let id, let position, let left, let right):
            guard let element = element(id), number(position) == nil else { return .noEffect }
            let number = addPosition(position, between: left, and: right, element: Int32(element))
            return place(element, at: number, stamp)
        case .set(let id, let value):
            guard let element = element(id), !elements[element].isRemoved, elements[element].valueStamp <= stamp
            else { return .noEffect }
            elements[element].value = value
            elements[element].valueStamp = stamp
            return .applied
        case .clear(let ids):
            var outcome = Outcome.noEffect
            for id in ids {
                if let element = element(id), remove(element) == .applied { outcome = .applied }
            }
            return outcome
        }
    }

    mutating func remove(_ element: Int) -> Outcome {
        guard !elements[element].isRemoved else { return .noEffect }
        let home = elements[element].home
        order.addVisible(-1, of: elements[element].position)
        elements[element] = Element(
            value: .null, isRemoved: true, home: home, position: home, valueStamp: .zero, positionStamp: .zero)
        count -= 1
        return .applied
    }

    /// The position register: the later by stamp, then by id.
    mutating func place(_ element: Int, at number: Int32, _ stamp: Stamp) -> Outcome {
        let current = elements[element]
        guard !current.isRemoved, isLater(stamp, number, than: current) else { return .noEffect }
        show(element, at: number, stamp)
        return .applied
    }

    mutating func show(_ element: Int, at number: Int32, _ stamp: Stamp) {
        order.addVisible(-1, of: elements[element].position)
        order.addVisible(1, of: number)
        elements[element].position = number
        elements[element].positionStamp = stamp
    }

    private func isLater(_ stamp: Stamp, _ number: Int32, than current: Element) -> Bool {
        if stamp != current.positionStamp { return current.positionStamp < stamp }
        return positions[Int(current.position)].id < positions[Int(number)].id
    }
}

// MARK: - The tree

extension ListState {
    mutating func addPosition(
        _ id: ElementID, between left: ElementID?, and right: ElementID?, element: Int32
    ) -> Int32 {
        // An unknown left origin counts as none (U2). An unknown right one is replaced by what follows the left one
        // (U3).
        let leftNumber = left.flatMap { number($0) } ?? .none
        var rightNumber = right.flatMap { number($0) } ?? .none
        if rightNumber == .none, right != nil {
            rightNumber = (leftNumber == .none ? order.first : order.number(behind: leftNumber)) ?? .none
        }
        if rightNumber != .none, descends(rightNumber, from: leftNumber) {
            return addPosition(id, below: rightNumber, isLeft: true, element: element)
        }
        return addPosition(id, below: leftNumber, isLeft: false, element: element)
    }

    /// Whether `right` is a right child of `left`, or a left child of a left child … of one.
    private func descends(_ right: Int32, from left: Int32) -> Bool {
        let top = positions[Int(positions[Int(right)].top)]
        return top.parent == left && !top.isLeft
    }

    /// Adds a position without children and puts it into the order.
    mutating func addPosition(_ id: ElementID, below parent: Int32, isLeft: Bool, element: Int32) -> Int32 {
        let number = Int32(positions.count)
        let (previous, next) = siblings(of: id, below: parent, isLeft: isLeft)
        var position = Position(id: id, parent: parent, isLeft: isLeft, element: element)
        position.next = next
        position.top = isLeft ? positions[Int(parent)].top : number
        positions.append(position)
        if !families.isEmpty {
            let positions = positions
            families[Family(parent: parent, isLeft: isLeft)]?
                .insert(number) { positions[Int($0)].id < positions[Int($1)].id }
        }
        if previous != .none {
            positions[Int(previous)].next = number
        } else if parent == .none {
            firstAtRoot = number
        } else if isLeft {
            positions[Int(parent)].firstLeft = number
        } else {
            positions[Int(parent)].firstRight = number
        }
        putInOrder(number, below: parent, isLeft: isLeft, previous: previous, next: next)
        lastAdded = number
        numbers?[id] = number
        return number
    }

    /// The children between which an id belongs.
    private mutating func siblings(of id: ElementID, below parent: Int32, isLeft: Bool) -> (
        previous: Int32, next: Int32
    ) {
        let family = Family(parent: parent, isLeft: isLeft)
        var previous = Int32.none
        var next = firstChild(of: parent, isLeft: isLeft)
        if families.isEmpty || families[family] == nil {
            var steps = 0
            while next != .none, positions[Int(next)].id < id, steps < Family.walkMax {
                previous = next
                next = positions[Int(next)].next
                steps += 1
            }
            if steps < Family.walkMax { return (previous, next) }
            gather(family)
        }
        let found = families[family]?.neighbours(of: .none) { precedes($0, $1, id) }
        return (found?.previous ?? .none, found?.next ?? .none)
    }

    /// By id; `none` stands for the position that is about to be added.
    private func precedes(_ left: Int32, _ right: Int32, _ added: ElementID) -> Bool {
        (left == .none ? added : positions[Int(left)].id) < (right == .none ? added : positions[Int(right)].id)
    }

    private mutating func gather(_ family: Family) {
        var siblings = SortedChunks<Int32>()
        var child = firstChild(of: family.parent, isLeft: family.isLeft)
        while child != .none {
            siblings.insert(child) { positions[Int($0)].id < positions[Int($1)].id }
            child = positions[Int(child)].next
        }
        families[family] = siblings
    }

    func firstChild(of parent: Int32, isLeft: Bool) -> Int32 {
        if parent == .none { return isLeft ? .none : firstAtRoot }
        return isLeft ? positions[Int(parent)].firstLeft : positions[Int(parent)].firstRight
    }

    /// A first right child stands right behind its parent, a last left child right before it; between siblings, a child
    /// stands before all that descends from the next one, and behind all that descends from the previous one.
    private mutating func putInOrder(
        _ number: Int32, below parent: Int32, isLeft: Bool, previous: Int32, next: Int32
    ) {
        let place: Place
        if previous != .none {
            place = next == .none && isLeft ? .before(parent) : boundary(previous, next)
        } else if isLeft {
            place = .before(next == .none ? parent : leftmost(next))
        } else {
            place = .behind(parent)
        }
        let (positions, elements) = (positions, elements)
        func isVisible(_ number: Int32) -> Bool { Self.isVisible(number, positions, elements) }
        switch place {
        case .before(let other): order.insert(number, before: other, where: isVisible)
        case .behind(.none): order.insertFirst(number, where: isVisible)
        case .behind(let other): order.insert(number, behind: other, where: isVisible)
        }
    }

    private enum Place {
        case before(Int32)
        case behind(Int32)
    }

    /// The place between the descendants of a child and those of the next one, found from whichever side is shorter.
    /// The position put there has no descendants, so nobody can cause the same long walk twice.
    private mutating func boundary(_ previous: Int32, _ next: Int32) -> Place {
        var (left, right) = (previous, next)
        while true {
            let child = lastRight(of: left)
            if child == .none { return .behind(left) }
            left = child
            guard right != .none else { continue }
            let first = positions[Int(right)].firstLeft
            if first == .none { return .before(right) }
            right = first
        }
    }

    /// The first in the order among a position and its descendants.
    private func leftmost(_ number: Int32) -> Int32 {
        var leftmost = number
        while case let child = positions[Int(leftmost)].firstLeft, child != .none { leftmost = child }
        return leftmost
    }

    private mutating func lastRight(of parent: Int32) -> Int32 {
        let family = Family(parent: parent, isLeft: false)
        if !families.isEmpty, let last = families[family]?.last { return last }
        var child = positions[Int(parent)].firstRight
        guard child != .none else { return .none }
        var steps = 0
        while case let next = positions[Int(child)].next, next != .none {
            child = next
            steps += 1
            if steps == Family.walkMax {
                gather(family)
                return families[family]?.last ?? .none
            }
        }
        return child
    }

    /// Invariant 1: whether the stored order is the order of the tree.
    package var isOrderOfTree: Bool { order.elementsEqual(orderOfTree()) }

    /// The order, computed from the tree alone.
    func orderOfTree() -> [Int32] {
        var result: [Int32] = []
        result.reserveCapacity(positions.count)
        // A step is a number to expand, or the complement of a number to append.
        var steps: [Int32] = []
        func push(_ first: Int32) {
            let start = steps.count
            var child = first
            while child != .none {
                steps.append(child)
                child = positions[Int(child)].next
            }
            steps[start...].reverse()
        }
        push(firstAtRoot)
        while let step = steps.popLast() {
            if step < 0 {
                result.append(~step)
                continue
            }
            push(positions[Int(step)].firstRight)
            steps.append(~step)
            push(positions[Int(step)].firstLeft)
        }
        return result
    }
}
