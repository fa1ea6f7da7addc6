/// Bytes that are not what their format says: cut short, altered, or written by something newer.
@usableFromInline
package struct EncodingError: Error, Hashable, Sendable {
    package var code: Code
    /// What was expected and what to do about it, in a sentence.
    package var message: String
    /// Where in the bytes the reader stood.
    package var offset: Int

    package init(_ code: Code, _ message: String, offset: Int) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    package struct Code: RawRepresentable, Hashable, Sendable {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The bytes end before what they promise. Get them again.
        package static let truncated = Code(rawValue: 1)
        /// The bytes say something that the format does not allow. Get them again; if that does not help, report it.
        package static let malformed = Code(rawValue: 2)
        /// The bytes are of a version that this program does not know. Update the program.
        package static let unsupportedVersion = Code(rawValue: 3)
        /// The bytes hold more than the reader takes at once. Write less at once.
        package static let tooMuch = Code(rawValue: 4)
    }
}

extension EncodingError: CustomStringConvertible {
    @usableFromInline
    package var description: String {
        "\(message) (at byte \(offset))"
    }
}
