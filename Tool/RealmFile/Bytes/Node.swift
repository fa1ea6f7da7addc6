/// A node: eight bytes of header, and elements that all have one width.
///
/// That header and elements lie inside of the file is checked once, when the node is opened.
struct Node {
    /// What the width counts.
    enum Layout: UInt8 {
        /// Bits of an element, which is a number.
        case bits = 0
        /// Bytes of an element.
        case bytes = 1
        /// Nothing: elements are bytes.
        case plain = 2
    }

    private static let headerByteCount = 8
    private static let kind = UInt8(ascii: "A")

    let file: FileBytes
    /// Where the header begins.
    let place: Int
    let count: Int
    let width: Int
    let layout: Layout
    /// An inner node of a tree.
    let isInner: Bool
    /// Elements lead to other nodes.
    let hasReferences: Bool
    /// Means something else in each kind of node.
    let hasContext: Bool

    init(_ file: FileBytes, at place: Int) throws {
        guard place >= FileHeader.byteCount, place % 8 == 0, place <= file.count - Self.headerByteCount else {
            throw RealmFileFailure("The Realm file is damaged or cut off: it leads to byte \(place) of \(file.count).")
        }
        try file.takeSteps()
        let header = (3..<8).map { file.bytes[place + $0] }
        guard header[0] == Self.kind else {
            throw RealmFileFailure.damaged(at: place, "there is no node, or one of a form that is not known")
        }
        guard let layout = Layout(rawValue: header[1] >> 3 & 3) else {
            throw RealmFileFailure.damaged(at: place, "the node has a layout that does not exist")
        }
        self.file = file
        self.place = place
        self.layout = layout
        isInner = header[1] & 0x80 != 0
        hasReferences = header[1] & 0x40 != 0
        hasContext = header[1] & 0x20 != 0
        width = (1 << Int(header[1] & 7)) >> 1
        count = Int(header[2]) << 16 | Int(header[3]) << 8 | Int(header[4])
        guard byteCount <= file.count - start else {
            throw RealmFileFailure.damaged(at: place, "the node ends behind the end of the file")
        }
    }

    var start: Int { place + Self.headerByteCount }

    /// The bytes of all elements.
    var byteCount: Int {
        switch layout {
        case .bits: (count * width + 7) / 8
        case .bytes: count * width
        case .plain: count
        }
    }

    func damaged(_ what: String) -> RealmFileFailure { .damaged(at: place, what) }
}
