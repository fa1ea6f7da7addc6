public import Foundation

/// A type of BSON, the binary form of JSON. Arguments and results of functions have these types.
///
/// ```swift
/// func value(of bson: some BSON) -> AnyBSON { AnyBSON(bson) }
/// let document: Document = ["name": value(of: "Rex"), "age": value(of: 10), "toys": ["ball", nil]]
/// ```
public protocol BSON: Equatable {}

extension NSNull: BSON {}
extension Int: BSON {}
extension Int32: BSON {}
extension Int64: BSON {}
extension Bool: BSON {}
extension Double: BSON {}
extension String: BSON {}
extension Data: BSON {}
extension Date: BSON {}
extension Decimal128: BSON {}
extension ObjectId: BSON {}
extension UUID: BSON {}
extension NSRegularExpression: BSON {}
extension Dictionary: BSON where Key == String, Value == AnyBSON? {}
extension Array: BSON where Element == AnyBSON? {}

/// A value that compares greater than every other value of BSON.
///
/// ```swift
/// AnyBSON(MaxKey()) == .maxKey    // true
/// ```
public struct MaxKey: BSON, Hashable, Sendable {
    /// The one value of the type.
    public init() {}
}

/// A value that compares less than every other value of BSON.
///
/// ```swift
/// AnyBSON(MinKey()) == .minKey    // true
/// ```
public struct MinKey: BSON, Hashable, Sendable {
    /// The one value of the type.
    public init() {}
}

/// An object of BSON: values by names. A nil value is BSON's null.
///
/// ```swift
/// let document: Document = ["name": "Rex", "age": 10, "toys": ["ball", nil], "owner": nil]
/// ```
public typealias Document = [String: AnyBSON?]

/// Any value of BSON.
///
/// ```swift
/// let age: AnyBSON = 10
/// age.int32Value            // nil: a literal is an int64
/// age.asInt()               // 10
/// let name = AnyBSON("Rex").stringValue
/// switch age {
/// case .int32(let number): print("32 bits: \(number)")
/// case .int64(let number): print("64 bits: \(number)")
/// case .double, .decimal128: print("not whole")
/// default: print("no number")
/// }
/// ```
///
/// It may cross threads: every case is a value, and a regular expression never changes.
///
/// It is written as JSON in MongoDB's extended form, which keeps types apart: `{"$numberLong":"10"}`.
public enum AnyBSON: BSON, Hashable, @unchecked Sendable {
    /// An integer of 32 bits.
    ///
    /// ```swift
    /// let age: AnyBSON = .int32(10)
    /// ```
    case int32(Int32)
    /// An integer of 64 bits.
    ///
    /// ```swift
    /// let age: AnyBSON = .int64(10)
    /// ```
    case int64(Int64)
    /// True or false.
    ///
    /// ```swift
    /// let isPuppy: AnyBSON = .bool(true)
    /// ```
    case bool(Bool)
    /// A floating-point number of 64 bits.
    ///
    /// ```swift
    /// let weight: AnyBSON = .double(30.5)
    /// ```
    case double(Double)
    /// Text.
    ///
    /// ```swift
    /// let name: AnyBSON = .string("Rex")
    /// ```
    case string(String)
    /// Bytes.
    ///
    /// ```swift
    /// let picture: AnyBSON = .binary(Data([1, 2, 3]))
    /// ```
    case binary(Data)
    /// A timestamp of the database's own log: seconds and an increment. Shown as the date of the seconds.
    ///
    /// ```swift
    /// let logged: AnyBSON = .timestamp(Date(timeIntervalSince1970: 1_700_000_000))
    /// ```
    case timestamp(Date)
    /// A point in time, to the millisecond.
    ///
    /// ```swift
    /// let born: AnyBSON = .datetime(.now)
    /// ```
    case datetime(Date)
    /// An `ObjectId`.
    ///
    /// ```swift
    /// let id: AnyBSON = .objectId(ObjectId.generate())
    /// ```
    case objectId(ObjectId)
    /// A decimal number.
    ///
    /// ```swift
    /// let price: AnyBSON = .decimal128("19.99")
    /// ```
    case decimal128(Decimal128)
    /// A `UUID`.
    ///
    /// ```swift
    /// let chip: AnyBSON = .uuid(UUID())
    /// ```
    case uuid(UUID)
    /// A regular expression.
    ///
    /// ```swift
    /// let pattern: AnyBSON = .regex(try NSRegularExpression(pattern: "^R"))
    /// ```
    case regex(NSRegularExpression)
    /// Values by names.
    ///
    /// ```swift
    /// let dog: AnyBSON = .document(["name": "Rex"])
    /// ```
    case document(Document)
    /// Values in order.
    ///
    /// ```swift
    /// let toys: AnyBSON = .array(["ball", nil])
    /// ```
    case array([AnyBSON?])
    /// Greater than everything.
    ///
    /// ```swift
    /// let filter: Document = ["age": ["$lt": .maxKey]]
    /// ```
    case maxKey
    /// Less than everything.
    ///
    /// ```swift
    /// let filter: Document = ["age": ["$gt": .minKey]]
    /// ```
    case minKey
    /// Nothing.
    ///
    /// ```swift
    /// let owner: AnyBSON = .null
    /// ```
    case null

    /// Wraps a value of a BSON type. An `Int` becomes an int64.
    ///
    /// ```swift
    /// let name = AnyBSON("Rex"), born = AnyBSON(Date.now)
    /// ```
    public init<T: BSON>(_ bson: T) {
        self =
            switch bson {
            case let value as AnyBSON: value
            case let value as Int: .int64(Int64(value))
            case let value as Int32: .int32(value)
            case let value as Int64: .int64(value)
            case let value as Bool: .bool(value)
            case let value as Double: .double(value)
            case let value as String: .string(value)
            case let value as Data: .binary(value)
            case let value as Date: .datetime(value)
            case let value as Decimal128: .decimal128(value)
            case let value as ObjectId: .objectId(value)
            case let value as UUID: .uuid(value)
            case let value as NSRegularExpression: .regex(value)
            case let value as Document: .document(value)
            case let value as [AnyBSON?]: .array(value)
            case is MaxKey: .maxKey
            case is MinKey: .minKey
            case is NSNull: .null
            default: misuse("Type '\(T.self)' is not a type of BSON: make an AnyBSON of the values in it.")
            }
    }

    /// The same as the initialiser.
    ///
    /// ```swift
    /// let values: [AnyBSON] = [
    ///     .convert(Int32(1)), .bool(true), .binary(Data([1, 2])), .timestamp(Date()), .datetime(Date()),
    ///     .objectId(.generate()), .decimal128(0.1), .uuid(UUID()), .array([1, nil]), .document(["name": "Rex"]),
    ///     .regex(try NSRegularExpression(pattern: "^Re")), .null,
    /// ]
    /// ```
    public static func convert<T: BSON>(_ bson: T) -> AnyBSON { AnyBSON(bson) }
}

// MARK: - What it holds

extension AnyBSON {
    /// The int32, or nil for a value of another type.
    ///
    /// ```swift
    /// let count: AnyBSON = .int32(3)
    /// count.int32Value     // 3
    /// count.int64Value     // nil, and so are the values of all other types
    /// count.boolValue
    /// count.doubleValue
    /// ```
    public var int32Value: Int32? { if case .int32(let value) = self { value } else { nil } }

    /// The int64, or nil for a value of another type.
    ///
    /// ```swift
    /// AnyBSON(10).int64Value          // 10
    /// AnyBSON.int32(10).int64Value    // nil
    /// ```
    public var int64Value: Int64? { if case .int64(let value) = self { value } else { nil } }

    /// The Bool, or nil for a value of another type.
    ///
    /// ```swift
    /// AnyBSON(true).boolValue    // true
    /// ```
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The Double, or nil for a value of another type.
    ///
    /// ```swift
    /// AnyBSON(30.5).doubleValue    // 30.5
    /// ```
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }

    /// The text, or nil for a value of another type.
    ///
    /// ```swift
    /// AnyBSON("Rex").stringValue    // "Rex"
    /// ```
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

    /// The bytes, or nil for a value of another type.
    ///
    /// ```swift
    /// let photo: AnyBSON = .binary(Data([1, 2]))
    /// photo.binaryValue?.count    // 2
    /// ```
    public var binaryValue: Data? { if case .binary(let value) = self { value } else { nil } }

    /// The timestamp as a date, or nil for a value of another type.
    ///
    /// ```swift
    /// let written: AnyBSON = .timestamp(Date())
    /// written.timestampValue    // a Date
    /// written.dateValue         // nil: that is for a datetime
    /// ```
    public var timestampValue: Date? { if case .timestamp(let value) = self { value } else { nil } }

    /// The date, or nil for a value of another type.
    ///
    /// ```swift
    /// AnyBSON(Date.now).dateValue    // the date
    /// ```
    public var dateValue: Date? { if case .datetime(let value) = self { value } else { nil } }

    /// The id, or nil for a value of another type.
    ///
    /// ```swift
    /// let id: AnyBSON = .objectId(.generate())
    /// id.objectIdValue?.stringValue
    /// id.uuidValue    // nil
    /// ```
    public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }

    /// The decimal, or nil for a value of another type.
    ///
    /// ```swift
    /// let price: AnyBSON = .decimal128(19.99)
    /// price.decimal128Value?.stringValue    // "19.99"
    /// ```
    public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }

    /// The UUID, or nil for a value of another type.
    ///
    /// ```swift
    /// AnyBSON(UUID()).uuidValue    // the UUID
    /// ```
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }

    /// The regular expression, or nil for a value of another type.
    ///
    /// ```swift
    /// let name: AnyBSON = .regex(try NSRegularExpression(pattern: "^Re"))
    /// name.regexValue?.pattern    // "^Re"
    /// ```
    public var regexValue: NSRegularExpression? { if case .regex(let value) = self { value } else { nil } }

    /// The document, or nil for a value of another type.
    ///
    /// ```swift
    /// let reply: AnyBSON = ["name": "Rex", "toys": ["ball", nil]]
    /// let toys = reply.documentValue?["toys"]??.arrayValue
    /// toys?.last??.isNull    // nil: null is Swift's nil there
    /// ```
    public var documentValue: Document? { if case .document(let value) = self { value } else { nil } }

    /// The array, or nil for a value of another type.
    ///
    /// ```swift
    /// let toys: AnyBSON = ["ball", "rope"]
    /// toys.arrayValue?.compactMap(\.?.stringValue)    // ["ball", "rope"]
    /// ```
    public var arrayValue: [AnyBSON?]? { if case .array(let value) = self { value } else { nil } }

    /// Whether it is null.
    ///
    /// ```swift
    /// if user.customData["team"]??.isNull ?? true { print("in no team") }
    /// ```
    public var isNull: Bool { self == .null }

    /// The value as a BSON type, or nil when it has another type. See ``asInt()`` for numbers of any type.
    ///
    /// ```swift
    /// let age: Int? = AnyBSON(10).value()    // 10
    /// ```
    public func value<T: BSON>() -> T? {
        switch self {
        case .int32(let value): value as? T ?? Int(value) as? T
        case .int64(let value): value as? T ?? Int(value) as? T
        case .bool(let value): value as? T
        case .double(let value): value as? T
        case .string(let value): value as? T
        case .binary(let value): value as? T
        case .timestamp(let value): value as? T
        case .datetime(let value): value as? T
        case .objectId(let value): value as? T
        case .decimal128(let value): value as? T
        case .uuid(let value): value as? T
        case .regex(let value): value as? T
        case .document(let value): value as? T
        case .array(let value): value as? T
        case .maxKey: MaxKey() as? T
        case .minKey: MinKey() as? T
        case .null: NSNull() as? T
        }
    }

    /// A number of any type as an Int; nil for what is no number, and for one that an Int does not hold exactly.
    ///
    /// ```swift
    /// AnyBSON(10.0).asInt()    // 10
    /// AnyBSON(10.5).asInt()    // nil
    /// ```
    public func asInt() -> Int? { asInt64().flatMap { Int(exactly: $0) } }

    /// A number of any type as an Int32; nil for what is no number, and for one that an Int32 does not hold exactly.
    ///
    /// ```swift
    /// AnyBSON(10.0).asInt32()    // 10
    /// AnyBSON(10.5).asInt64()    // nil
    /// ```
    public func asInt32() -> Int32? { asInt64().flatMap { Int32(exactly: $0) } }

    /// A number of any type as an Int64; nil for what is no number, and for one that an Int64 does not hold exactly.
    ///
    /// ```swift
    /// AnyBSON.int32(10).asInt64()    // 10
    /// ```
    public func asInt64() -> Int64? {
        switch self {
        case .int32(let value): Int64(value)
        case .int64(let value): value
        case .double(let value): Int64(exactly: value)
        case .decimal128(let value): value.isNaN || value.isInfinite ? nil : Int64(value.stringValue) ?? exact(value)
        default: nil
        }
    }

    private func exact(_ decimal: Decimal128) -> Int64? {
        guard let integer = Int64(exactly: decimal.doubleValue), Decimal128(integer) == decimal else { return nil }
        return integer
    }

    /// A number of any type as the nearest Double; nil for what is no number.
    ///
    /// ```swift
    /// AnyBSON(10).asDouble()             // 10.0
    /// AnyBSON("19.99").asDecimal128()    // 19.99
    /// ```
    public func asDouble() -> Double? {
        switch self {
        case .int32(let value): Double(value)
        case .int64(let value): Double(value)
        case .double(let value): value
        case .decimal128(let value): value.doubleValue
        default: nil
        }
    }

    /// A number of any type, or a text that spells one, as a decimal; nil for anything else.
    ///
    /// ```swift
    /// AnyBSON("19.99").asDecimal128()    // 19.99
    /// ```
    public func asDecimal128() -> Decimal128? {
        switch self {
        case .int32(let value): Decimal128(value)
        case .int64(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .decimal128(let value): value
        case .string(let text): try? Decimal128(string: text)
        default: nil
        }
    }
}

// MARK: - Literals

extension AnyBSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A text.
    ///
    /// ```swift
    /// let literals: [AnyBSON] = ["Rex", true, 10, 30.5, ["ball", nil], ["name": "Rex"]]
    /// ```
    public init(stringLiteral value: String) { self = .string(value) }

    /// A Bool.
    ///
    /// ```swift
    /// let isPuppy: AnyBSON = true
    /// ```
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// An int64.
    ///
    /// ```swift
    /// let age: AnyBSON = 10
    /// ```
    public init(integerLiteral value: Int64) { self = .int64(value) }

    /// A Double.
    ///
    /// ```swift
    /// let weight: AnyBSON = 30.5
    /// ```
    public init(floatLiteral value: Double) { self = .double(value) }

    /// An array.
    ///
    /// ```swift
    /// let toys: AnyBSON = ["ball", nil]
    /// ```
    public init(arrayLiteral elements: AnyBSON?...) { self = .array(elements) }

    /// A document. Of two values with one name, the last counts.
    ///
    /// ```swift
    /// let dog: AnyBSON = ["name": "Rex", "age": 10]
    /// ```
    public init(dictionaryLiteral elements: (String, AnyBSON?)...) {
        self = .document(Document(elements, uniquingKeysWith: { $1 }))
    }
}
