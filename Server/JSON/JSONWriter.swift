/// Writes JSON without spaces, in UTF-8, piece by piece. The commas are its own.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// Whether a comma has to stand before what comes next.
    private var needsComma = false
    /// Whether the character U+0000, which some readers cannot store, is written as U+FFFD. In names it is written as U+FFFD
    /// and 0, and U+FFFD twice: two names stay two.
    private let isWithoutNull: Bool

    package init(withoutNull: Bool = false) {
        isWithoutNull = withoutNull
    }

    // MARK: - Values

    package mutating func null() { raw("null") }

    package mutating func write(_ value: Bool) { raw(value ? "true" : "false") }

    package mutating func write(_ value: some BinaryInteger) { raw(String(value)) }

    package mutating func write(_ text: String) {
        begin()
        quote(text, isName: false)
        needsComma = true
    }

    /// A text that tells things apart, as a key does.
    package mutating func write(nameText text: String) {
        begin()
        quote(text, isName: true)
        needsComma = true
    }

    /// What is JSON already.
    package mutating func raw(_ text: String) { raw(text.utf8) }

    package mutating func raw(_ json: some Sequence<UInt8>) {
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

    package mutating func array<Element>(
        _ elements: some Sequence<Element>, _ body: (Element, inout JSONWriter) -> Void
    ) {
        array { array in for element in elements { body(element, &array) } }
    }

    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    /// The name of the member that is written next.
    package mutating func name(_ name: String) {
        begin()
        quote(name, isName: true)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func field(_ name: String, _ text: String) {
        self.name(name)
        write(text)
    }

    package mutating func field(_ name: String, _ number: some BinaryInteger) {
        self.name(name)
        write(number)
    }

    /// An object with one member: the form of extended JSON.
    package mutating func tagged(_ tag: String, _ text: String) {
        object { $0.field(tag, text) }
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

    private mutating func quote(_ text: String, isName: Bool) {
        bytes.append(UInt8(ascii: "\""))
        for byte in (isWithoutNull ? Self.withoutNull(text, isName: isName) : text).utf8 {
            JSONText.append(byte, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func withoutNull(_ text: String, isName: Bool) -> String {
        let replacement: Unicode.Scalar = "\u{FFFD}"
        guard text.unicodeScalars.contains(where: { $0 == "\0" || isName && $0 == replacement }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\0": scalars += [replacement] + (isName ? ["0"] : [])
            case replacement where isName: scalars += [replacement, replacement]
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
