package import CausewayModel
import CausewayQuery

/// Values as plain text, as the data API writes and reads them.
package enum ValueText {
    /// Nil for a date outside of the years 1 to 9999, for bytes that are not UTF-8, and for what is no single value.
    package static func text(of value: Value) -> String? {
        switch value {
        case .bool(let bool): bool ? "true" : "false"
        case .int(let number): String(number)
        case .float(let number): number.isFinite ? "\(number)" : text(number.isNaN, number.sign)
        case .double(let number): number.isFinite ? "\(number)" : text(number.isNaN, number.sign)
        case .string(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        case .timestamp(let point): DateText.text(point)
        case .objectId(let id): id.hexadecimal
        case .uuid(let id): id.hyphenated
        case .decimal(let number): number.description
        case .null, .object, .link, .anyObject, .anyLink: nil
        }
    }

    private static func text(_ isNaN: Bool, _ sign: FloatingPointSign) -> String {
        if isNaN { return "NaN" }
        return sign == .minus ? "-Infinity" : "Infinity"
    }

    /// What a text says of a value of a type; nil if it is none.
    package static func value(_ text: String, _ type: PropertyType) -> Value? {
        switch type {
        case .bool: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
        case .int: Int64(text).map(Value.int)
        case .float, .double: read("$numberDouble", text, type)
        case .decimal128: read("$numberDecimal", text, type)
        case .string: .string(text)
        case .data: .bytes(Array(text.utf8))
        case .date: read("$date", text, type)
        case .objectId: read("$oid", text, type)
        case .uuid: read("$uuid", text, type)
        case .object, .mixed: nil
        }
    }

    private static func read(_ tag: String, _ text: String, _ type: PropertyType) -> Value? {
        try? ValueReader.value(.object([JSON.Member(tag, .string(text))]), type)
    }
}
