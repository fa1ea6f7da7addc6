import Foundation

/// RFC 4648 base64url without padding, as the parts of a token are written.
enum Base64URL {
    static func encode(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// Decodes a text without padding, in one pass; nil when it is not base64url.
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
        // Six bits alone are no byte. Bits that are left over are ignored.
        return count == 6 ? nil : bytes
    }

    /// By byte; 64 stands for bytes outside of the alphabet.
    private static let values: [UInt8] = {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        var values = [UInt8](repeating: 64, count: 256)
        for (value, letter) in letters.utf8.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()
}
