package import CausewayModel

/// A unique 12-byte identifier that needs no coordination: seconds, a random part of the process, a counter.
///
/// ```swift
/// class Dog: Object {
///     @Persisted(primaryKey: true) var _id: ObjectId
/// }
/// let known = ObjectId("11223344556677889900aabb")
/// ```
///
/// Ids made by `generate()` sort roughly by the time they were made. They are not secret: whoever knows one can guess
/// its neighbours.
public struct ObjectId: Hashable, Sendable {
    package let identifier: ObjectIdentifier12

    package init(_ identifier: ObjectIdentifier12) {
        self.identifier = identifier
    }

    /// The id of twelve zero bytes.
    ///
    /// ```swift
    /// let nobody = ObjectId()    // 000000000000000000000000
    /// ```
    public init() {
        identifier = ObjectIdentifier12(high: 0, low: 0)
    }

    /// The id that 24 hexadecimal digits spell.
    ///
    /// ```swift
    /// let id = try ObjectId(string: "11223344556677889900aabb")
    /// ```
    ///
    /// - Throws: `Realm.Error.invalidInput` when the text is anything else.
    public init(string: String) throws {
        guard let identifier = ObjectIdentifier12(hexadecimal: string.utf8) else {
            throw Realm.Error(
                .invalidInput,
                "Invalid Object ID string '\(string)': must be 24 hex digits. Correct the text, or make a new id with "
                    + "ObjectId.generate()."
            )
        }
        self.identifier = identifier
    }

    /// The id that a literal of 24 hexadecimal digits spells. Any other literal stops the program.
    ///
    /// ```swift
    /// let id = ObjectId("11223344556677889900aabb")
    /// ```
    public init(_ literal: StaticString) {
        let text = literal.description
        guard let identifier = ObjectIdentifier12(hexadecimal: text.utf8) else {
            misuse("Invalid Object ID string '\(text)': must be 24 hex digits.")
        }
        self.identifier = identifier
    }

    /// The 24 lower-case hexadecimal digits of the id.
    ///
    /// ```swift
    /// print(dog.id.stringValue)
    /// ```
    public var stringValue: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(24)
        for shift in stride(from: 60, through: 0, by: -4) {
            digits.append(hexadecimalDigits[Int(identifier.high >> UInt64(shift) & 15)])
        }
        for shift in stride(from: 28, through: 0, by: -4) {
            digits.append(hexadecimalDigits[Int(identifier.low >> UInt32(shift) & 15)])
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

private let hexadecimalDigits = Array("0123456789abcdef".utf8)

extension ObjectIdentifier12 {
    /// Nil unless the text is exactly 24 hexadecimal digits of either case.
    init?(hexadecimal text: some Collection<UInt8>) {
        guard text.count == 24 else { return nil }
        var high: UInt64 = 0
        var low: UInt32 = 0
        for (position, character) in text.enumerated() {
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
            default: return nil
            }
            if position < 16 {
                high = high << 4 | UInt64(digit)
            } else {
                low = low << 4 | UInt32(digit)
            }
        }
        self.init(high: high, low: low)
    }
}

// MARK: - What other protocols ask

extension ObjectId: Comparable {
    /// Compares the twelve bytes: ids of an earlier second come first.
    ///
    /// ```swift
    /// let oldestFirst = dogs.map(\.id).sorted()
    /// ```
    public static func < (left: ObjectId, right: ObjectId) -> Bool {
        left.identifier < right.identifier
    }
}

extension ObjectId: CustomStringConvertible {
    /// The 24 hexadecimal digits.
    ///
    /// ```swift
    /// print(dog.id.description == dog.id.stringValue)    // true
    /// ```
    public var description: String { stringValue }
}

extension ObjectId: Codable {
    /// Reads the id from its 24 hexadecimal digits.
    ///
    /// ```swift
    /// let id = try JSONDecoder().decode(ObjectId.self, from: Data(#""11223344556677889900aabb""#.utf8))
    /// ```
    public init(from decoder: any Decoder) throws {
        try self.init(string: decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the id as its 24 hexadecimal digits.
    ///
    /// ```swift
    /// let json = try JSONEncoder().encode(dog.id)    // the digits in quotes, by encode(to:)
    /// ```
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}

extension ObjectId: _PersistableScalar, _PrimaryKey, _Indexable {
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.objectId) }

    /// A new id, so that a primary key needs no code.
    public static func _zeroValue() -> ObjectId { generate() }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    public init?(_stored: _StoredValue) {
        guard case .objectId(let identifier) = _stored.value else { return nil }
        self.init(identifier)
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { _StoredValue(.objectId(identifier)) }
}
