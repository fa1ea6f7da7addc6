import CausewayModel
import CausewayStorage

/// The chunks that a long text must have, as their entries come by in ascending order.
struct StoredText {
    private var row: [UInt8] = []
    private var expected: [UInt64: TextHead.Part] = [:]
    private(set) var byteCount = 0
    /// Whether the head names a chunk twice.
    private var repeats = false

    init() {}

    /// - Parameter key: of the head.
    init(_ key: UnsafeRawBufferPointer, _ head: TextHead) {
        row = Array(key)
        for part in head.parts where expected.updateValue(part, forKey: part.id) != nil { repeats = true }
        byteCount = head.parts.reduce(0) { $0 + $1.bytes }
    }

    /// Whether all chunks came by, each for one place.
    var isComplete: Bool { expected.isEmpty && !repeats }

    /// Whether a chunk is one of those that the head names, and what it says of it.
    mutating func takes(_ key: UnsafeRawBufferPointer, _ chunk: UnsafeRawBufferPointer) -> Bool {
        guard key.prefix(row.count).elementsEqual(row), let part = expected.removeValue(forKey: key.readUInt64(at: 12))
        else { return false }
        return part.bytes == chunk.count && part.scalars == chunk.scalarCount
            && String(validating: chunk, as: UTF8.self) != nil
    }
}

/// A long text that lies in chunks, in one piece.
final class JoinedText {
    let bytes: UnsafeRawBufferPointer

    /// A chunk that is missing is left out; ``StoredText`` finds it.
    init?(_ entry: UnsafeRawBufferPointer, _ column: UInt32, _ row: Int64, _ reader: any StorageReader) {
        guard let head = TextHead(entry) else { return nil }
        var joined: [UInt8] = []
        for part in head.parts {
            let key = LongValues.key(column, row, chunk: part.id)
            joined += reader.get(FixedTree.longValues, key).map { Array($0) } ?? []
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: joined.count, alignment: 16)
        memory.copyBytes(from: joined)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit {
        bytes.deallocate()
    }
}
