import CausewayModel

/// A write's changes to backlinks, or the links that it appends to lists, in the order made. They wait until backlinks, or
/// any list, are read, or the write commits.
///
/// Links come in an order in which their other ends lie anywhere. An append to one array is cheap, where finding the
/// target's changes or the list among all others would miss the cache several times a link. One sort brings together
/// what belongs together.
final class PendingLinks {
    struct Link {
        /// The object at which links are gathered: the target of backlinks, the owner of a list.
        var place: Int64
        /// The origin's column: its number in the catalog for backlinks, its index in the table for lists.
        var column: UInt32
        var kind: PendingChanges.Kind
        /// The object at the other end.
        var key: Int64
    }

    // Nothing here calls out while it changes these, so accesses never overlap.
    @exclusivity(unchecked) private(set) var links: [Link] = []

    var isEmpty: Bool { links.isEmpty }
    var isFull: Bool { links.count >= PendingChanges.limit }

    func append(_ place: Int64, _ column: UInt32, _ key: Int64, _ kind: PendingChanges.Kind) {
        links.append(Link(place: place, column: column, kind: kind, key: key))
    }

    func removeAll() {
        if !links.isEmpty { links = [] }
    }

    /// Moves all links to `pending`, which can be asked for one prefix.
    func move(to pending: PendingChanges, _ buffer: KeyBuffer) {
        let moving = links
        links = []
        for link in moving {
            buffer.set(target: link.place, column: link.column)
            pending.append(buffer.bytes, link.key, link.kind)
        }
    }

    /// Takes out the net changes of every target and column, ascending by prefix.
    func takeAll(_ buffer: KeyBuffer) -> ChunkBatch {
        var batch = ChunkBatch()
        batch.reserve(changes: links.count)
        var before: Int64?
        var isAscending = true
        takeAll { link, isLast in
            isAscending = isAscending && (before.map { $0 < link.key } ?? true)
            before = link.key
            batch.append(.init(link.key, link.kind))
            guard isLast else { return }
            buffer.set(target: link.place, column: link.column)
            batch.end(buffer.bytes, isAscending: isAscending)
            before = nil
            isAscending = true
        }
        return batch
    }

    /// Takes out all links: by place, then by column, then in the order made. `isLast` is true for the last one of a
    /// place and column.
    @inline(__always)
    func takeAll(_ body: (_ link: Link, _ isLast: Bool) -> Void) {
        let taken = links
        links = []
        // Waiting links may be read one by one.
        if taken.count == 1 { return body(taken[0], true) }
        let order = Self.order(taken)
        taken.withUnsafeBufferPointer { links in
            for (index, entry) in order.enumerated() {
                let link = links[RadixSort.position(entry)]
                var isLast = true
                if index + 1 < order.count {
                    let next = links[RadixSort.position(order[index + 1])]
                    isLast = next.place != link.place || next.column != link.column
                }
                body(link, isLast)
            }
        }
    }

    /// The order by place, then column, then as made.
    private static func order(_ links: [Link]) -> [RadixSort.Entry] {
        var least = (place: Int64.max, column: UInt32.max)
        var greatest = (place: Int64.min, column: UInt32.min)
        for link in links {
            least = (min(least.place, link.place), min(least.column, link.column))
            greatest = (max(greatest.place, link.place), max(greatest.column, link.column))
        }
        guard least.place <= greatest.place else { return [] }
        var columns = [
            SortCodes(
                links.map { UInt64(bitPattern: $0.place &- least.place) },
                // At least one code, so that equal places are sorted, too. They keep their order.
                greatest: max(1, UInt64(bitPattern: greatest.place &- least.place)))
        ]
        if least.column < greatest.column {
            columns.append(
                SortCodes(
                    links.map { UInt64($0.column - least.column) }, greatest: UInt64(greatest.column - least.column)))
        }
        return RadixSort.entries(columns)
    }
}
