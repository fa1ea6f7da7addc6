package import CausewayModel
import CausewayQuery

/// Reads single values: everything but lists, sets, maps and embedded objects.
package enum ValueReader {
    /// Why a value is not taken: what is expected instead.
    package struct Failure: Error {
        package var expected: String

        package init(expected: String) {
            self.expected = expected
        }
    }

    /// A value of a property, or of an element of one, without links.
    package static func value(_ json: JSON, _ type: PropertyType) throws(Failure) -> Value {
        switch type {
        case .bool: if case .bool(let value) = json { return .bool(value) }
        case .int: if let number = int(json) { return .int(number) }
        case .float: if let number = float(json) { return .float(number) }
        case .double: if let number = double(json) { return .double(number) }
        case .string: if case .string(let text) = json { return .string(text) }
        case .data: if let bytes = binary(json) { return .bytes(bytes) }
        case .date: if let point = date(json) { return .timestamp(point) }
        case .objectId:
            if let id = text(json, "$oid").flatMap({ ObjectIdentifier12(hexadecimal: $0) }) { return .objectId(id) }
        case .uuid: if let id = text(json, "$uuid").flatMap({ UUID16(hyphenated: $0) }) { return .uuid(id) }
        case .decimal128:
            if let number = text(json, "$numberDecimal").flatMap(decimal) { return .decimal(number) }
        case .mixed: return try mixed(json)
        case .object: break
        }
        throw Failure(expected: form(of: type))
    }

    /// A value that says its type itself.
    package static func mixed(_ json: JSON) throws(Failure) -> Value {
        switch json {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .string(let text): return .string(text)
        case .number(let text):
            let isWhole = !text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
            if isWhole, let number = Int64(text) { return .int(number) }
            if !isWhole, let number = double(json) { return .double(number) }
            throw Failure(expected: "a whole number of 64 bits, or a number with a point that a double can hold")
        case .array: break
        case .object(let members):
            switch members.first?.name.string {
            case "$numberLong": if let number = int(json) { return .int(number) }
            case "$numberFloat": if let number = float(json) { return .float(number) }
            case "$numberDouble": if let number = double(json) { return .double(number) }
            case "$numberDecimal": return try value(json, .decimal128)
            case "$binary": return try value(json, .data)
            case "$date": return try value(json, .date)
            case "$oid": return try value(json, .objectId)
            case "$uuid": return try value(json, .uuid)
            default: break
            }
        }
        throw Failure(expected: form(of: .mixed))
    }

    package static func key(_ json: JSON, _ property: Property) throws(Failure) -> PrimaryKey {
        if case .null = json {
            guard property.isOptional else { throw Failure(expected: form(of: property.type)) }
            return .null
        }
        guard let key = PrimaryKey(try value(json, property.type)) else {
            throw Failure(expected: form(of: property.type))
        }
        return key
    }

    /// A key as it stands in a path.
    package static func key(pathText text: String, _ property: Property) -> PrimaryKey? {
        switch property.type {
        case .int: Int64(text).map { .int($0) }
        case .string: .string(text)
        case .objectId: ObjectIdentifier12(hexadecimal: text).map { .objectId($0) }
        case .uuid: UUID16(hyphenated: text).map { .uuid($0) }
        default: nil
        }
    }

    // MARK: - Kinds

    /// The text of an object with this one member.
    private static func text(_ json: JSON, _ tag: String) -> String? {
        guard case .object(let members) = json, members.count == 1 else { return nil }
        return json[tag]?.string
    }

    private static func int(_ json: JSON) -> Int64? {
        if let number = json.int { return number }
        return text(json, "$numberLong").flatMap { Int64($0) }
    }

    private static func double(_ json: JSON) -> Double? {
        number(json, "$numberDouble") { Double($0) }
    }

    private static func float(_ json: JSON) -> Float? {
        number(json, "$numberFloat") { Float($0) } ?? number(json, "$numberDouble") { Float($0) }
    }

    /// A number beyond the largest one is refused, not taken for infinity.
    private static func number<Number: BinaryFloatingPoint>(
        _ json: JSON, _ tag: String, _ parse: (String) -> Number?
    ) -> Number? {
        if case .number(let text) = json { return parse(text).flatMap { $0.isFinite ? $0 : nil } }
        switch text(json, tag) {
        case "NaN": return .nan
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        case let text?:
            // The text of a JSON number, and none of the others that Swift reads.
            guard case .number(let text)? = try? JSONReader.read(Array(text.utf8)) else { return nil }
            return parse(text).flatMap { $0.isFinite ? $0 : nil }
        case nil: return nil
        }
    }

    /// A number beyond the largest one is refused, not taken for infinity.
    private static func decimal(_ text: String) -> DecimalNumber? {
        guard let number = DecimalNumber(text) else { return nil }
        let isInfinite = number == .infinity || number == -.infinity
        return isInfinite && text.utf8.contains { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? nil : number
    }

    private static func binary(_ json: JSON) -> [UInt8]? {
        guard case .object(let members) = json, members.count == 1, let content = json["$binary"],
            let text = content["base64"]?.string,
            content.members?.allSatisfy({ $0.name == "base64" || $0.name == "subType" }) == true
        else { return nil }
        return Base64.decode(Array(text.utf8)[...])
    }

    private static func date(_ json: JSON) -> Timestamp? {
        guard case .object(let members) = json, members.count == 1, let content = json["$date"] else { return nil }
        if let text = content.string { return DateText.point(text) }
        if let milliseconds = int(content) {
            return Timestamp(seconds: milliseconds / 1_000, nanoseconds: Int32(milliseconds % 1_000) * 1_000_000)
        }
        guard content.members?.count == 2, let seconds = content["seconds"].flatMap(int),
            let nanoseconds = content["nanoseconds"]?.int, nanoseconds.magnitude < 1_000_000_000,
            seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
        else { return nil }
        return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    /// How a value of a type is written.
    package static func form(of type: PropertyType) -> String {
        switch type {
        case .bool: "true or false"
        case .int: #"a whole number of 64 bits, or {"$numberLong": "…"}"#
        case .float: #"a number that a float can hold, or {"$numberDouble": "NaN"}"#
        case .double: #"a number that a double can hold, or {"$numberDouble": "NaN"}"#
        case .string: "a string"
        case .data: #"{"$binary": {"base64": "…"}}"#
        case .date: #"{"$date": "2026-11-27T18:59:49Z"}"#
        case .objectId: #"{"$oid": "24 hexadecimal digits"}"#
        case .uuid: #"{"$uuid": "8-4-4-4-12 hexadecimal digits"}"#
        case .decimal128: #"{"$numberDecimal": "1.50"}"#
        case .object: #"{"$ref": "the class", "$id": its primary key}"#
        case .mixed: "a string, a number, a boolean, null, an array, an object, or one of the forms with a $"
        }
    }
}
