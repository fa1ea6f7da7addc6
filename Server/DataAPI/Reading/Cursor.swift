import CausewayQuery
import CausewayModel
import CausewayOperations
import CausewayStore

/// The text that says behind which object the next page begins. It is no secret and grants nothing: every page is read
/// under the rules of its own request.
///
/// | Part | Bytes |
/// |---|---|
/// | form | 1 |
/// | request | 8: names class, query, order and its types, so that a cursor of another list is noticed |
/// | row | signed |
/// | values | varint count, values alone (ENCODING.md) |
enum Cursor {
    private static let form: UInt8 = 1

    static func text(_ position: SortOrder.Position, of request: UInt64) -> String {
        var writer = ByteWriter()
        writer.write(byte: form)
        writer.write(fixed64: request)
        writer.write(signed: position.row.rawValue)
        writer.write(varint: UInt64(position.values.count))
        for value in position.values { writer.write(value) }
        return urlText(writer.bytes)
    }

    static func position(_ text: String, of request: UInt64, keys: Int) throws(APIError) -> SortOrder.Position {
        guard let bytes = urlBytes(text), let read = try? read(bytes) else {
            throw APIError(.requestInvalid, "after is no cursor. Take it from next of the page before.")
        }
        guard read.request == request, read.position.values.count == keys else {
            throw APIError(
                .requestInvalid,
                "after belongs to a list with another class, where or sort, or to one whose property has got another type. Ask for "
                    + "the next page with the same ones, or begin anew.")
        }
        return read.position
    }

    private static func read(_ bytes: [UInt8]) throws(EncodingError) -> (request: UInt64, position: SortOrder.Position)
    {
        var reader = ByteReader(bytes)
        guard try reader.readByte() == form else { throw reader.malformed("this is no cursor") }
        let request = try reader.readFixed64()
        let row = ObjectKey(try reader.readSigned())
        var values: [Value] = []
        for _ in 0..<(try reader.readCount(minimumBytesEach: 1)) { values.append(try reader.readValue()) }
        guard reader.isAtEnd else { throw reader.malformed("a cursor goes on behind its end") }
        return (request, SortOrder.Position(values: values, row: row))
    }

    // Base 64 with the letters that need no escape in a URL, and without padding.

    private static func urlText(_ bytes: [UInt8]) -> String {
        Base64.encode(bytes).replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
    }

    /// Nil for a text that `urlText` does not write.
    private static func urlBytes(_ text: String) -> [UInt8]? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let letters = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - letters.utf8.count % 4) % 4)
        return Base64.decode(Array((letters + padding).utf8)[...])
    }

    /// Names what a list is about.
    ///
    /// - Parameter types: of the properties of the order. Values of another type stand in another order.
    static func request(
        _ className: String, _ query: String?, _ sort: String?, _ types: [PropertyType]
    ) -> UInt64 {
        var fingerprint = Fingerprint()
        for text in [className, query ?? "", sort ?? ""] + types.map({ "\($0)" }) { fingerprint.add(text) }
        return fingerprint.value
    }
}
