import Foundation

/// The 64 bytes that encrypt a file. They come from a key file or the environment, never from an argument, because every
/// process of the machine can read the arguments of every other.
package enum FileKey {
    package static let byteCount = 64
    /// Holds a key as 128 hexadecimal digits.
    package static let variable = "CAUSEWAY_KEY"

    /// The key of a file's content: 64 bytes, or 128 hexadecimal digits that a newline may follow.
    package static func key(fromFile path: String) throws -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw FileFailure("The key file '\(path)' cannot be read. Correct its path or its permissions.")
        }
        defer { try? handle.close() }
        let content = [UInt8](try handle.read(upToCount: 4 * byteCount) ?? Data())
        if content.count == byteCount { return content }
        guard let key = key(fromHexadecimal: String(decoding: content, as: UTF8.self)) else {
            throw FileFailure(
                "The key file '\(path)' holds no key. A key is 64 bytes, or the 128 hexadecimal digits of them.")
        }
        return key
    }

    /// The key of the environment, if there is one.
    package static func key(in environment: [String: String]) throws -> [UInt8]? {
        guard let text = environment[variable] else { return nil }
        guard let key = key(fromHexadecimal: text) else {
            throw FileFailure("\(variable) holds no key. Set it to the 128 hexadecimal digits of one.")
        }
        return key
    }

    private static func key(fromHexadecimal text: String) -> [UInt8]? {
        let digits = text.trimmingCharacters(in: .whitespacesAndNewlines).utf8.map { Character(Unicode.Scalar($0)) }
        guard digits.count == 2 * byteCount else { return nil }
        var key: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexDigitValue, let low = digits[index + 1].hexDigitValue else { return nil }
            key.append(UInt8(high << 4 | low))
        }
        return key
    }
}
