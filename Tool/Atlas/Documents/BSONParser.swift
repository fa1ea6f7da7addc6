/// Reads documents as mongodump writes them: BSON, one behind the other. bsonspec.org has the format.
///
/// Every length is compared with the bytes that are there, so what is damaged or made up is a failure.
struct BSONParser: DocumentParser {
    /// The server's bound of 16 MiB, and what it adds for its own documents.
    static let documentBytesMax = 16 << 20 + 16 << 10
    /// A length, and the byte that ends a document.
    private static let documentBytesMin = 5
    /// Begins an archive of `mongodump --archive`, which mixes collections.
    private static let archiveMark: UInt32 = 0x8199_E26D

    func parse(
        _ bytes: UnsafeRawBufferPointer, at place: inout Int, isLast: Bool, onto tape: DocumentTape
    ) throws(ParseStop) -> Int? {
        let start = place
        guard start < bytes.count else { return nil }
        guard start + 4 <= bytes.count else { throw .incomplete }
        let length = Int(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self).littleEndian)
        if start == 0, length == Int(Self.archiveMark) {
            throw .failure("this is an archive. Dump into a folder, without --archive", place: start)
        }
        guard (Self.documentBytesMin...Self.documentBytesMax).contains(length) else {
            throw .failure("it says that it has \(length) bytes, which no document has", place: start)
        }
        guard start + length <= bytes.count else { throw .incomplete }
        var body = BSONBody(bytes, start, tape)
        try body.container(.document, .none, depth: 0, end: start + length)
        place = start + length
        return start
    }
}

/// Reads the content of one document that is in memory whole.
struct BSONBody {
    private let bytes: UnsafeRawBufferPointer
    private let tape: DocumentTape
    private var place: Int
    private let firstToken: Int

    init(_ bytes: UnsafeRawBufferPointer, _ place: Int, _ tape: DocumentTape) {
        self.bytes = bytes
        self.place = place
        self.tape = tape
        firstToken = tape.tokens.count
    }

    /// - Parameter end: what is around it ends there.
    mutating func container(
        _ kind: DocumentToken.Kind, _ name: ByteRange, depth: Int, end limit: Int
    ) throws(ParseStop) {
        guard depth <= DocumentTape.depthMax else {
            throw failure("documents nest more than \(DocumentTape.depthMax) deep")
        }
        let start = place
        let length = try length(within: limit)
        guard length >= 5, start + length <= limit, bytes[start + length - 1] == 0 else {
            throw .failure("a document is longer than what holds it, or has no end", place: start)
        }
        let end = start + length - 1
        place += 4
        let token = tape.tokens.count
        guard token - firstToken < DocumentTape.documentTokensMax else {
            throw failure("it has more than \(DocumentTape.documentTokensMax) values")
        }
        tape.append(DocumentToken(kind, name))
        while place < end { try element(in: kind, depth: depth, end: end) }
        guard place == end else { throw failure("a value is longer than what holds it") }
        place = end + 1
        tape.close(token)
    }

    private mutating func element(in kind: DocumentToken.Kind, depth: Int, end: Int) throws(ParseStop) {
        let type = bytes[place]
        place += 1
        let name = try name(end)
        let givenName = kind == .array ? ByteRange.none : name
        switch type {
        case 0x03: try container(.document, givenName, depth: depth + 1, end: end)
        case 0x04: try container(.array, givenName, depth: depth + 1, end: end)
        default:
            guard tape.tokens.count - firstToken < DocumentTape.documentTokensMax else {
                throw failure("it has more than \(DocumentTape.documentTokensMax) values")
            }
            tape.append(try scalar(type, givenName, end))
        }
    }

    private mutating func scalar(_ type: UInt8, _ name: ByteRange, _ end: Int) throws(ParseStop) -> DocumentToken {
        switch type {
        case 0x01: return DocumentToken(.double, name, high: try number64(end))
        case 0x02: return DocumentToken(.string, name, bytes: ByteRange(try string(end)))
        case 0x05: return try binary(name, end)
        case 0x07:
            let from = try take(12, end)
            return DocumentToken(.objectId, name, high: big64(from), low: UInt64(big32(from + 8)))
        case 0x08:
            let from = try take(1, end)
            guard bytes[from] <= 1 else { throw .failure("a boolean is neither true nor false", place: from) }
            return DocumentToken(.bool, name, high: UInt64(bytes[from]))
        case 0x09:
            return DocumentToken(date: Int64(bitPattern: try number64(end)), name)
        case 0x0A: return DocumentToken(.null, name)
        case 0x10:
            let from = try take(4, end)
            let number = Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: from, as: Int32.self))
            return DocumentToken(.int, name, high: UInt64(bitPattern: Int64(number)))
        case 0x12: return DocumentToken(.int, name, high: try number64(end))
        case 0x13:
            let low = try number64(end)
            return DocumentToken(.decimal, name, high: try number64(end), low: low)
        default: return try foreign(type, name, end)
        }
    }

    private mutating func foreign(_ type: UInt8, _ name: ByteRange, _ end: Int) throws(ParseStop) -> DocumentToken {
        guard let foreign = ForeignType(rawValue: type) else {
            throw failure("there is no type \(type) of values")
        }
        switch foreign {
        case .undefined, .minKey, .maxKey: break
        case .regularExpression:
            _ = try self.name(end)
            _ = try self.name(end)
        case .pointer:
            _ = try string(end)
            _ = try take(12, end)
        case .code, .symbol: _ = try string(end)
        case .timestamp: _ = try take(8, end)
        case .codeWithScope:
            let start = place
            let length = try length(within: end)
            guard length >= 14, start + length <= end else { throw failure("code is longer than what holds it") }
            place = start + length
        }
        return DocumentToken(.foreign, name, high: UInt64(type))
    }

    // MARK: - Pieces

    private mutating func take(_ count: Int, _ end: Int) throws(ParseStop) -> Int {
        guard count <= end - place else { throw failure("a value is longer than what holds it") }
        defer { place += count }
        return place
    }

    /// A name, which a zero ends.
    private mutating func name(_ end: Int) throws(ParseStop) -> ByteRange {
        let start = place
        while place < end, bytes[place] != 0 { place += 1 }
        guard place < end else { throw .failure("a name has no end", place: start) }
        let range = start..<place
        try check(range)
        place += 1
        return ByteRange(range)
    }

    private mutating func string(_ end: Int) throws(ParseStop) -> Range<Int> {
        let start = place
        let length = try length(within: end)
        place += 4
        guard length >= 1, length <= end - place, bytes[place + length - 1] == 0 else {
            throw .failure("a string is longer than what holds it, or has no end", place: start)
        }
        let range = place..<place + length - 1
        try check(range)
        place += length
        return range
    }

    private mutating func binary(_ name: ByteRange, _ end: Int) throws(ParseStop) -> DocumentToken {
        let start = place
        let length = try length(within: end)
        place += 4
        let subtype = bytes[try take(1, end)]
        guard length <= end - place else { throw .failure("binary data is longer than what holds it", place: start) }
        var range = place..<place + length
        place += length
        // The old form has its length twice.
        if subtype == 0x02, range.count >= 4, Int(little32(range.lowerBound)) == range.count - 4 {
            range = range.lowerBound + 4..<range.upperBound
        }
        guard subtype == BinarySubtype.uuid, range.count == 16 else {
            return DocumentToken(.data, name, bytes: ByteRange(range))
        }
        return DocumentToken(.uuid, name, high: big64(range.lowerBound), low: big64(range.lowerBound + 8))
    }

    private func check(_ range: Range<Int>) throws(ParseStop) {
        guard UTF8Text.isValid(UnsafeRawBufferPointer(rebasing: bytes[range])) else {
            throw .failure("a string is not UTF-8", place: range.lowerBound)
        }
    }

    /// The length that stands at the place, which is not moved.
    private func length(within end: Int) throws(ParseStop) -> Int {
        guard end - place >= 4 else { throw failure("a value is longer than what holds it") }
        let length = Int32(bitPattern: little32(place))
        guard length >= 0 else { throw failure("a length is negative") }
        return Int(length)
    }

    private func little32(_ place: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    private func big32(_ place: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    private func big64(_ place: Int) -> UInt64 {
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    private mutating func number64(_ end: Int) throws(ParseStop) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: try take(8, end), as: UInt64.self))
    }

    private func failure(_ reason: String) -> ParseStop { .failure(reason, place: place) }
}
