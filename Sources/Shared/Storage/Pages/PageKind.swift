/// What the bytes behind a pointer are.
enum PageKind: UInt32, Sendable {
    /// Bytes of a leaf, of an overflowing value or key, of the file's own bookkeeping: ``PagePointer/extent`` bytes.
    case run = 1
    /// A node of the ordered trees, one page.
    case tree = 2
    /// A node of the leaf directory, one page.
    case directory = 3
}

enum Pages {
    static let sizeBytes = 4096
    static let sizeShift = 12

    /// How many pages hold so many bytes; at least one.
    @inline(__always)
    static func count(ofBytes bytes: Int) -> Int { max(1, (bytes &+ (sizeBytes - 1)) >> sizeShift) }
}

extension PagePointer {
    func pageCount(_ kind: PageKind) -> Int { kind == .run ? Pages.count(ofBytes: Int(extent)) : 1 }
}
