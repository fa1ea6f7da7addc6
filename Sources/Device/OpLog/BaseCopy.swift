import CausewayMerge
import CausewayOperations

/// What the server has of an object that was changed here, and the last changeset that changed it.
struct BaseCopy: Hashable {
    var state: ObjectState
    var lastSequence: UInt64
}

extension BaseCopy {
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(varint: lastSequence)
        state.write(to: &writer)
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(encoded)
        lastSequence = try reader.readVarint()
        state = try ObjectState(from: &reader)
        try reader.finish()
    }
}
