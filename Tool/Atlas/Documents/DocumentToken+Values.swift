import CausewayModel

// Tokens of values, and values of tokens.

extension DocumentToken {
    init(int: Int64, _ name: ByteRange) { self.init(.int, name, high: UInt64(bitPattern: int)) }

    init(_ id: ObjectIdentifier12, _ name: ByteRange) {
        self.init(.objectId, name, high: id.high, low: UInt64(id.low))
    }

    init(_ id: UUID16, _ name: ByteRange) { self.init(.uuid, name, high: id.high, low: id.low) }

    init(_ point: Timestamp, _ name: ByteRange) {
        self.init(
            .date, name, high: UInt64(bitPattern: point.seconds), low: UInt64(UInt32(bitPattern: point.nanoseconds)))
    }

    /// - Parameter date: milliseconds since 1970.
    init(date: Int64, _ name: ByteRange) {
        self.init(Timestamp(seconds: date / 1_000, nanoseconds: Int32(date % 1_000) * 1_000_000), name)
    }

    var int: Int64 { Int64(bitPattern: high) }
    var double: Double { Double(bitPattern: high) }
    var objectId: ObjectIdentifier12 { ObjectIdentifier12(high: high, low: UInt32(truncatingIfNeeded: low)) }
    var uuid: UUID16 { UUID16(high: high, low: low) }
    var decimal: DecimalNumber { DecimalNumber(high: high, low: low) }

    var timestamp: Timestamp {
        Timestamp(seconds: int, nanoseconds: Int32(bitPattern: UInt32(truncatingIfNeeded: low)))
    }
}

extension DocumentTape {
    /// The value of a token that is no container; nil for a type without a counterpart.
    func scalar(_ token: DocumentToken) -> Value? {
        switch token.kind {
        case .null: .null
        case .bool: .bool(token.high != 0)
        case .int: .int(token.int)
        case .double: .double(token.double)
        case .string: .string(text(token.bytes))
        case .data: .bytes(Array(bytes(token.bytes)))
        case .date: .timestamp(token.timestamp)
        case .objectId: .objectId(token.objectId)
        case .uuid: .uuid(token.uuid)
        case .decimal: .decimal(token.decimal)
        case .array, .document, .reference, .foreign: nil
        }
    }

    /// The value of a token as one of a type; nil if it is none. An int is a double if that keeps its digits.
    func value(_ token: DocumentToken, as type: PropertyType) -> Value? {
        switch (type, token.kind) {
        case (.bool, .bool), (.int, .int), (.double, .double), (.string, .string), (.data, .data), (.date, .date),
            (.objectId, .objectId), (.uuid, .uuid), (.decimal128, .decimal), (.mixed, _):
            return scalar(token)
        case (.double, .int): return Double(exactly: token.int).map { .double($0) }
        case (.float, .double):
            // Atlas stores floats as doubles. One beyond the largest float is none.
            let float = Float(token.double)
            return float.isInfinite && token.double.isFinite ? nil : .float(float)
        case (.float, .int): return Float(exactly: token.int).map { .float($0) }
        // The shell of MongoDB writes whole numbers as doubles.
        case (.int, .double): return Int64(exactly: token.double).map { .int($0) }
        case (.decimal128, .int): return DecimalNumber("\(token.int)").map { .decimal($0) }
        case (.data, .uuid):
            return .bytes([token.high, token.low].flatMap { half in withUnsafeBytes(of: half.bigEndian, Array.init) })
        default: return nil
        }
    }
}

extension UUID16 {
    /// - Precondition: there are sixteen bytes.
    init(_ bytes: [UInt8]) {
        func half(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(0..<8), low: half(8..<16))
    }
}
