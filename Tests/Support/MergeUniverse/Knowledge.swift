/// Which of the others' changesets each of three writers had seen before it wrote each of its two.
///
/// Changesets are numbered by writer and turn: 0 and 1 are the first writer's, 2 and 3 the second's, 4 and 5 the third's.
package struct Knowledge: Sendable {
    package static let writers = 3
    package static let turns = 2
    package static let changesets = writers * turns

    package let name: String
    /// Per changeset and writer, how many of the writer's changesets were seen before it; one's own are among them.
    package let seen: [[Int]]

    private init(_ name: String, _ heard: [Int: [Int]]) {
        self.name = name
        seen = (0..<Self.changesets).map { changeset in
            let (writer, turn) = (changeset / Self.turns, changeset % Self.turns)
            // What was known at the first turn is known at the second.
            let earlier = heard[writer * Self.turns] ?? [0, 0, 0]
            var counts = heard[changeset] ?? [0, 0, 0]
            if turn > 0 { counts = zip(counts, earlier).map { max($0, $1) } }
            counts[writer] = turn
            return counts
        }
        precondition(isTransitive, "\(name): somebody knows a changeset without what its writer knew.")
    }

    /// Enough to put every pair of turns before, after and beside each other, with a third beside both of them.
    package static let all: [Knowledge] = [
        Knowledge("nobody has heard of anybody", [:]),
        Knowledge("all hear of the first turns before their second", [1: [1, 1, 1], 3: [1, 1, 1], 5: [1, 1, 1]]),
        Knowledge("the first two hear of each other's first turns", [1: [1, 1, 0], 3: [1, 1, 0]]),
        Knowledge("the third begins when the first is done", [4: [2, 0, 0]]),
        Knowledge("the second begins behind the first, and the third behind both", [2: [1, 0, 0], 4: [1, 1, 0]]),
        Knowledge("the third ends when both others are done", [5: [2, 2, 0]]),
    ]

    private var isTransitive: Bool {
        (0..<Self.changesets).allSatisfy { changeset in
            (0..<Self.changesets).allSatisfy { other in
                !knows(changeset, of: other) || zip(seen[changeset], seen[other]).allSatisfy { $0 >= $1 }
            }
        }
    }

    package func knows(_ changeset: Int, of other: Int) -> Bool {
        seen[changeset][other / Self.turns] > other % Self.turns
    }
}

/// Whose clock says what.
package enum Clocks: String, CaseIterable, Sendable {
    /// All begin at the same time, so ties are broken by client, in the order of ids.
    case level
    /// The first writer's is ahead of all others, so what has the smallest ids has the latest stamps.
    case firstAhead = "the first one's is ahead"
}
