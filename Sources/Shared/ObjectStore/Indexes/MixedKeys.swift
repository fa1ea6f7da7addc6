import CausewayModel
import CausewayQuery

// Mixed values in an index. Values that compare as equal lie under one key, whatever their types: numbers and bools by
// their amounts, strings and data by their bytes. `ValueComparison` compares two binary numbers by their exact amounts,
// but a binary number with a decimal by the decimal digits that it prints as. So the Float 0.1 and the Double 0.1 both
// equal the decimal 0.1, and differ from each other. The index orders all numbers by these digits. Where the exact
// amount of a binary number could decide otherwise, rows in a narrow range around it are tested again.

extension KeyBuffer {
    /// All numbers and bools.
    static let numberTag: UInt8 = 11
    /// Links to classes that the file does not have, all under one key.
    static let foreignTag: UInt8 = 13

    /// Appends a mixed value as its index orders it. False for a value without an entry: NaN, which equals nothing and
    /// has no order, and a collection.
    func append(mixed value: Value) -> Bool {
        switch value {
        case .null, .string, .timestamp, .objectId, .uuid, .anyObject:
            append(index: value)
        case .bytes(let bytes):
            // Under the tag of strings, not of data.
            bytes.withUnsafeBytes { append(indexText: $0, isData: false) }
        case .bool(let value):
            append(index: .decimal(value ? Self.one : .zero))
        case .int, .float, .double, .decimal:
            guard let number = ValueComparison.decimal(value), !number.isNaN else { return false }
            append(index: .decimal(number))
        case .anyLink:
            append(byte: Self.foreignTag)
        default:
            return false
        }
        return true
    }

    private static let one = DecimalNumber(1)
}

/// The decimal amounts that might equal a number.
struct NumberSpan {
    var low: DecimalNumber
    var high: DecimalNumber
    /// Whether the range is a single amount: every number that prints as it equals it, and no other number does.
    var isExact: Bool

    /// Nil for NaN and for what is no number.
    init?(_ value: Value) {
        let value = if case .bool(let bool) = value { Value.int(bool ? 1 : 0) } else { value }
        guard let number = ValueComparison.decimal(value), !number.isNaN else { return nil }
        isExact = Self.isExact(value, number)
        (low, high) = isExact ? (number, number) : Self.around(value)
    }

    /// Up to here every integer is a Float, and prints as itself.
    private static let floatIntegers = 0x1p24
    /// The same for a Double.
    private static let doubleIntegers = 0x1p53
    /// Larger than any finite Float, and than any number that a finite Float prints as.
    private static let beyondFloats = 0x1p129

    private static func isExact(_ value: Value, _ number: DecimalNumber) -> Bool {
        switch value {
        case .decimal: return true
        case .int(let value): return value.magnitude <= UInt64(floatIntegers)
        case .float(let value):
            if value.isInfinite { return true }
            return Double(value.magnitude) <= floatIntegers && DecimalNumber(reading: Double(value)) == number
        case .double(let value):
            if value.magnitude >= beyondFloats { return true }
            let float = Float(value)
            return value.magnitude <= doubleIntegers && Double(float) == value
                && DecimalNumber(reading: float) == number
        default: return false
        }
    }

    /// From two Floats below to two above. That is wider than the rounding of any comparison.
    private static func around(_ value: Value) -> (low: DecimalNumber, high: DecimalNumber) {
        let float =
            switch value {
            case .int(let value): Float(value)
            case .float(let value): value
            case .double(let value): Float(value)
            default: Float.nan
            }
        let largest = Float.greatestFiniteMagnitude
        if float == .infinity { return (DecimalNumber(reading: largest.nextDown), .infinity) }
        if float == -.infinity { return (-DecimalNumber.infinity, DecimalNumber(reading: -largest.nextDown)) }
        return (DecimalNumber(reading: float.nextDown.nextDown), DecimalNumber(reading: float.nextUp.nextUp))
    }
}

extension IndexRange {
    /// The ranges with the rows of a mixed property that equal a value; nil when the index cannot tell.
    static func equal(mixed value: Value, in transaction: Transaction) -> [IndexRange]? {
        let buffer = transaction.keyBuffer
        if value.isNaN { return [] }
        if let span = NumberSpan(value), !span.isExact {
            return [IndexRange(from: key(span.low, buffer), upTo: behind(key(span.high, buffer)))]
        }
        switch value {
        case .anyObject, .anyLink:
            // A link that is stored with the name of its class may lead to the same object.
            let foreign = IndexRange(prefix: [KeyBuffer.foreignTag], isExact: false)
            guard let object = StoredRow.classed(value, transaction) else { return [foreign] }
            buffer.clear()
            return buffer.append(mixed: .anyObject(object)) ? [IndexRange(prefix: buffer.array), foreign] : nil
        default:
            buffer.clear()
            guard buffer.append(mixed: value) else { return nil }
            return [IndexRange(prefix: buffer.array, isExact: !buffer.isCut)]
        }
    }

    /// Nil when the ends are not of one kind, or have no order.
    init?(mixed bounds: IndexBounds, _ buffer: KeyBuffer) {
        if let prefix = bounds.prefix {
            // Strings and data lie together.
            let text: Value
            switch prefix {
            case .string(let string) where !string.isEmpty: text = prefix
            case .bytes(let bytes) where !bytes.isEmpty:
                guard let string = String(validating: bytes, as: UTF8.self) else { return nil }
                text = .string(string)
            default: return nil
            }
            let isExact = buffer.set(indexPrefix: text)
            let from = buffer.array
            self.init(from: from, upTo: Table.successor(from), isExact: isExact)
            return
        }
        guard let lower = Self.ends(bounds.lower, buffer), let upper = Self.ends(bounds.upper, buffer),
            let tag = lower.low.first ?? upper.low.first,
            lower.low.isEmpty || upper.low.isEmpty || lower.low.first == upper.low.first
        else { return nil }
        var from: [UInt8] = [tag]
        if let bound = bounds.lower {
            from = bound.isIncluded || !lower.isExact ? lower.low : Self.behind(lower.low)
        }
        var upTo: [UInt8] = [tag + 1]
        if let bound = bounds.upper {
            upTo = bound.isIncluded || !upper.isExact ? Self.behind(upper.high) : upper.high
        }
        self.init(from: from, upTo: upTo, isExact: lower.isExact && upper.isExact)
    }

    /// The keys between which an end of a range lies. Both are equal where the index is exact, and empty where the
    /// range has no such end. Nil for a value that has no order.
    private static func ends(
        _ bound: IndexBounds.Bound?, _ buffer: KeyBuffer
    ) -> (low: [UInt8], high: [UInt8], isExact: Bool)? {
        guard let value = bound?.value else { return ([], [], true) }
        if let span = NumberSpan(value) { return (key(span.low, buffer), key(span.high, buffer), span.isExact) }
        switch value {
        case .string, .bytes, .timestamp, .objectId, .uuid:
            buffer.clear()
            guard buffer.append(mixed: value) else { return nil }
            return (buffer.array, buffer.array, !buffer.isCut)
        default: return nil
        }
    }

    private static func key(_ number: DecimalNumber, _ buffer: KeyBuffer) -> [UInt8] {
        buffer.clear()
        buffer.append(index: .decimal(number))
        return buffer.array
    }

    /// No key of an index is all 0xFF.
    private static func behind(_ key: [UInt8]) -> [UInt8] { Table.successor(key) ?? key }
}
