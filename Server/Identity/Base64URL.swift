import Foundation

/// RFC 4648 base 64 for URLs, without padding, as a token's parts are written.
enum Base64URL {
    static func encode(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// The bytes of a text without padding, read in one pass; nil when it is none.
    static func decode(_ text: some StringProtocol) -> Data? {
        var bytes = Data(capacity: text.utf8.count / 4 * 3 + 3)
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in text.utf8 {
            let value = values[Int(byte)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        // Six bits alone are no byte. What is left of the last byte means nothing.
        return count == 6 ? nil : bytes
    }

    /// By byte; 64 stands for those that mean nothing.
    private static let values: [UInt8] = {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        var values = [UInt8](repeating: 64, count: 256)
        for (value, letter) in letters.utf8.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()
}
