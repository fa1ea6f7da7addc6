import CausewayModel

/// Elements in ascending order, in chunks: a place is found by bisection, and an insert moves few elements.
///
/// The caller supplies the order, the same each time. No two elements are equal in it.
package struct SortedChunks<Element: Sendable>: Sendable {
    /// None is empty.
    private var chunks: [[Element]] = []
    package private(set) var count = 0

    private static var chunkMax: Int { 256 }

    package init() {}

    /// - Precondition: the elements ascend.
    /// - Complexity: O(n)
    package init(ascending elements: [Element]) {
        count = elements.count
        chunks =
            count <= Self.chunkMax
            ? (elements.isEmpty ? [] : [elements])
            : stride(from: 0, to: count, by: Self.chunkMax).map {
                Array(elements[$0..<Swift.min($0 + Self.chunkMax, elements.count)])
            }
    }

    package var isEmpty: Bool { count == 0 }
    package var first: Element? { chunks.first?.first }
    package var last: Element? { chunks.last?.last }
}

// MARK: - Places

extension SortedChunks {
    /// The place of an element, or the place behind the last one.
    package struct Place {
        fileprivate var chunk: Int
        fileprivate var index: Int
    }

    /// The place of the first element for which `precedes` is false: where an element belongs that all before it
    /// precede.
    ///
    /// - Complexity: O(log n); O(1) behind the last one
    package func place(behindAllThat precedes: (Element) -> Bool) -> Place {
        guard let last, !precedes(last) else {
            return Place(chunk: Swift.max(chunks.count - 1, 0), index: chunks.last?.count ?? 0)
        }
        let chunk = chunks.partitioningIndex { chunk in !precedes(chunk[chunk.count - 1]) }
        return Place(chunk: chunk, index: chunks[chunk].partitioningIndex { !precedes($0) })
    }

    /// Nil behind the last one.
    package subscript(place: Place) -> Element? {
        chunks.isEmpty || place.index == chunks[place.chunk].count ? nil : chunks[place.chunk][place.index]
    }

    /// - Precondition: the element has the same place in the order as the one that it replaces.
    package mutating func replace(at place: Place, with element: Element) {
        chunks[place.chunk][place.index] = element
    }

    /// - Precondition: the element precedes the one at the place and follows the one before.
    package mutating func insert(_ element: Element, at place: Place) {
        count += 1
        guard !chunks.isEmpty else { return chunks.append([element]) }
        let (chunk, index) = (place.chunk, place.index)
        chunks[chunk].insert(element, at: index)
        guard chunks[chunk].count > Self.chunkMax else { return }
        // A collection that grows at its end leaves full chunks behind.
        let isAtEnd = chunk == chunks.count - 1 && index == Self.chunkMax
        let cut = isAtEnd ? Self.chunkMax : Self.chunkMax / 2
        chunks.insert(Array(chunks[chunk][cut...]), at: chunk + 1)
        chunks[chunk].removeSubrange(cut...)
    }
}

// MARK: - By the order itself

extension SortedChunks {
    package mutating func insert(_ element: Element, where precedes: (Element, Element) -> Bool) {
        insert(element, at: place { precedes($0, element) })
    }

    /// The elements between which another element belongs.
    package func neighbours(
        of element: Element, where precedes: (Element, Element) -> Bool
    ) -> (previous: Element?, next: Element?) {
        guard !isEmpty else { return (nil, nil) }
        let place = place { precedes($0, element) }
        let previous = place.index > 0 ? chunks[place.chunk][place.index - 1] : chunks[..<place.chunk].last?.last
        return (previous, self[place])
    }
}

// MARK: - All of them

extension SortedChunks: Sequence {
    package func makeIterator() -> FlattenSequence<[[Element]]>.Iterator { chunks.joined().makeIterator() }

    package var underestimatedCount: Int { count }
}

extension SortedChunks: Equatable where Element: Equatable {
    /// Compares the elements, however they are divided into chunks.
    package static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.elementsEqual(right)
    }
}

extension SortedChunks: Hashable where Element: Hashable {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { hasher.combine(element) }
    }
}
