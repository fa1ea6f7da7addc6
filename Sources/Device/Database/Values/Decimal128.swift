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
/// 34 digits are rounded half to even. Zeros at the end do not matter for equality, and are kept: `1.0 == 1.00`, and
/// each prints as it was made. NaN equals nothing, itself included; a sorted collection has it first.
public struct Decimal128: Sendable {
    package let number: DecimalNumber

    package init(_ number: DecimalNumber) {
        self.number = number
    }

    /// Zero.
    ///
    /// ```swift
    /// let zero = Decimal128()
    /// ```
    public init() {
        self.init(.zero)
    }

    /// The number that a text spells: `12.50`, `-1E+3`, `Infinity`, `NaN`. Digits beyond the 34th are rounded away.
    ///
    /// ```swift
    /// let price = try Decimal128(string: "19.99")
    /// ```
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
    ///
    /// ```swift
    /// let price = Decimal128(number: NSNumber(value: 19.99))
    /// ```
    public init(number: NSNumber) {
        self.init(DecimalNumber(number.stringValue) ?? DecimalNumber(reading: number.doubleValue))
    }

    /// A number of any type, or a text that spells one. Anything else stops the program.
    ///
    /// ```swift
    /// let price = Decimal128(value: "19.99"), count = Decimal128(value: 3)
    /// ```
    public init(value: Any) {
        guard case .decimal(let number) = storedValue(of: value)?.converted(to: .decimal128, isOptional: false) else {
            misuse(
                "Cannot convert value '\(value)' of type '\(type(of: value))' to decimal128: pass a number, or a string that "
                    + "spells one.")
        }
        self.init(number)
    }

    /// Creates a decimal from an integer.
    ///
    /// ```swift
    /// let three = Decimal128(3)
    /// ```
    public init(_ value: Int) {
        self.init(DecimalNumber(Int64(value)))
    }

    /// Creates a decimal from an integer; one of more than 34 digits is rounded.
    ///
    /// ```swift
    /// let many = Decimal128(UInt64.max)
    /// ```
    public init<T: BinaryInteger>(_ source: T) {
        self.init(DecimalNumber(source) ?? .notANumber)
    }

    /// The decimal that the Double reads like: 0.1 is 0.1, not 0.1000000000000000055….
    ///
    /// ```swift
    /// let price = Decimal128(19.99)
    /// ```
    public init(_ value: Double) {
        self.init(DecimalNumber(reading: value))
    }

    /// The number of Foundation; NaN stays NaN.
    ///
    /// ```swift
    /// let price = Decimal128(Decimal(string: "19.99")!)
    /// ```
    public init(_ value: Decimal) {
        self.init(DecimalNumber(value.description) ?? .notANumber)
    }

    // MARK: - Asking

    /// Whether it is NaN, such as the result of 0 / 0.
    ///
    /// ```swift
    /// let quotient = Decimal128(0) / Decimal128(0)
    /// quotient.isNaN                         // true
    /// quotient.isSignaling                   // false: it was calculated
    /// (Decimal128(1) / 0).isInfinite         // true
    /// ```
    public var isNaN: Bool { number.isNaN }

    /// Whether it is a signaling NaN.
    ///
    /// ```swift
    /// try Decimal128(string: "sNaN").isSignaling    // true
    /// ```
    public var isSignaling: Bool { number.isSignalingNaN }

    /// The same as `isSignaling`, by the name that Swift's own numbers have.
    ///
    /// ```swift
    /// try Decimal128(string: "sNaN").isSignalingNaN    // true
    /// ```
    public var isSignalingNaN: Bool { isSignaling }

    /// Whether it is positive or negative infinity.
    ///
    /// ```swift
    /// (Decimal128(1) / 0).isInfinite    // true
    /// ```
    public var isInfinite: Bool { number.isInfinite }

    /// The number without its sign.
    ///
    /// ```swift
    /// Decimal128(-2).magnitude    // 2
    /// ```
    public var magnitude: Decimal128 { Decimal128(number.magnitude) }

    /// The digits as they were written, with an exponent where plain digits would need more zeros than the number has.
    ///
    /// ```swift
    /// let price: Decimal128 = 19.90
    /// price.stringValue     // "19.9"
    /// price.doubleValue     // 19.9
    /// price.decimalValue    // as Foundation's Decimal
    /// ```
    public var stringValue: String { number.description }

    /// The nearest Double.
    ///
    /// ```swift
    /// Decimal128("19.99").doubleValue    // 19.99
    /// ```
    public var doubleValue: Double { number.double }

    /// The nearest number of Foundation's; NaN for what is beyond its range.
    ///
    /// ```swift
    /// let price: Decimal = Decimal128("19.99").decimalValue
    /// ```
    public var decimalValue: Decimal { Decimal(string: number.description) ?? .nan }

    /// The least finite number, by the name that Swift's own numbers have.
    public static var min: Decimal128 { minimumDecimalNumber }

    /// The largest finite number, by the name that Swift's own numbers have.
    ///
    /// ```swift
    /// Decimal128.min < 0 && Decimal128.max > 0    // true
    /// ```
    public static var max: Decimal128 { maximumDecimalNumber }

    /// The least finite number.
    ///
    /// ```swift
    /// let range = Decimal128.minimumDecimalNumber...Decimal128.maximumDecimalNumber
    /// ```
    public static var minimumDecimalNumber: Decimal128 { Decimal128(-DecimalNumber.greatestFinite) }

    /// The greatest finite number.
    ///
    /// ```swift
    /// Decimal128.maximumDecimalNumber    // 9.999999999999999999999999999999999E+6144
    /// ```
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
    ///
    /// ```swift
    /// let three = Decimal128(exactly: 3)
    /// ```
    public init?(exactly source: some BinaryInteger) {
        guard let number = DecimalNumber(source), String(source).filter(\.isNumber).count <= 34 else { return nil }
        self.init(number)
    }

    /// The negative of the number.
    ///
    /// ```swift
    /// let debt = -Decimal128(3)
    /// ```
    public static prefix func - (operand: Decimal128) -> Decimal128 { Decimal128(-operand.number) }

    /// The sum, rounded to 34 digits.
    ///
    /// ```swift
    /// let total: Decimal128 = "19.99" + "0.01"    // 20.00
    /// ```
    public static func + (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.number + right.number) }

    /// The difference, rounded to 34 digits.
    ///
    /// ```swift
    /// let rest: Decimal128 = "20" - "0.01"    // 19.99
    /// ```
    public static func - (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.number - right.number) }

    /// The product, rounded to 34 digits.
    ///
    /// ```swift
    /// let gross: Decimal128 = "100" * "1.19"    // 119.00
    /// ```
    public static func * (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.number * right.number) }

    /// The quotient, rounded to 34 digits. A number divided by zero is infinite; zero divided by zero is NaN.
    ///
    /// ```swift
    /// let half: Decimal128 = 1 / 2    // 0.5
    /// ```
    public static func / (left: Decimal128, right: Decimal128) -> Decimal128 { Decimal128(left.number / right.number) }

    /// How far it is to another number.
    ///
    /// ```swift
    /// let low: Decimal128 = 1.25
    /// low.distance(to: 2)        // 0.75
    /// low.advanced(by: 0.75)     // 2
    /// ```
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// The number at a distance from this one.
    ///
    /// ```swift
    /// Decimal128(1).advanced(by: 2)    // 3
    /// ```
    public func advanced(by amount: Decimal128) -> Decimal128 { self + amount }

    /// Multiplies by a number.
    ///
    /// ```swift
    /// var price: Decimal128 = 19.99
    /// price *= 3
    /// price /= 2
    /// if price <= 30 { print(price) }
    /// ```
    public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }

    /// Divides by a number.
    ///
    /// ```swift
    /// var share: Decimal128 = 100
    /// share /= 3    // 33.33333333333333333333333333333333
    /// ```
    public static func /= (left: inout Decimal128, right: Decimal128) { left = left / right }
}

extension Decimal128: Hashable, Comparable {
    /// Whether the numbers are equal, whatever zeros they end with.
    ///
    /// ```swift
    /// Decimal128("1.0") == Decimal128("1.00")    // true
    /// ```
    public static func == (left: Decimal128, right: Decimal128) -> Bool { left.number == right.number }

    /// Whether the first number is less. NaN is not less than any number, nor is any less than it.
    ///
    /// ```swift
    /// let cheapest = [Decimal128(3), 1, 2].min()
    /// ```
    public static func < (left: Decimal128, right: Decimal128) -> Bool { left.number < right.number }

    /// Whether the first number is less or equal.
    ///
    /// ```swift
    /// let isPaid = Decimal128("19.99") <= 20
    /// ```
    public static func <= (left: Decimal128, right: Decimal128) -> Bool { left.number <= right.number }

    /// Whether the first number is greater or equal.
    ///
    /// ```swift
    /// let isEnough = Decimal128(20) >= "19.99"
    /// ```
    public static func >= (left: Decimal128, right: Decimal128) -> Bool { left.number >= right.number }

    /// Hashes the number without the zeros at its end.
    ///
    /// ```swift
    /// Set<Decimal128>(["1.0", "1.00"]).count    // 1: hash(into:) knows no zeros at the end
    /// ```
    public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

// MARK: - Writing and reading

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    /// The integer of the literal.
    ///
    /// ```swift
    /// let three: Decimal128 = 3
    /// ```
    public init(integerLiteral value: Int64) {
        self.init(DecimalNumber(value))
    }

    /// The decimal of a floating-point literal. Sixteen digits count; write more as a string literal.
    ///
    /// ```swift
    /// let price: Decimal128 = 19.99
    /// ```
    public init(floatLiteral value: Double) {
        self.init(DecimalNumber(reading: value))
    }

    /// The decimal that a string literal spells. A literal that spells no number stops the program.
    ///
    /// ```swift
    /// let exact: Decimal128 = "0.1000"
    /// ```
    public init(stringLiteral value: String) {
        guard let number = DecimalNumber(value) else { misuse("Invalid Decimal128 string '\(value)'.") }
        self.init(number)
    }
}

extension Decimal128: CustomStringConvertible {
    /// The digits as they were written.
    ///
    /// ```swift
    /// Decimal128("0.1000").description    // "0.1000"
    /// ```
    public var description: String { stringValue }
}

extension Decimal128: Codable {
    /// Reads a string or a number.
    ///
    /// ```swift
    /// let price = try JSONDecoder().decode(Decimal128.self, from: Data(#""19.99""#.utf8))
    /// ```
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

    /// Writes a string, which keeps every digit.
    ///
    /// ```swift
    /// let json = try JSONEncoder().encode(Decimal128("19.99"))    // "19.99", by encode(to:)
    /// ```
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}

extension Decimal128: _PersistableScalar, MinMaxType, AddableType {
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.decimal128) }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Decimal128 { Decimal128() }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    public init?(_stored: _StoredValue) {
        guard case .decimal(let number) = _stored.value else { return nil }
        self.init(number)
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { _StoredValue(.decimal(number)) }
}
