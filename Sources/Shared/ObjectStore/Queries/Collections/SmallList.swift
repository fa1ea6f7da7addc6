import CausewayModel

/// The elements of a list that is one value of its tree, read in place. FORMAT.md has the bytes.
struct SmallList {
    private static let headerBytes = 8
    private static let flagNulls: UInt8 = 1

    let count: Int
    /// Nil for a list without elements.
    private let elements: UnsafeRawPointer?
    private let end: UnsafeRawPointer?
    /// The bitmap of null elements; nil when there are none.
    private let nulls: UnsafeRawPointer?

    /// Nil when the bytes are no such list: the list is stored in another way, or damaged.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, _ layout: Layout) {
        guard bytes.count >= Self.headerBytes, let start = bytes.baseAddress else { return nil }
        let flags = start.leafField(4, UInt8.self)
        guard flags & ~Self.flagNulls == 0 else { return nil }
        count = Int(start.leafField(0, UInt32.self))
        nulls = flags == 0 ? nil : start + Self.headerBytes
        let offset = Self.headerBytes &+ (flags == 0 ? 0 : (count &+ 7) &>> 3)
        guard offset &+ count &* layout.elementBytes &+ layout.endBytes <= bytes.count else { return nil }
        elements = start + offset
        end = start + bytes.count
    }

    private init() {
        count = 0
        elements = nil
        end = nil
        nulls = nil
    }

    static var empty: SmallList { SmallList() }

    var hasNulls: Bool { nulls != nil }

    /// Visits the stored form of each element that is not null, in order.
    @inline(__always)
    func forEach<Stored: BitwiseCopyable>(_ type: Stored.Type, _ body: (Stored) -> Void) {
        guard let elements else { return }
        let stride = MemoryLayout<Stored>.size
        if nulls == nil {
            for index in 0..<count { body(elements.leafField(index &* stride, type)) }
        } else {
            for index in 0..<count where !isNull(index) { body(elements.leafField(index &* stride, type)) }
        }
    }

    /// An element of a list of strings or data. Offsets come from the file: nothing outside of the list is read.
    func text(_ index: Int) -> UnsafeRawBufferPointer {
        guard let elements, let end else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let arena = elements + (count &+ 1) &* 4
        let from = Int(elements.leafField(index &* 4, UInt32.self))
        let to = Int(elements.leafField(index &* 4 &+ 4, UInt32.self))
        guard from <= to, to <= end - arena else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: arena + from, count: to &- from)
    }

    var nullCount: Int {
        hasNulls ? (0..<count).count(where: isNull) : 0
    }

    @inline(__always)
    func isNull(_ index: Int) -> Bool {
        guard let nulls else { return false }
        return nulls.leafField(index &>> 3, UInt8.self) &>> UInt8(truncatingIfNeeded: index & 7) & 1 != 0
    }

    /// The bytes a list of a type needs at least.
    struct Layout {
        let elementBytes: Int
        /// Strings and data have one offset more than elements.
        let endBytes: Int

        init(_ type: PropertyType) {
            endBytes = ElementLayout.isVariable(type) ? 4 : 0
            elementBytes =
                switch type {
                case .bool: 1
                case .float, .string, .data: 4
                case .int, .double, .object: 8
                case .date, .objectId: 12
                case .uuid: 16
                case .decimal128: 16
                case .mixed: 4
                }
        }
    }
}
