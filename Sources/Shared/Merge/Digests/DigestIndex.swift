/// The digests of the objects of one class on one end, by place: any range of them is summed up without walking it.
package struct DigestIndex: Sendable {
    package struct Entry: Hashable, Sendable {
        package var place: UInt64
        package var object: ObjectDigest

        package init(place: UInt64, _ object: ObjectDigest) {
            self.place = place
            self.object = object
        }
    }

    private let entries: [Entry]
    /// Of the entries before each, and at the end of all.
    private let sums: [Digest]

    package static let empty = DigestIndex([])

    /// - Complexity: O(n log n)
    package init(_ entries: consuming [Entry]) {
        // In place: a view of millions is in memory once.
        entries.sort { $0.place == $1.place ? $0.object.key < $1.object.key : $0.place < $1.place }
        self.entries = entries
        var sums: [Digest] = [.zero]
        sums.reserveCapacity(self.entries.count + 1)
        var sum = Digest.zero
        for entry in self.entries {
            sum = sum + entry.object.digest
            sums.append(sum)
        }
        self.sums = sums
    }

    package var count: Int { entries.count }

    package func objects(in range: DigestRange) -> [ObjectDigest] {
        entries[indices(of: range)].map(\.object)
    }

    /// - Complexity: O(log n)
    package func digest(of range: DigestRange) -> RangeDigest {
        let indices = indices(of: range)
        return RangeDigest(count: UInt64(indices.count), sum: sums[indices.upperBound] - sums[indices.lowerBound])
    }

    package func report(on ask: DigestAsk) -> DigestReport {
        switch ask.detail {
        case .whole: .whole(digest(of: ask.range))
        case .parts: .parts(ask.range.parts.map { digest(of: $0) })
        case .objects: .objects(objects(in: ask.range))
        }
    }

    private func indices(of range: DigestRange) -> Range<Int> {
        let places = range.places
        let start = firstIndex { $0 >= places.lowerBound }
        return start..<firstIndex { $0 > places.upperBound }
    }

    private func firstIndex(where holds: (UInt64) -> Bool) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(entries[middle].place) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
