import CausewayModel

/// The children of one position on one side, ascending, in chunks: whatever many writers put at one place, a child finds
/// its neighbours by bisection, and moves few of the others.
package struct Siblings<Child: Sendable>: Sendable {
    /// None is empty.
    private var chunks: [[Child]] = []

    private static var chunkMax: Int { 256 }

    package init() {}

    package var first: Child? { chunks.first?.first }
    package var last: Child? { chunks.last?.last }

    /// - Parameter precedes: a strict order of the children, the same each time.
    package mutating func insert(_ child: Child, where precedes: (Child, Child) -> Bool) {
        guard !chunks.isEmpty else { return chunks.append([child]) }
        let (chunk, index) = place(of: child, precedes)
        chunks[chunk].insert(child, at: index)
        guard chunks[chunk].count > Self.chunkMax else { return }
        // What grows at its end leaves full chunks behind.
        let isAtEnd = chunk == chunks.count - 1 && index == Self.chunkMax
        let cut = isAtEnd ? Self.chunkMax : Self.chunkMax / 2
        chunks.insert(Array(chunks[chunk][cut...]), at: chunk + 1)
        chunks[chunk].removeSubrange(cut...)
    }

    /// The children between which one belongs that is not among them.
    package func neighbours(
        of child: Child, where precedes: (Child, Child) -> Bool
    ) -> (previous: Child?, next: Child?) {
        guard !chunks.isEmpty else { return (nil, nil) }
        let (chunk, index) = place(of: child, precedes)
        let previous = index > 0 ? chunks[chunk][index - 1] : nil
        let next =
            index < chunks[chunk].count ? chunks[chunk][index] : chunk + 1 < chunks.count ? chunks[chunk + 1][0] : nil
        return (previous, next)
    }

    /// Behind all that precede it: at the beginning of a chunk only where nothing does.
    private func place(of child: Child, _ precedes: (Child, Child) -> Bool) -> (chunk: Int, index: Int) {
        let chunk = max(chunks.partitioningIndex { !precedes($0[0], child) } - 1, 0)
        return (chunk, chunks[chunk].partitioningIndex { !precedes($0, child) })
    }
}
