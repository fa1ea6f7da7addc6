package import CausewayModel
public import Foundation

/// A decimal number of up to 34 digits, exact where a Double is not: money, measurements, anything that people wrote
/// down in decimal.
///
/// ```swift
/// class Invoice: Object {
///     @Persisted var total: Decimal128
/// }
/// let price: Decimal128 = 19.99
/// let exact = try Decimal128(string: "0.1000")
/// invoices.where { $0.total > 100 }
/// ```
///
/// It is the decimal128 of IEEE 754-2008: exponents from -6176 to 6111, infinities and NaN. Results that need more than
/// 34 digits are rounded half to even. Numbers are equal whatever zeros they are written with, and keep those zeros:
/// `1.0 == 1.00`, and each prints as it was made. NaN equals nothing, itself included; a sorted collection has it first.
public struct Decimal128: Sendable {
    package let number: DecimalNumber

    package init(_ number: DecimalNumber) {
        self.number = number
    }

    /// Zero.
    public init() {
        self.init(.zero)
    }

    /// The number that a text spells: `12.50`, `-1E+3`, `Infinity`, `NaN`. Digits beyond the 34th are rounded away.
    ///
    /// - Throws: `Realm.Error.invalidInput` when the text is no number.
    public init(string: String) throws {
        guard let number = DecimalNumber(string) else {
            throw Realm.Error(
                .invalidInput,
                "Invalid Decimal128 string '\(string)': write digits with an optional point and exponent, such as "
                    + "'12.50' or '1E+3', or 'Infinity' or 'NaN'."
            )
        }
        self.init(number)
    }

    /// A number of Foundation. A Double or Float becomes the decimal that it reads like: 0.1 is 0.1.
    public init(number: NSNumber) {
        self.init(DecimalNumber(number.stringValue) ?? DecimalNumber(reading: number.doubleValue))
    }

    /// A number of any type, or a text that spells one.
    ///
    /// - Throws: `Realm.Error.invalidInput` when it is neither.
    public init(value: Any) throws {
        switch value {
        case let text as String: try self.init(string: text)
        default:
            guard case .decimal(let number) = storedValue(of: value)?.converted(to: .decimal128, isOptional: false)
            else {
                throw Realm.Error(
                    .invalidInput,
                    "Cannot make a Decimal128 of a value of type '\(type(of: value))': pass a number, or a string that "
                        + "spells one."
                )
            }
            self.init(number)
        }
    }

    public init(_ value: Int) {
        self.init(DecimalNumber(Int64(value)))
    }

    /// The decimal that the Double reads like: 0.1 is 0.1, not 0.1000000000000000055….
    public init(_ value: Double) {
        self.init(DecimalNumber(reading: value))
    }

    public init(_ value: Decimal) {
        self.init(DecimalNumber(value.description) ?? .notANumber)
    }

    // MARK: - Asking

    /// Whether it is no number, such as the result of 0 / 0.
    public var isNaN: Bool { number.isNaN }

    /// Whether it is a NaN that was made to be noticed.
    public var isSignaling: Bool { number.isSignalingNaN }

    public var isInfinite: Bool { number.isInfinite }

    /// The number without its sign.
    public var magnitude: Decimal128 { Decimal128(number.magnitude) }

    /// The digits as they were written, with an exponent where plain digits would need more zeros than the number has.
    public var stringValue: String { number.description }

    /// The nearest Double.
    public var doubleValue: Double { number.double }

    /// The nearest number of Foundation's; NaN for what is beyond its range.
    public var decimalValue: Decimal { Decimal(string: number.description) ?? .nan }

    /// The least finite number.
    public static var minimumDecimalNumber: Decimal128 { Decimal128(-DecimalNumber.greatestFinite) }

    /// The greatest finite number.
    public static var maximumDecimalNumber: Decimal128 { Decimal128(.greatestFinite) }
}

extension DecimalNumber {
    /// Nil for an integer of more than 64 bits.
    fileprivate init?(_ integer: some BinaryInteger) {
        if let value = Int64(exactly: integer) {
            self.init(value)
        } else {
            self.init(String(integer))
        }
    }
}

// MARK: - Calculating and comparing

extension Decimal128: SignedNumeric {
    /// Nil for an integer with more digits than the number can hold.
    public init?(exactly source: some BinaryInteger) {
        guard let number = DecimalNumber(source), String(source).filter(\.isNumber).count <= 34 else { return nil }
        self.init(number)
    }

    public static prefix func - (operand: Decimal128) -> Decimal128 { Decimal128(-operand.number) }

    public static func + (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.number + right.number) }

    public static func - (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.number - right.number) }

    public static func * (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.number * right.number) }

    /// A number divided by zero is infinite; zero divided by zero is NaN.
    public static func / (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.number / right.number) }

    public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }

    public static func /= (left: inout Decimal128, right: Decimal128) { left = left / right }
}

extension Decimal128: Hashable, Comparable {
    public static func == (left: Decimal128, right: Decimal128) -> Bool { left.number == right.number }

    public static func < (left: Decimal128, right: Decimal128) -> Bool { left.number < right.number }

    public static func <= (left: Decimal128, right: Decimal128) -> Bool { left.number <= right.number }

    public static func >= (left: Decimal128, right: Decimal128) -> Bool { left.number >= right.number }

    public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

// MARK: - Writing and reading

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) {
        self.init(DecimalNumber(value))
    }

    /// Sixteen digits of the literal count; write more as a string literal.
    public init(floatLiteral value: Double) {
        self.init(DecimalNumber(reading: value))
    }

    /// A literal that spells no number is a mistake of the program and stops it.
    public init(stringLiteral value: String) {
        guard let number = DecimalNumber(value) else { misuse("Invalid Decimal128 string '\(value)'.") }
        self.init(number)
    }
}

extension Decimal128: CustomStringConvertible {
    public var description: String { stringValue }
}

extension Decimal128: Codable {
    /// From a string, or from a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            try self.init(string: text)
        } else if let integer = try? container.decode(Int64.self) {
            self.init(DecimalNumber(integer))
        } else {
            self.init(DecimalNumber(reading: try container.decode(Double.self)))
        }
    }

    /// As a string, which keeps every digit.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}

extension Decimal128: _PersistableScalar, MinMaxType, AddableType {
    public static var _scalarType: _ScalarType { _ScalarType(.decimal128) }

    public static func _zeroValue() -> Decimal128 { Decimal128() }

    public init?(_stored: _StoredValue) {
        guard case .decimal(let number) = _stored.value else { return nil }
        self.init(number)
    }

    public var _stored: _StoredValue { _StoredValue(.decimal(number)) }
}
