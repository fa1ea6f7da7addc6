/// An array in segments: growing moves no element, and copies share the segments that neither side changes.
///
/// The operations of a long list make states of tens of megabytes. An array of that size would be moved whole each time
/// it grows, into memory that the system has to clear first, which took longer than the merging.
struct Segments<Element> {
    /// All full but the last one; none is empty.
    private var segments: ContiguousArray<ContiguousArray<Element>> = []
    private(set) var count = 0

    private static var sizeBits: Int { 10 }
    private static var size: Int { 1 << sizeBits }

    init() {}

    mutating func append(_ element: Element) {
        if count & (Self.size - 1) == 0 {
            segments.append([])
            // A short list takes what it needs; the segments of a long one are filled for certain.
            if count > 0 { segments[segments.count - 1].reserveCapacity(Self.size) }
        }
        segments[segments.count - 1].append(element)
        count += 1
    }
}

extension Segments: Sendable where Element: Sendable {}

extension Segments: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> Element {
        @inline(__always) get { segments[index >> Self.sizeBits][index & (Self.size - 1)] }
        @inline(__always) _modify { yield &segments[index >> Self.sizeBits][index & (Self.size - 1)] }
    }
}
