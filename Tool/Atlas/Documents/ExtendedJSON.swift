import CausewayJSON
import CausewayModel
import CausewayQuery

/// The objects of MongoDB's extended JSON 2, canonical and relaxed, that stand for values. The form of version 1 that
/// mongoexport wrote before 4.2 is read for binary data, dates and long numbers.
enum ExtendedJSON {
    struct Failure: Error {
        var reason: String
    }

    /// Whether the name of an object's first member begins with a $.
    static func isTagged(_ token: Int, _ tape: DocumentTape) -> Bool {
        guard token + 1 < tape.tokens.count else { return false }
        return tape.bytes(tape.tokens[token + 1].name).first == UInt8(ascii: "$")
    }

    /// The value that an object stands for; nil if it is an object.
    static func value(_ token: Int, _ name: ByteRange, _ tape: DocumentTape) throws(Failure) -> DocumentToken? {
        let first = token + 1
        let object = Tagged(tape: tape, token: token, first: first)
        let tag = tape.text(tape.tokens[first].name)
        if let foreign = foreign[tag] { return DocumentToken(.foreign, name, high: UInt64(foreign.rawValue)) }
        let result: DocumentToken?
        switch tag {
        case "$oid":
            result = object.text.flatMap { ObjectIdentifier12(hexadecimal: $0) }.map { DocumentToken($0, name) }
        case "$uuid": result = object.text.flatMap { UUID16(hyphenated: $0) }.map { DocumentToken($0, name) }
        case "$numberInt": result = object.text.flatMap { Int32($0) }.map { DocumentToken(int: Int64($0), name) }
        case "$numberLong": result = object.text.flatMap { Int64($0) }.map { DocumentToken(int: $0, name) }
        case "$numberDouble":
            result = object.text.flatMap(double).map { DocumentToken(.double, name, high: $0.bitPattern) }
        case "$numberDecimal":
            result = object.text.flatMap(decimal).map {
                DocumentToken(.decimal, name, high: $0.high, low: $0.low)
            }
        case "$date": result = object.date(name)
        case "$binary": result = object.binary(name)
        default: return nil
        }
        guard let result else {
            throw Failure(
                reason: "\(tag) is followed by another form than its own. Expected: \(forms[tag] ?? "a text")")
        }
        return result
    }

    /// What follows a tag, for messages.
    private static let forms = [
        "$oid": "24 hexadecimal digits, as text", "$uuid": "a UUID as text",
        "$numberInt": "a whole number of 32 bits, as text",
        "$numberLong": "a whole number of 64 bits, as text", "$numberDouble": "a number as text",
        "$numberDecimal": "a decimal number of 34 digits at most, with an exponent that Decimal128 has, as text",
        "$date": "a time as text, as 2024-03-01T09:30:00Z, or milliseconds since 1970 as $numberLong",
        "$binary": "base64 and subType, both as text",
    ]

    private static let foreign: [String: ForeignType] = [
        "$undefined": .undefined, "$minKey": .minKey, "$maxKey": .maxKey, "$regularExpression": .regularExpression,
        "$regex": .regularExpression, "$timestamp": .timestamp, "$symbol": .symbol, "$code": .code,
        "$dbPointer": .pointer,
    ]

    /// Of 34 digits, as MongoDB writes them; nil for one that would be rounded, or be infinite or zero only here.
    private static func decimal(_ text: String) -> DecimalNumber? {
        let mantissa = text.prefix { $0 != "e" && $0 != "E" }
        let digits = mantissa.filter(\.isNumber).drop { $0 == "0" }
        guard digits.count <= 34, let number = DecimalNumber(text) else { return nil }
        if digits.isEmpty { return number }
        return number.isFinite && !number.isZero ? number : nil
    }

    private static func double(_ text: String) -> Double? {
        switch text {
        case "NaN": return .nan
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        default:
            // The text of a JSON number, and none of the others that Swift reads.
            guard case .number(let text)? = try? JSONReader.read(Array(text.utf8)) else { return nil }
            return Double(text).flatMap { $0.isFinite ? $0 : nil }
        }
    }
}

/// An object whose first member's name is a tag.
private struct Tagged {
    let tape: DocumentTape
    let token: Int
    let first: Int

    private var value: DocumentToken { tape.tokens[first] }
    private var isAlone: Bool { value.end == tape.tokens[token].end }

    /// The text of the only member.
    var text: String? { isAlone && value.kind == .string ? tape.text(value.bytes) : nil }

    func date(_ name: ByteRange) -> DocumentToken? {
        guard isAlone else { return nil }
        switch value.kind {
        case .int: return DocumentToken(date: Int64(bitPattern: value.high), name)
        case .string: return DateText.point(text ?? "").map { DocumentToken($0, name) }
        default: return nil
        }
    }

    func binary(_ name: ByteRange) -> DocumentToken? {
        let isOld = value.kind == .string
        let holder = isOld ? token : first
        guard isOld || value.kind == .document,
            let content = tape.child(holder, isOld ? "$binary" : "base64"),
            let type = tape.child(holder, isOld ? "$type" : "subType"),
            tape.children(holder).reduce(0, { n, _ in n + 1 }) == 2,
            isOld || isAlone, tape.tokens[content].kind == .string, tape.tokens[type].kind == .string,
            let subtype = UInt8(tape.text(tape.tokens[type].bytes), radix: 16),
            let bytes = Base64.decode(Array(tape.bytes(tape.tokens[content].bytes))[...])
        else { return nil }
        if subtype == BinarySubtype.uuid, bytes.count == 16 {
            return DocumentToken(UUID16(bytes), name)
        }
        let start = tape.decoded.count
        tape.decoded.append(bytes)
        return DocumentToken(.data, name, bytes: ByteRange(decoded: start..<start + bytes.count))
    }
}

/// What binary data is.
enum BinarySubtype {
    static let uuid: UInt8 = 0x04
}
