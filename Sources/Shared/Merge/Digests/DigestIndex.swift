import CausewayModel

/// The digests of the objects of one class on one end, by place: any range of them is summed up without walking it.
///
/// `Object` is what this end finds an object by. It is small: of millions each byte counts.
package struct DigestIndex<Object: Comparable & Sendable>: Sendable {
    package struct Entry: Sendable {
        package var place: UInt64
        package var object: Object
        package var digest: Digest

        package init(place: UInt64, _ object: Object, _ digest: Digest) {
            self.place = place
            self.object = object
            self.digest = digest
        }
    }

    private var objects: [(place: UInt64, object: Object)] = []
    /// Prefix sums: of the objects before each one, and at the end of all. An object's own digest is the difference of
    /// two.
    private var sums: [Digest] = [.zero]

    package init(reserving count: Int = 0) {
        objects.reserveCapacity(count)
        sums.reserveCapacity(count + 1)
    }

    /// - Complexity: O(n log n)
    package init(_ entries: consuming [Entry]) {
        self.init(reserving: entries.count)
        append(entries)
    }

    /// Appends entries whose places are not before any that is here.
    ///
    /// - Complexity: O(n log n) in their number
    package mutating func append(_ entries: consuming [Entry]) {
        entries.sort { $0.place == $1.place ? $0.object < $1.object : $0.place < $1.place }
        var sum = sums[sums.count - 1]
        for entry in entries {
            precondition(objects.last.map { $0.place <= entry.place } ?? true, "Digests are taken in by their places.")
            objects.append((entry.place, entry.object))
            sum = sum + entry.digest
            sums.append(sum)
        }
    }

    package var count: Int { objects.count }

    package func objects(in range: DigestRange) -> [(object: Object, digest: Digest)] {
        indices(of: range).map { (objects[$0].object, sums[$0 + 1] - sums[$0]) }
    }

    package func names(in range: DigestRange) -> [Object] {
        objects[indices(of: range)].map(\.object)
    }

    /// - Complexity: O(log n)
    package func digest(of range: DigestRange) -> RangeDigest {
        let indices = indices(of: range)
        return RangeDigest(count: UInt64(indices.count), sum: sums[indices.upperBound] - sums[indices.lowerBound])
    }

    private func indices(of range: DigestRange) -> Range<Int> {
        let places = range.places
        let start = objects.partitioningIndex { $0.place >= places.lowerBound }
        return start..<objects.partitioningIndex { $0.place > places.upperBound }
    }
}

extension DigestIndex<PrimaryKey> {
    package func report(on ask: DigestAsk) -> DigestReport {
        switch ask.detail {
        case .whole: .whole(digest(of: ask.range))
        case .parts: .parts(ask.range.parts.map { digest(of: $0) })
        case .objects: .objects(objects(in: ask.range).map { ObjectDigest($0.object, $0.digest) })
        }
    }
}
