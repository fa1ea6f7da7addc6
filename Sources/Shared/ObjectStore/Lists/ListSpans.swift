/// Elements of one chunk of a list.
///
/// Public, as is ``ListSpans``, only so that reading an element inlines into the app down to the load.
@frozen
public struct ListSpan {
    /// The position of the first element.
    public var start: Int
    /// The address of elements that lie one behind the other; nil when it is not known yet, or they do not.
    public var elements: UnsafeRawPointer?
}

/// Where the elements of a long list lie, so that any of them is found in a few loads.
///
/// Positions fall into buckets of equal size, several for each chunk. A bucket names the chunk of its first position. A
/// position of the bucket is in that chunk or, seldom, a chunk or two behind it.
@frozen
public struct ListSpans {
    /// Elements of all chunks; 0 when nothing is known.
    public var count: Int
    /// Binary logarithm of a bucket's size.
    public var shift: Int
    public var buckets: UnsafeMutablePointer<UInt32>
    /// The spans by position, and behind them one that no position reaches.
    public var spans: UnsafeMutablePointer<ListSpan>

    /// No elements. The addresses are not null and never read.
    package static var empty: ListSpans {
        ListSpans(
            count: 0, shift: 0, buckets: UnsafeMutablePointer(bitPattern: 16)!,
            spans: UnsafeMutablePointer(bitPattern: 16)!)
    }

    /// The number of the chunk that holds a position. The position must be one of the list.
    @inlinable
    @inline(__always)
    public func chunk(of position: Int) -> Int {
        var index = Int(buckets[position &>> shift])
        while spans[index &+ 1].start <= position { index &+= 1 }
        return index
    }

    /// Where an element lies, if that is known.
    @inlinable
    @inline(__always)
    public func element(_ position: Int, size: Int) -> UnsafeRawPointer? {
        guard UInt(bitPattern: position) < UInt(bitPattern: count) else { return nil }
        let span = spans[chunk(of: position)]
        guard let elements = span.elements else { return nil }
        return elements + (position &- span.start) &* size
    }
}

/// Owns what ``ListSpans`` points to, and knows where the list keeps each chunk.
package final class ListDirectory {
    struct Place {
        var group: Int
        var part: Int
        var start: Int
        var elements: UnsafeRawPointer?
    }

    /// The table's count of list changes when the directory was made. At any other count it is invalid.
    package let version: UInt
    @exclusivity(unchecked) package private(set) var spans: ListSpans
    private let places: [(group: Int, part: Int)]

    init(_ chunks: [Place], count: Int, version: UInt) {
        self.version = version
        places = chunks.map { ($0.group, $0.part) }
        // Eight buckets to a chunk: a position seldom has to look further than its bucket says.
        let size = max(1, count / max(1, chunks.count) / 8)
        let shift = Int.bitWidth - 1 - size.leadingZeroBitCount
        let buckets = (count + (1 << shift) - 1) >> shift
        spans = ListSpans(
            count: count, shift: shift, buckets: .allocate(capacity: max(1, buckets)),
            spans: .allocate(capacity: chunks.count + 1))
        for (index, chunk) in chunks.enumerated() {
            (spans.spans + index).initialize(to: ListSpan(start: chunk.start, elements: chunk.elements))
        }
        (spans.spans + chunks.count).initialize(to: ListSpan(start: Int.max, elements: nil))
        var chunk = 0
        for bucket in 0..<buckets {
            while spans.spans[chunk + 1].start <= bucket << shift { chunk += 1 }
            (spans.buckets + bucket).initialize(to: UInt32(chunk))
        }
    }

    deinit {
        spans.buckets.deallocate()
        spans.spans.deallocate()
    }

    /// Where the list keeps the chunk of a position.
    func place(of position: Int) -> (group: Int, part: Int, start: Int) {
        let index = spans.chunk(of: position)
        return (places[index].group, places[index].part, spans.spans[index].start)
    }

    /// Keeps the address of elements that were found, for the next read.
    func remember(_ window: ListWindow) {
        let index = spans.chunk(of: window.start)
        spans.spans[index].elements = window.elements
    }
}
