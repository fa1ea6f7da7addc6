import CausewayMerge
import CausewayOperations

/// What the server has of an object that was changed here, and the last changeset that changed it.
struct BaseCopy: Hashable {
    var state: ObjectState
    var lastSequence: UInt64
    /// The version of the file whose texts are the server's. Then `state` has no texts: they follow from what the row shows
    /// and from the steps since, so that a keystroke does not copy the text. Nil when the state is whole.
    var textsAsOf: UInt64?
}

extension BaseCopy {
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(varint: lastSequence)
        state.write(to: &writer)
        if let textsAsOf { writer.write(varint: textsAsOf) }
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(encoded)
        lastSequence = try reader.readVarint()
        state = try ObjectState(from: &reader)
        if !reader.isAtEnd { textsAsOf = try reader.readVarint() }
        try reader.finish()
    }
}
