package import CausewayModel
import CausewayQuery

// The JSON form of each value, wherever the server writes one: in the data API, the change feed, webhooks and sinks. API.md of the
// data API has them as a table. What is written here `ValueReader` reads back as the same bits, also from clients that take every
// number for a double.

extension JSONWriter {
    /// The largest whole number up to which doubles have all of them.
    private static let exactMax: Int64 = 1 << 53 - 1

    /// A value of a property.
    package mutating func write(_ value: Value, of property: Property) {
        switch value {
        case .link(let key): write(link: ClassedLink(property.target ?? "", key))
        default: if property.type == .mixed { write(mixed: value) } else { write(typed: value) }
        }
    }

    /// A value whose type the reader knows.
    package mutating func write(typed value: Value) {
        switch value {
        case .float(let number): write(number.isFinite, "\(number)")
        case .double(let number): write(number.isFinite, "\(number)")
        default: write(mixed: value)
        }
    }

    /// A value that says its type itself.
    package mutating func write(mixed value: Value) {
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
        case .anyLink(let link): write(link: link)
        }
    }

    package mutating func write(_ key: PrimaryKey) {
        switch key {
        case .container: null()
        case .string(let text): write(nameText: text)
        default: write(mixed: key.value ?? .null)
        }
    }

    package mutating func write(link: ClassedLink) {
        object { json in
            json.field("$ref", link.className)
            json.name("$id")
            json.write(link.key)
        }
    }

    // MARK: - Maps

    /// Begins a map, or an embedded object. If one of its names begins with $, the object would be taken for one of the forms. So
    /// it is put into `{"$map": …}`.
    package mutating func openMap(hasTags: Bool) {
        if hasTags {
            open(UInt8(ascii: "{"))
            name("$map")
        }
        open(UInt8(ascii: "{"))
    }

    package mutating func closeMap(hasTags: Bool) {
        if hasTags { close(UInt8(ascii: "}")) }
        close(UInt8(ascii: "}"))
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

extension String {
    /// Whether a member of this name makes an object one of the forms with a $.
    package var isTag: Bool { utf8.first == UInt8(ascii: "$") }
}
