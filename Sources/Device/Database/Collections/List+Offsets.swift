public import Foundation

// Several elements at once, by the index sets that UI lists use.

extension List {
    /// Removes the elements at these positions.
    ///
    /// ```swift
    /// try realm.write { person.dogs.remove(atOffsets: [0, 2]) }
    /// ```
    ///
    /// - Complexity: O(k log n) for k positions.
    public func remove(atOffsets offsets: IndexSet) {
        for position in offsets.reversed() { remove(at: position) }
    }

    /// Moves the elements at these positions, in their order, before the element that is now at the destination.
    ///
    /// ```swift
    /// try realm.write { person.dogs.move(fromOffsets: [0, 3], toOffset: 2) }    // a b c d e → b a d c e
    /// ```
    ///
    /// The destination may be `count`. A position out of bounds stops the program.
    ///
    /// - Complexity: O(k log n) for k positions.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        checkBounds(destination, count + 1)
        // Elements before the destination move last to first, so that the positions of those not yet moved stay valid.
        var target = destination - 1
        for position in offsets.filter({ $0 < destination }).reversed() {
            move(from: position, to: target)
            target -= 1
        }
        target = destination
        for position in offsets.filter({ $0 >= destination }) {
            move(from: position, to: target)
            target += 1
        }
    }

    /// Removes the elements that satisfy a condition.
    ///
    /// ```swift
    /// try realm.write { person.scores.removeAll { $0 < 10 } }
    /// ```
    ///
    /// If the condition throws, nothing is removed.
    public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        let positions = try indices.filter { try shouldBeRemoved(self[$0]) }
        for position in positions.reversed() { remove(at: position) }
    }
}
