/// Writes JSON without spaces, in UTF-8.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    /// Whether a comma has to stand before what comes next.
    private var needsComma = false

    package init() {}

    // MARK: - Values

    package mutating func null() { raw("null") }

    package mutating func write(_ value: Bool) { raw(value ? "true" : "false") }

    package mutating func write(_ value: some BinaryInteger) { raw(String(value)) }

    package mutating func write(_ text: String) {
        begin()
        quote(text)
        needsComma = true
    }

    /// What is JSON already.
    package mutating func raw(_ text: String) {
        begin()
        bytes += Array(text.utf8)
        needsComma = true
    }

    package mutating func raw(_ json: [UInt8]) {
        begin()
        bytes += json
        needsComma = true
    }

    // MARK: - Arrays and objects

    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        body(&self)
        close(UInt8(ascii: "]"))
    }

    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    /// The name of the member that is written next.
    package mutating func name(_ name: String) {
        begin()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// An object with one member: the form of extended JSON.
    package mutating func tagged(_ tag: String, _ text: String) {
        object { object in
            object.name(tag)
            object.write(text)
        }
    }

    package mutating func open(_ byte: UInt8) {
        begin()
        bytes.append(byte)
        needsComma = false
    }

    package mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    // MARK: - Pieces

    private mutating func begin() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case ..<0x20:
                bytes += Array("\\u00".utf8)
                bytes += HexDigits.text(byte)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
