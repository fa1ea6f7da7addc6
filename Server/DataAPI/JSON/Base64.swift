/// Base 64 by RFC 4648, with the padding.
enum Base64 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let lettersOfURLs = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// - Parameter isForURL: uses the letters that need no escape in a URL, and no padding.
    static func text(_ bytes: [UInt8], isForURL: Bool = false) -> String {
        let letters = isForURL ? lettersOfURLs : letters
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let piece = bytes[start..<min(start + 3, bytes.count)]
            let bits = piece.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - piece.count))
            for place in 0...piece.count { text.append(letters[Int(bits >> UInt32(18 - 6 * place)) & 63]) }
            if !isForURL { text += repeatElement(UInt8(ascii: "="), count: 3 - piece.count) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for a text that `text(_:isForURL:)` does not write: each sequence of bytes has one text.
    static func bytes(_ text: String, isForURL: Bool = false) -> [UInt8]? {
        var digits = Array(text.utf8)
        if !isForURL {
            guard digits.count % 4 == 0 else { return nil }
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for digit in digits {
            guard let value = value(digit, isForURL) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(_ digit: UInt8, _ isForURL: Bool) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0") + 52)
        case isForURL ? UInt8(ascii: "-") : UInt8(ascii: "+"): 62
        case isForURL ? UInt8(ascii: "_") : UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
