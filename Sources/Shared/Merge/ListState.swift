package import CausewayModel

/// What the server knows of one list: a tree of positions in Fugue order, and the elements that stand at them.
///
/// `RULES.md`, section 3, says what the parts mean. Invariants:
/// 1. `order` holds the number of every position once, in the order of the list.
/// 2. Children are linked by ascending id; a position's parent was added before it or decoded with it.
/// 3. The home of an element is the position that its insert made: they share one id.
/// 4. A family in `families` holds all children of its parent on its side.
/// 5. A removed element has no value, and its registers stand as if nobody had ever moved or set it. So two states that
///    saw the same operations are equal whatever the order was.
package struct ListState: Sendable {
    /// By number. Numbers follow the order of arrival here, which has no meaning.
    var positions = Segments<Position>()
    var elements = Segments<Element>()
    /// The numbers of all positions, removed and abandoned ones included, in the order of the list.
    var order = PositionOrder()
    /// The root's children, all of them on its right side.
    var firstAtRoot: Int32 = .none
    /// Families with too many children to walk, added when a walk first gets too long.
    var families: [Family: SortedChunks<Int32>] = [:]
    /// The number of elements that are not removed.
    package internal(set) var count = 0

    /// Numbers by id, built once searches have become frequent.
    var numbers: PositionNumbers?
    /// How often an id was searched for without `numbers`.
    var searches = 0
    /// The position added last: the next one is likely to be beside it.
    var lastAdded: Int32 = .none

    package init() {}

    struct Position: Sendable {
        var id: ElementID
        /// `none` for the root.
        var parent: Int32
        var isLeft: Bool
        var element: Int32
        var firstLeft: Int32 = .none
        var firstRight: Int32 = .none
        /// The next child of the same parent on the same side.
        var next: Int32 = .none
        /// The end of a climb from left children to their parents; for any other position, itself.
        var top: Int32 = .none
    }

    /// The children of a position on one of its sides.
    struct Family: Hashable, Sendable {
        var parent: Int32
        var isLeft: Bool

        /// The most children that are walked one by one.
        static let walkMax = 32
    }

    /// In this order of properties it takes 64 bytes.
    struct Element: Sendable {
        var value: Value
        var isRemoved = false
        var home: Int32
        /// Where it shows.
        var position: Int32
        var valueStamp: Stamp
        var positionStamp: Stamp
    }
}

extension Int32 {
    /// No position, no element; as a parent: the root.
    static var none: Int32 { -1 }
}

// MARK: - What everybody sees

extension ListState {
    package var isEmpty: Bool { count == 0 }
    /// All positions, those of removed elements and abandoned ones included.
    package var positionCount: Int { order.count }

    /// The elements in order, without the removed ones.
    ///
    /// - Complexity: O(n)
    package var visible: [(id: ElementID, value: Value)] {
        var result: [(id: ElementID, value: Value)] = []
        result.reserveCapacity(count)
        for number in order where isVisible(number) {
            let element = elements[Int(positions[Int(number)].element)]
            result.append((id: positions[Int(element.home)].id, value: element.value))
        }
        return result
    }

    package var values: [Value] {
        var result: [Value] = []
        result.reserveCapacity(count)
        for number in order where isVisible(number) {
            result.append(elements[Int(positions[Int(number)].element)].value)
        }
        return result
    }

    package var latestStamp: Stamp {
        var latest = Stamp.zero
        for element in elements { latest = max(latest, element.valueStamp, element.positionStamp) }
        return latest
    }

    func isVisible(_ number: Int32) -> Bool { Self.isVisible(number, positions, elements) }

    static func isVisible(_ number: Int32, _ positions: Segments<Position>, _ elements: Segments<Element>) -> Bool {
        let element = Int(positions[Int(number)].element)
        return elements[element].position == number && !elements[element].isRemoved
    }
}

extension ListState {
    /// Recounts the visible positions, after changes to several elements.
    mutating func countVisible() {
        let (positions, elements) = (positions, elements)
        order.countVisible { Self.isVisible($0, positions, elements) }
    }
}

// MARK: - Finding

extension ListState {
    /// The number of the position with this id.
    mutating func number(_ id: ElementID) -> Int32? {
        if numbers != nil { return numbers?[id] }
        // Operations mostly name neighbours: try those before a search.
        if lastAdded != .none {
            if positions[Int(lastAdded)].id == id { return lastAdded }
            if let next = order.number(behind: lastAdded), positions[Int(next)].id == id { return next }
        }
        if let last = order.last, positions[Int(last)].id == id { return last }
        searches += 1
        if searches <= 4 || positions.count < 16 {
            return positions.firstIndex { $0.id == id }.map { Int32($0) }
        }
        numbers = PositionNumbers(positions.map(\.id))
        return numbers?[id]
    }

    /// The number of the element that this id names.
    mutating func element(_ id: ElementID) -> Int? {
        guard let number = number(id) else { return nil }
        let element = positions[Int(number)].element
        return elements[Int(element)].home == number ? Int(element) : nil
    }
}
