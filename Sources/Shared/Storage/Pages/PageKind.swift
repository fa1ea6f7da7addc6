/// What the bytes behind a pointer are.
enum PageKind: UInt32, Sendable {
    /// ``PagePointer/extent`` bytes of a leaf, of an overflowing value or key, or of the file's own bookkeeping.
    case run = 1
    /// A node of the ordered trees, one page.
    case tree = 2
    /// A node of the leaf directory, one page.
    case directory = 3
}

enum Pages {
    static let sizeBytes = 4096
    static let sizeShift = 12

    /// The number of pages for a number of bytes; at least one.
    @inline(__always)
    static func count(ofBytes bytes: Int) -> Int { max(1, (bytes &+ (sizeBytes - 1)) >> sizeShift) }
}

extension PagePointer {
    func pageCount(_ kind: PageKind) -> Int { kind == .run ? Pages.count(ofBytes: Int(extent)) : 1 }
}
