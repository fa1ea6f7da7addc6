import CausewayOperations
import CausewayStore

/// The stored form: a varint, about how many bytes the whole state takes; the edits with their stamps.
extension KeptEdits {
    static func encode(_ edits: PartEdits, wholeBytes: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(varint: UInt64(wholeBytes))
        edits.writeAlone(to: &writer)
        return writer.bytes
    }

    init(encoded bytes: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(bytes)
        let wholeBytes = Int(clamping: try reader.readVarint())
        let edits = try PartEdits(alone: &reader)
        try reader.finish()
        self.init(edits: edits, sizeBytes: bytes.count, wholeBytes: wholeBytes)
    }
}
