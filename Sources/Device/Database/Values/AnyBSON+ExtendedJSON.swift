import Foundation

// Extended JSON: a type that JSON does not have is an object with one key that begins with a dollar sign. Values are
// written in the canonical form, which names every number's type. The canonical and the relaxed form are read.

extension AnyBSON: Codable {
    /// Deeper values are refused, because reading and writing are recursive.
    private static let depthMax = 100

    /// Reads a value in extended JSON, canonical or relaxed. A plain integer is an int32 where it fits, else an int64.
    ///
    /// ```swift
    /// let age = try JSONDecoder().decode(AnyBSON.self, from: Data(#"{"$numberLong":"10"}"#.utf8))    // .int64(10)
    /// ```
    ///
    /// - Throws: `DecodingError.dataCorrupted` for a `$` key that is not alone or whose value does not fit it, and for
    ///   values nested deeper than 100 levels.
    public init(from decoder: any Decoder) throws {
        try Self.checkDepth(decoder.codingPath, decoder)
        if let container = try? decoder.container(keyedBy: Name.self) {
            self = try Self.read(container)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [AnyBSON?] = []
            while !container.isAtEnd {
                elements.append(try container.decodeNil() ? nil : container.decode(AnyBSON.self))
            }
            self = .array(elements)
        } else {
            self = try Self.read(decoder.singleValueContainer())
        }
    }

    private static func checkDepth(_ path: [any CodingKey], _ decoder: any Decoder) throws {
        guard path.count > depthMax else { return }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: path, debugDescription: "Extended JSON is nested deeper than \(depthMax) levels."))
    }

    private static func read(_ container: any SingleValueDecodingContainer) throws -> AnyBSON {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int32.self) { return .int32(value) }
        if let value = try? container.decode(Int64.self) { return .int64(value) }
        if let value = try? container.decode(Double.self) { return .double(value) }
        return .string(try container.decode(String.self))
    }

    private static func read(_ container: KeyedDecodingContainer<Name>) throws -> AnyBSON {
        if let key = container.allKeys.first(where: { Form(rawValue: $0.stringValue) != nil }),
            let form = Form(rawValue: key.stringValue)
        {
            guard container.allKeys.count == 1, let value = try form.read(container, key) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container,
                    debugDescription: "Invalid extended JSON: '\(key.stringValue)' stands alone with "
                        + "\(form.expectation).")
            }
            return value
        }
        var document: Document = [:]
        for key in container.allKeys {
            document[key.stringValue] = .some(
                try container.decodeNil(forKey: key) ? nil : container.decode(AnyBSON.self, forKey: key))
        }
        return .document(document)
    }

    /// Writes the value in canonical extended JSON.
    ///
    /// ```swift
    /// let json = try JSONEncoder().encode(AnyBSON(10))    // {"$numberLong":"10"}; encode(to:) is what it calls
    /// ```
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .int32(let value): try encode(.numberInt, "\(value)", encoder)
        case .int64(let value): try encode(.numberLong, "\(value)", encoder)
        case .double(let value): try encode(.numberDouble, Self.text(value), encoder)
        case .decimal128(let value): try encode(.numberDecimal, value.stringValue, encoder)
        case .objectId(let value): try encode(.oid, value.stringValue, encoder)
        case .uuid(let value): try encode(.uuid, value.uuidString.lowercased(), encoder)
        case .binary(let value):
            try encode(.binary, Binary(base64: value.base64EncodedString(), subType: "00"), encoder)
        case .datetime(let value):
            try encode(.date, AnyBSON.int64(Int64((value.timeIntervalSince1970 * 1000).rounded())), encoder)
        case .timestamp(let value):
            try encode(.timestamp, Clock(t: UInt32(clamping: Int64(value.timeIntervalSince1970)), i: 0), encoder)
        case .regex(let value):
            try encode(.regularExpression, Pattern(pattern: value.pattern, options: value.options.letters), encoder)
        case .minKey: try encode(.minKey, 1, encoder)
        case .maxKey: try encode(.maxKey, 1, encoder)
        case .bool(let value): try encodeSingle(value, encoder)
        case .string(let value): try encodeSingle(value, encoder)
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element ?? .null) }
        case .document(let document):
            var container = encoder.container(keyedBy: Name.self)
            for (name, value) in document.sorted(by: { $0.key < $1.key }) {
                try container.encode(value ?? .null, forKey: Name(name))
            }
        }
    }

    private func encode(_ form: Form, _ value: some Encodable, _ encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(value, forKey: Name(form.rawValue))
    }

    private func encodeSingle(_ value: some Encodable, _ encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    private static func text(_ double: Double) -> String {
        double.isNaN ? "NaN" : double.isInfinite ? (double < 0 ? "-Infinity" : "Infinity") : "\(double)"
    }
}

/// Any key of a document.
private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

private struct Binary: Codable {
    var base64: String
    var subType: String
}

private struct Clock: Codable {
    var t: UInt32
    var i: UInt32
}

private struct Pattern: Codable {
    var pattern: String
    var options: String
}

/// The keys that name a type.
private enum Form: String {
    case numberInt = "$numberInt"
    case numberLong = "$numberLong"
    case numberDouble = "$numberDouble"
    case numberDecimal = "$numberDecimal"
    case oid = "$oid"
    case uuid = "$uuid"
    case binary = "$binary"
    case date = "$date"
    case timestamp = "$timestamp"
    case regularExpression = "$regularExpression"
    case minKey = "$minKey"
    case maxKey = "$maxKey"

    var expectation: String {
        switch self {
        case .numberInt: "a string of a 32-bit integer"
        case .numberLong: "a string of a 64-bit integer"
        case .numberDouble: "a string of a number, 'Infinity', '-Infinity' or 'NaN'"
        case .numberDecimal: "a string of a decimal number"
        case .oid: "24 hex digits"
        case .uuid: "a UUID"
        case .binary: "base64 and subType"
        case .date: "milliseconds as $numberLong, or an ISO 8601 date"
        case .timestamp: "t and i"
        case .regularExpression: "pattern and options"
        case .minKey, .maxKey: "1"
        }
    }

    /// Reads the value of the key; nil when it does not have the form.
    func read(_ container: KeyedDecodingContainer<Name>, _ key: Name) throws -> AnyBSON? {
        switch self {
        case .numberInt: try text(container, key).flatMap { Int32($0) }.map(AnyBSON.int32)
        case .numberLong: try text(container, key).flatMap { Int64($0) }.map(AnyBSON.int64)
        case .numberDouble: try text(container, key).flatMap(Self.double).map(AnyBSON.double)
        case .numberDecimal:
            try text(container, key).flatMap { try? Decimal128(string: $0) }.map(AnyBSON.decimal128)
        case .oid: try text(container, key).flatMap { try? ObjectId(string: $0) }.map(AnyBSON.objectId)
        case .uuid: try text(container, key).flatMap { UUID(uuidString: $0) }.map(AnyBSON.uuid)
        case .binary: try binary(container.decode(Binary.self, forKey: key))
        case .date: try date(container, key).map(AnyBSON.datetime)
        case .timestamp:
            .timestamp(Date(timeIntervalSince1970: TimeInterval(try container.decode(Clock.self, forKey: key).t)))
        case .regularExpression: try pattern(container.decode(Pattern.self, forKey: key))
        case .minKey: try container.decode(Int.self, forKey: key) == 1 ? .minKey : nil
        case .maxKey: try container.decode(Int.self, forKey: key) == 1 ? .maxKey : nil
        }
    }

    private func text(_ container: KeyedDecodingContainer<Name>, _ key: Name) throws -> String? {
        try? container.decode(String.self, forKey: key)
    }

    private static func double(_ text: String) -> Double? {
        switch text {
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        case "NaN": .nan
        default: Double(text)
        }
    }

    /// Sixteen bytes of subtype 4 are a UUID.
    private func binary(_ binary: Binary) -> AnyBSON? {
        guard let data = Data(base64Encoded: binary.base64), let type = UInt8(binary.subType, radix: 16) else {
            return nil
        }
        guard type == 4, data.count == 16 else { return .binary(data) }
        return .uuid(data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    }

    private func date(_ container: KeyedDecodingContainer<Name>, _ key: Name) throws -> Date? {
        if let text = try text(container, key) {
            return (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
                ?? (try? Date.ISO8601FormatStyle().parse(text))
        }
        guard let milliseconds = try container.decode(AnyBSON.self, forKey: key).asInt64() else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(milliseconds) / 1000)
    }

    private func pattern(_ pattern: Pattern) -> AnyBSON? {
        guard let options = NSRegularExpression.Options(letters: pattern.options) else { return nil }
        return (try? NSRegularExpression(pattern: pattern.pattern, options: options)).map(AnyBSON.regex)
    }
}

extension NSRegularExpression.Options {
    /// The letters that BSON has for the options, in order. Options without a letter are left out.
    fileprivate var letters: String {
        Self.named.filter { contains($0.option) }.map { String($0.letter) }.joined()
    }

    /// Nil for an unknown letter.
    fileprivate init?(letters: String) {
        self = []
        for letter in letters {
            guard let option = Self.named.first(where: { $0.letter == letter })?.option else { return nil }
            insert(option)
        }
    }

    private static var named: [(letter: Character, option: NSRegularExpression.Options)] {
        [
            ("i", .caseInsensitive), ("m", .anchorsMatchLines), ("s", .dotMatchesLineSeparators),
            ("x", .allowCommentsAndWhitespace),
        ]
    }
}
