import CausewayJSON
import CausewayModel
import CausewayRealmFile

/// Values in the JSON forms of the sample files (Tests/Vectors/realm-files/README.md).
enum SampleValue {
    static func json(_ value: Value) -> JSON {
        switch value {
        case .null, .object, .link, .anyObject, .anyLink: .null
        case .bool(let value): .bool(value)
        case .int(let value): .number("\(value)")
        case .float(let value): object("bits", .string(hexadecimal(UInt64(value.bitPattern), digits: 8)))
        case .double(let value): object("bits", .string(hexadecimal(value.bitPattern, digits: 16)))
        case .string(let value): .string(value)
        case .bytes(let value): .string(base64(value))
        case .timestamp(let value): .array([.number("\(value.seconds)"), .number("\(value.nanoseconds)")])
        case .objectId(let value):
            .string(hexadecimal(value.high, digits: 16) + hexadecimal(UInt64(value.low), digits: 8))
        case .uuid(let value): .string(hyphenated(value))
        case .decimal(let value): object("decimal", .string(value.description))
        }
    }

    /// A mixed value that is neither a link nor a collection: it names its type.
    static func mixed(_ value: Value) -> JSON {
        guard let type = value.type else { return .null }
        let name =
            switch type {
            case .data: "binary"
            case .date: "timestamp"
            default: "\(type)"
            }
        return object(name, json(value))
    }

    static func object(_ name: String, _ value: JSON) -> JSON { .object([JSON.Member(name, value)]) }

    private static func hexadecimal(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }

    private static func hyphenated(_ id: UUID16) -> String {
        let digits = hexadecimal(id.high, digits: 16) + hexadecimal(id.low, digits: 16)
        return digits.enumerated().map { [8, 12, 16, 20].contains($0) ? "-\($1)" : "\($1)" }.joined()
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (Array(group) + [0, 0]).prefix(3).reduce(0) { $0 << 8 | Int($1) }
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : "=")
            }
        }
        return text
    }
}
