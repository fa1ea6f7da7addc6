import CausewayQuery
import CausewayJSON
import CausewayModel

// The JSON form of each value; API.md has them as a table. What is written here is read back as the same bits, also by
// clients that take every number for a double.

extension JSONWriter {
    /// The largest whole number up to which doubles have all of them.
    private static let exactMax: Int64 = 1 << 53 - 1

    /// A value of a property with one type. Null where it is not of that type: the store lets none in.
    mutating func write(_ value: Value, of property: Property) {
        switch value {
        case .float(let number) where property.type != .mixed: write(number.isFinite, "\(number)")
        case .double(let number) where property.type != .mixed: write(number.isFinite, "\(number)")
        case .link(let key): writeLink(property.target ?? "", key)
        default: write(mixed: value)
        }
    }

    /// A value that says its type itself.
    mutating func write(mixed value: Value) {
        switch value {
        case .null, .object, .anyObject, .link: null()
        case .bool(let bool): write(bool)
        case .int(let number): write(int: number)
        case .float(let number): tagged("$numberFloat", Self.text(number.isFinite, "\(number)"))
        case .double(let number): write(mixed: number)
        case .string(let text): write(text)
        case .bytes(let bytes): write(binary: bytes)
        case .timestamp(let point): write(date: point)
        case .objectId(let id): tagged("$oid", id.hexadecimal)
        case .uuid(let id): tagged("$uuid", id.hyphenated)
        case .decimal(let number): tagged("$numberDecimal", number.description)
        case .anyLink(let link): writeLink(link.className, link.key)
        }
    }

    mutating func write(_ key: PrimaryKey) {
        switch key {
        case .container: null()
        default: write(mixed: key.value ?? .null)
        }
    }

    mutating func writeLink(_ className: String, _ key: PrimaryKey) {
        object { link in
            link.name("$ref")
            link.write(className)
            link.name("$id")
            link.write(key)
        }
    }

    // MARK: - Kinds

    private mutating func write(int number: Int64) {
        if (-Self.exactMax...Self.exactMax).contains(number) {
            write(number)
        } else {
            tagged("$numberLong", String(number))
        }
    }

    /// A number that has no digits in JSON is written as text.
    private mutating func write(_ isFinite: Bool, _ description: String) {
        if isFinite { raw(description) } else { tagged("$numberDouble", Self.text(isFinite, description)) }
    }

    /// A client may write 1.0 back as 1, which is an int.
    private mutating func write(mixed number: Double) {
        if number.isFinite, number.rounded(.towardZero) != number {
            raw("\(number)")
        } else {
            tagged("$numberDouble", Self.text(number.isFinite, "\(number)"))
        }
    }

    private static func text(_ isFinite: Bool, _ description: String) -> String {
        if isFinite { return description }
        return switch description {
        case "inf": "Infinity"
        case "-inf": "-Infinity"
        default: "NaN"
        }
    }

    private mutating func write(binary bytes: [UInt8]) {
        object { outer in
            outer.name("$binary")
            outer.object { binary in
                binary.name("base64")
                binary.write(Base64.encode(bytes))
                binary.name("subType")
                binary.write("00")
            }
        }
    }

    private mutating func write(date point: Timestamp) {
        object { outer in
            outer.name("$date")
            guard let text = DateText.text(point) else {
                return outer.object { parts in
                    parts.name("seconds")
                    parts.tagged("$numberLong", String(point.seconds))
                    parts.name("nanoseconds")
                    parts.write(point.nanoseconds)
                }
            }
            outer.write(text)
        }
    }
}
