/// Reads documents as mongoexport writes them: extended JSON, one document behind the other, or all in one array.
///
/// This is no twin of `JSONReader`, which makes a value of each text: here a document costs no allocation.
struct JSONDocumentParser: DocumentParser {
    /// Canonical extended JSON of a document of 16 MiB takes up to several times its size.
    static let documentBytesMax = 64 << 20
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private enum Form {
        case unknown, lines, array, ended
    }

    private var form = Form.unknown
    /// Whether the document before was followed by a comma.
    private var isBehindComma = false

    mutating func parse(
        _ bytes: UnsafeRawBufferPointer, at place: inout Int, isLast: Bool, onto tape: DocumentTape
    ) throws(ParseStop) -> Int? {
        let before = self
        do throws(ParseStop) {
            return try read(bytes, &place, isLast, tape)
        } catch {
            // What is incomplete is read again.
            self = before
            throw error
        }
    }

    private mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ place: inout Int, _ isLast: Bool, _ tape: DocumentTape
    ) throws(ParseStop) -> Int? {
        var text = JSONDocumentText(bytes, place, tape)
        if form == .unknown, bytes.starts(with: Self.byteOrderMark) { text.place += 3 }
        text.skipSpace()
        if form == .unknown, text.next != nil {
            form = text.take("[") ? .array : .lines
            text.skipSpace()
        }
        if form == .array, text.next == UInt8(ascii: "]") {
            if isBehindComma { throw .failure("a comma stands before the end of the array", place: text.place) }
            text.place += 1
            form = .ended
            text.skipSpace()
        }
        guard text.next != nil else {
            place = text.place
            if isLast, form == .array { throw .incomplete }
            return nil
        }
        guard form != .ended else { throw .failure("text follows the array", place: text.place) }
        let start = text.place
        guard text.next == UInt8(ascii: "{") else { throw .failure("a document is expected", place: start) }
        try text.value(.none, depth: 0)
        if form == .array { try separate(&text) }
        place = text.place
        return start
    }

    private mutating func separate(_ text: inout JSONDocumentText) throws(ParseStop) {
        text.skipSpace()
        guard let next = text.next else { throw .incomplete }
        isBehindComma = text.take(",")
        guard isBehindComma || next == UInt8(ascii: "]") else {
            throw .failure("a comma or ] is expected behind the document", place: text.place)
        }
    }
}
