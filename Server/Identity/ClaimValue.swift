/// A JSON value: what a token claims under one name.
package enum ClaimValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([ClaimValue])
    case object([String: ClaimValue])

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// Seconds since 1970, as `exp` and `nbf` hold them, in milliseconds. Times before 1970 become 1970; times too
    /// large become `UInt64.max`; nil for anything but a number.
    var milliseconds: UInt64? {
        let seconds: Double
        switch self {
        case .int(let value): seconds = Double(value)
        case .double(let value): seconds = value
        default: return nil
        }
        guard seconds > 0 else { return 0 }
        return UInt64(exactly: (seconds * 1_000).rounded(.down)) ?? .max
    }

    /// A string, or each string of an array: `iss` and `aud` take both forms.
    var strings: [String] {
        switch self {
        case .string(let value): [value]
        case .array(let values): values.compactMap(\.string)
        default: []
        }
    }
}

/// Decoding is for records of our own. `init(json:within:)` reads what comes from outside: decoding tries one form
/// after the other, and the deeper values are nested, the more it costs for each byte.
extension ClaimValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([ClaimValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: ClaimValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
