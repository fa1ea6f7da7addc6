import CausewaySeeds

// Constants of a type, each in one of the ways in which it may be written.
extension TextGenerator {
    mutating func constants(of type: PlainType, _ comparator: TreeComparator) -> [(PlainValue, String)] {
        (0..<numbers.below(4)).map { _ in constant(of: type, comparator) }
    }

    mutating func null() -> (PlainValue, String) {
        let isNil = numbers.once(in: 2)
        note(isNil ? "nil" : "NULL")
        return (.null, isNil ? "nil" : "NULL")
    }

    mutating func constant(of type: PlainType, _ comparator: TreeComparator) -> (PlainValue, String) {
        let takesNull = TextGenerator.orders.contains(comparator) || comparator == .isIn
        if takesNull, numbers.once(in: 10) { return null() }
        switch type {
        case .int, .double, .float, .decimal: return number(for: type)
        case .text: return text(comparator)
        case .bytes: return bytes()
        case .date: return date()
        case .objectId: return objectId()
        case .uuid: return identifier()
        case .bool: return bool()
        case .object: return object()
        case .mixed:
            let isText = comparator == .beginsWith || comparator == .contains
            if isText { return text(comparator) }
            return constant(
                of: numbers.one(of: [.int, .double, .decimal, .text, .bytes, .date, .objectId, .uuid, .bool, .object]),
                comparator)
        }
    }

    // MARK: - Numbers

    private mutating func number(for type: PlainType) -> (PlainValue, String) {
        switch numbers.below(type == .int ? 6 : 9) {
        case 0, 1, 2:
            let value = numbers.below(9) - 2
            return (.number(PlainNumber(value), .int), "\(value)")
        case 3 where type == .int:
            note("hexadecimal")
            let value = numbers.below(12)
            return (.number(PlainNumber(value), .int), "0x" + String(value, radix: 16))
        case 4:
            note("infinity")
            let isNegative = numbers.once(in: 2)
            return (.number(.infinity(isNegative: isNegative), .double), isNegative ? "-inf" : "inf")
        case 5 where numbers.once(in: 2):
            note("not a number")
            return (.number(.notANumber, .double), "nan")
        default: return real()
        }
    }

    /// An eighth, or a number beside it that only decimals tell apart.
    private mutating func real() -> (PlainValue, String) {
        let nearest = PlainObject.eighths(&numbers)
        let isNearby = numbers.once(in: 3)
        let exact = isNearby ? PlainObject.nearby(nearest, &numbers) : nearest
        if isNearby { note("all digits") }
        let digits = exact.text
        if numbers.once(in: 4) {
            note("decimal")
            return (.written(exact: exact, nearest: Self.double(exact, nearest), isDecimal: true), "decimal(\(digits))")
        }
        if numbers.once(in: 4) {
            note("exponent")
            return (
                .written(exact: exact, nearest: Self.double(exact, nearest), isDecimal: false),
                (PlainNumber.result(exact, .divided, PlainNumber(10), areIntegers: false) ?? exact).text + "e1"
            )
        }
        return (.written(exact: exact, nearest: Self.double(exact, nearest), isDecimal: false), digits)
    }

    /// Beside zero a Double is as exact as any decimal.
    private static func double(_ exact: PlainNumber, _ nearest: PlainNumber) -> PlainNumber {
        nearest == PlainNumber(0) ? exact : nearest
    }

    // MARK: - Texts and bytes

    private mutating func text(_ comparator: TreeComparator) -> (PlainValue, String) {
        var value = PlainObject.text(&numbers)
        if comparator == .like {
            value = numbers.one(of: ["*", "r*", "*o*", "?ex", "d??", "a*b", "", "*e x*"])
            return (.text(value), "'\(value)'")
        }
        if comparator == .beginsWith || comparator == .endsWith || comparator == .contains {
            value = numbers.one(of: ["r", "re", "ex", "dog", "a", "b", "B", "", "é"])
        }
        if comparator == .equal, numbers.once(in: 6) {
            note("B64 as text")
            return (.text(value), Self.base64(Array(value.utf8)))
        }
        return (.text(value), quoted(value))
    }

    private mutating func quoted(_ value: String) -> String {
        let isSingle = numbers.once(in: 2)
        note(isSingle ? "single quotes" : "double quotes")
        let quote: Character = isSingle ? "'" : "\""
        var text = String(quote)
        for character in value {
            if character == quote || character == "\\" {
                note("escape")
                text.append("\\")
            }
            text.append(character)
        }
        return text + String(quote)
    }

    mutating func search() -> TreeOperand {
        var words = [numbers.one(of: ["rex", "dog", "dogs", "a", "do*", "r*"])]
        if numbers.once(in: 2) { words.append(numbers.one(of: ["-dog", "-rex", "ab"])) }
        let value = words.joined(separator: " ")
        return .constant(.text(value), "'\(value)'")
    }

    private mutating func bytes() -> (PlainValue, String) {
        if numbers.once(in: 3) {
            note("binary")
            let value = numbers.one(of: ["", "a", "ab"])
            return (.bytes(Array(value.utf8)), "binary('\(value)')")
        }
        let value: [UInt8] = numbers.one(of: [[], [0x61], [0x61, 0x62], [0, 255], [0x62]])
        note("B64")
        return (.bytes(value), Self.base64(value))
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 { text.append(place <= part.count ? letters[bits >> (18 - 6 * place) & 63] : "=") }
        }
        return "B64\"\(text)\""
    }

    // MARK: - Dates, ids, bools and objects

    private mutating func date() -> (PlainValue, String) {
        let seconds = numbers.below(4)
        let nanoseconds = numbers.one(of: [0, 1, 124_999_999, 125_000_000, 500_000_000])
        let value = PlainValue.date(seconds: seconds, nanoseconds: nanoseconds)
        if numbers.once(in: 2) {
            note("seconds")
            return (value, "T\(seconds):\(nanoseconds)")
        }
        let isAt = numbers.once(in: 2)
        note(isAt ? "date with @" : "date with T")
        return (value, "1970-01-01\(isAt ? "@" : "T")00:00:0\(seconds):\(nanoseconds)")
    }

    private mutating func objectId() -> (PlainValue, String) {
        note("oid")
        let bytes = [numbers.one(of: [0, 1, 2, 255])] + Array(repeating: UInt8(7), count: 11)
        return (.objectId(bytes), "oid(\(Self.hexadecimal(bytes)))")
    }

    private mutating func identifier() -> (PlainValue, String) {
        note("uuid")
        let bytes = [numbers.one(of: [0, 1, 2, 255])] + Array(repeating: UInt8(9), count: 15)
        var text = ""
        for (place, byte) in bytes.enumerated() {
            text += ([4, 6, 8, 10].contains(place) ? "-" : "") + Self.hexadecimal([byte])
        }
        return (.uuid(bytes), "uuid(\(text))")
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private mutating func bool() -> (PlainValue, String) {
        let value = numbers.once(in: 2)
        switch numbers.below(3) {
        case 0:
            note("YES")
            return (.bool(value), value ? "YES" : "NO")
        case 1: return (.bool(value), value ? "1" : "0")
        default:
            note("true")
            return (.bool(value), value ? "true" : "false")
        }
    }

    mutating func object() -> (PlainValue, String) {
        note("object")
        let row = numbers.below(objectCount)
        return (.object(row), "obj('\(PlainObject.className)', \(row))")
    }
}
