/// One value of a document, or the beginning of a nested document or array. What a container holds follows it.
struct DocumentToken {
    enum Kind: UInt8 {
        case null, bool, int, double, string, data, date, objectId, uuid, decimal, array, document
        /// A document `{"$ref": …, "$id": …}`: a link to a document of a collection.
        case reference
        /// A value of a type that has no counterpart. `high` is its number in BSON.
        case foreign
    }

    var kind: Kind
    /// The place of the token behind this one and all that it holds.
    var end: UInt32 = 0
    /// Empty for elements of arrays.
    var name: ByteRange
    /// The value: a number, both halves of an id, or the bytes of a string.
    var high: UInt64 = 0
    var low: UInt64 = 0

    init(_ kind: Kind, _ name: ByteRange, high: UInt64 = 0, low: UInt64 = 0) {
        self.kind = kind
        self.name = name
        self.high = high
        self.low = low
    }

    init(_ kind: Kind, _ name: ByteRange, bytes: ByteRange) {
        self.init(kind, name, high: UInt64(bytes.place), low: UInt64(bytes.count))
    }

    /// - Precondition: it is a string or data.
    var bytes: ByteRange { ByteRange(place: UInt32(high), count: UInt32(low)) }

    var isContainer: Bool { kind == .array || kind == .document || kind == .reference }
}

/// Where the bytes of a name or a string are: in the window, or among those that had to be decoded.
struct ByteRange {
    private static let decodedBit: UInt32 = 1 << 31
    static let none = ByteRange(place: 0, count: 0)

    fileprivate(set) var place: UInt32
    var count: UInt32

    fileprivate init(place: UInt32, count: UInt32) {
        self.place = place
        self.count = count
    }

    init(_ range: Range<Int>) {
        self.init(place: UInt32(range.lowerBound), count: UInt32(range.count))
    }

    init(decoded range: Range<Int>) {
        self.init(place: UInt32(range.lowerBound) | Self.decodedBit, count: UInt32(range.count))
    }

    var isDecoded: Bool { place & Self.decodedBit != 0 }
    var start: Int { Int(place & ~Self.decodedBit) }
}

extension DocumentToken {
    /// What the value is, in words.
    var words: String {
        switch kind {
        case .null: "null"
        case .bool: "a boolean"
        case .int: "an int"
        case .double: "a double"
        case .string: "a string"
        case .data: "binary data"
        case .date: "a date"
        case .objectId: "an ObjectId"
        case .uuid: "a UUID"
        case .decimal: "a Decimal128"
        case .array: "an array"
        case .document: "a document"
        case .reference: "a DBRef"
        case .foreign: ForeignType(rawValue: UInt8(truncatingIfNeeded: high))?.words ?? "a value of an unknown type"
        }
    }
}

/// Types of BSON that have no counterpart here, by their numbers.
enum ForeignType: UInt8 {
    case undefined = 0x06
    case regularExpression = 0x0B
    case pointer = 0x0C
    case code = 0x0D
    case symbol = 0x0E
    case codeWithScope = 0x0F
    case timestamp = 0x11
    case maxKey = 0x7F
    case minKey = 0xFF

    var words: String {
        switch self {
        case .undefined: "undefined"
        case .regularExpression: "a regular expression"
        case .pointer: "a DBPointer"
        case .code: "JavaScript code"
        case .symbol: "a symbol"
        case .codeWithScope: "JavaScript code with scope"
        case .timestamp: "a timestamp of replication"
        case .maxKey: "MaxKey"
        case .minKey: "MinKey"
        }
    }
}
