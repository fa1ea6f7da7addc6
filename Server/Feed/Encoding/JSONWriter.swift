/// Writes JSON as bytes, piece by piece. The commas are its own.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false
    /// Whether the character U+0000, which some readers cannot store, is written as U+FFFD.
    private let replacesNull: Bool

    package init(replacesNull: Bool = false) {
        self.replacesNull = replacesNull
    }

    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        open("{")
        body(&self)
        close("}")
    }

    package mutating func array<Element>(
        _ elements: some Sequence<Element>, _ body: (Element, inout JSONWriter) -> Void
    ) {
        open("[")
        for element in elements { body(element, &self) }
        close("]")
    }

    /// A name inside of an object; its value comes next.
    package mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func string(_ text: String) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { append(escaped: byte) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A number, `true`, `false` or `null`, as it is written.
    package mutating func literal(_ text: String) {
        comma()
        bytes += text.utf8
    }

    package mutating func number(_ number: some BinaryInteger) { literal(String(number)) }

    /// JSON that somebody else wrote.
    package mutating func raw(_ json: some Sequence<UInt8>) {
        comma()
        bytes += json
    }

    // MARK: - Pieces

    private mutating func open(_ bracket: Unicode.Scalar) {
        comma()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): bytes += "\\\"".utf8
        case UInt8(ascii: "\\"): bytes += "\\\\".utf8
        case UInt8(ascii: "\n"): bytes += "\\n".utf8
        case UInt8(ascii: "\r"): bytes += "\\r".utf8
        case UInt8(ascii: "\t"): bytes += "\\t".utf8
        case 0 where replacesNull: bytes += "\u{FFFD}".utf8
        case ..<0x20:
            let digits = String(byte, radix: 16)
            bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
        default: bytes.append(byte)
        }
    }
}

extension JSONWriter {
    package mutating func field(_ name: String, _ text: String) {
        self.name(name)
        string(text)
    }

    package mutating func field(_ name: String, _ number: some BinaryInteger) {
        self.name(name)
        self.number(number)
    }
}
