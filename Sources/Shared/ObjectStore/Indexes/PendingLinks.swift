import CausewayModel

/// A write's changes to backlinks, in the order made, until a backlink is read or the write commits.
///
/// New objects link to targets anywhere. An append to one array is cheap, where finding the target's changes among all
/// others would miss the cache once a link. One sort brings the links of a target together.
final class PendingLinks {
    struct Link {
        var target: Int64
        /// The origin's column.
        var column: UInt32
        var kind: PendingChanges.Kind
        var origin: Int64
    }

    // Nothing here calls out while it changes these, so accesses never overlap.
    @exclusivity(unchecked) private(set) var links: [Link] = []

    var isEmpty: Bool { links.isEmpty }
    var isFull: Bool { links.count >= PendingChanges.limit }

    func append(_ target: Int64, _ column: UInt32, _ origin: Int64, _ kind: PendingChanges.Kind) {
        links.append(Link(target: target, column: column, kind: kind, origin: origin))
    }

    func removeAll() {
        if !links.isEmpty { links = [] }
    }

    /// Moves all links to `pending`, which can be asked for one prefix.
    func move(to pending: PendingChanges, _ buffer: KeyBuffer) {
        let moving = links
        links = []
        for link in moving {
            buffer.set(target: link.target, column: link.column)
            pending.append(buffer.bytes, link.origin, link.kind)
        }
    }

    /// Takes out the net changes of every target and column, ascending by prefix.
    func takeAll(_ buffer: KeyBuffer) -> [ChunkTree.Group] {
        let taken = links
        links = []
        let order = Self.order(taken)
        var result: [ChunkTree.Group] = []
        var changes: [ChunkTree.Change] = []
        var isAscending = true
        taken.withUnsafeBufferPointer { links in
            for (place, entry) in order.enumerated() {
                let link = links[RadixSort.position(entry)]
                isAscending = isAscending && (changes.last.map { $0.key < link.origin } ?? true)
                changes.append(.init(link.origin, link.kind))
                if place + 1 < order.count {
                    let next = links[RadixSort.position(order[place + 1])]
                    if next.target == link.target, next.column == link.column { continue }
                }
                buffer.set(target: link.target, column: link.column)
                result.append(
                    ChunkTree.Group(
                        prefix: buffer.array, changes: isAscending ? changes : PendingChanges.folded(changes)))
                changes = []
                isAscending = true
            }
        }
        return result
    }

    /// The order by target, then column, then as made.
    private static func order(_ links: [Link]) -> [RadixSort.Entry] {
        var least = (target: Int64.max, column: UInt32.max)
        var greatest = (target: Int64.min, column: UInt32.min)
        for link in links {
            least = (min(least.target, link.target), min(least.column, link.column))
            greatest = (max(greatest.target, link.target), max(greatest.column, link.column))
        }
        guard least.target <= greatest.target else { return [] }
        var columns = [
            SortCodes(
                links.map { UInt64(bitPattern: $0.target &- least.target) },
                // At least one code, so that equal targets are sorted, too. They keep their order.
                greatest: max(1, UInt64(bitPattern: greatest.target &- least.target)))
        ]
        if least.column < greatest.column {
            columns.append(
                SortCodes(
                    links.map { UInt64($0.column - least.column) }, greatest: UInt64(greatest.column - least.column)))
        }
        return RadixSort.entries(columns)
    }
}
