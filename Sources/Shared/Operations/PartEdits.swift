package import CausewayModel

/// What happened to one list, set, map or text: operations in the order in which the server joined them, each with the
/// stamp of its changeset.
package enum PartEdits: Hashable, Sendable {
    case list([StampedEdit<ListOperation>])
    /// Of a set or a map.
    case keyed([StampedEdit<KeyedOperation>])
    case text([StampedEdit<TextOperation>])
}

package struct StampedEdit<Edit: Hashable & Sendable>: Hashable, Sendable {
    package var edit: Edit
    package var stamp: Stamp

    package init(_ edit: Edit, _ stamp: Stamp) {
        self.edit = edit
        self.stamp = stamp
    }
}

extension PartEdits {
    package var count: Int {
        switch self {
        case .list(let edits): edits.count
        case .keyed(let edits): edits.count
        case .text(let edits): edits.count
        }
    }

    package var isEmpty: Bool { count == 0 }

    /// Operations, and beside them the elements that clears name.
    package var elementCount: Int {
        guard case .list(let edits) = self else { return count }
        return edits.reduce(0) { sum, edit in
            if case .clear(let ids) = edit.edit { sum + 1 + ids.count } else { sum + 1 }
        }
    }

    package var latestStamp: Stamp { stamps.max() ?? .zero }

    /// The stamps of the groups in which the operations are written: neighbours of one stamp are one group.
    package var stamps: [Stamp] {
        switch self {
        case .list(let edits): edits.groups().map(\.stamp)
        case .keyed(let edits): edits.groups().map(\.stamp)
        case .text(let edits): edits.groups().map(\.stamp)
        }
    }
}

// MARK: - As bytes

// The byte table is in ENCODING.md, "Change of a list, set, map or text".

extension PartEdits {
    /// Stands in front of edits where a state may stand. It is greater than the number of positions of any list, and no
    /// mark of a state.
    package static let mark = UInt64(UInt32.max) - 2

    /// Whether the next bytes are edits.
    package static func areNext(in reader: ByteReader) throws(EncodingError) -> Bool {
        var copy = reader
        return try copy.readVarint() == mark
    }

    /// What an operation weighs among the values of a message. An element that a clear names weighs twice as much.
    package static var operationWeight: Int { RunBound.operationWeight }

    /// - Parameter numbers: of `stamps`, which the reader knows by number.
    package func write(to writer: inout ByteWriter, stampNumbers numbers: [Int]) {
        writer.write(varint: Self.mark)
        writer.write(byte: tag)
        writer.write(varint: UInt64(numbers.count))
        var operations = OperationWriter()
        swap(&operations.bytes, &writer)
        defer { swap(&operations.bytes, &writer) }
        switch self {
        case .list(let edits): operations.write(edits.groups(), numbers) { $0.write(run: $1) }
        case .keyed(let edits): operations.write(edits.groups(), numbers) { $0.write(run: $1) }
        case .text(let edits): operations.write(edits.groups(), numbers) { $0.write(run: $1) }
        }
    }

    /// - Parameters:
    ///   - weightMax: how much the operations may weigh; what they do weigh is taken off.
    ///   - stamps: by number.
    package init(
        from reader: inout ByteReader, weightMax: inout Int, stamps: [Stamp]
    ) throws(EncodingError) {
        guard try reader.readVarint() == Self.mark else { throw reader.malformed("no change of a collection is here") }
        let tag = try reader.readByte()
        // A stamp, a count and an operation.
        let groups = try reader.readCount(minimumBytesEach: 4)
        guard groups > 0 else { throw reader.malformed("a change of a collection is empty") }
        var operations = OperationReader(reader, weightMax: weightMax)
        switch tag {
        case RunTag.list:
            self = .list(
                try operations.readGroups(groups, stamps) { reader, take throws(EncodingError) in
                    try reader.readListRun(take)
                })
        case RunTag.keyed:
            self = .keyed(
                try operations.readGroups(groups, stamps) { reader, take throws(EncodingError) in
                    try reader.readKeyedRun(take)
                })
        case RunTag.text:
            self = .text(
                try operations.readGroups(groups, stamps) { reader, take throws(EncodingError) in
                    try reader.readTextRun(take)
                })
        default: throw reader.malformed("\(tag) is no kind of collection")
        }
        weightMax -= operations.weight
        reader = operations.bytes
    }

    private var tag: UInt8 {
        switch self {
        case .list: RunTag.list
        case .keyed: RunTag.keyed
        case .text: RunTag.text
        }
    }
}

extension PartEdits {
    /// The edits with their stamps in front, for a reader that knows none.
    package func writeAlone(to writer: inout ByteWriter) {
        let stamps = stamps
        writer.write(varint: UInt64(stamps.count))
        for stamp in stamps { writer.write(stamp) }
        guard !stamps.isEmpty else { return writer.write(byte: tag) }
        write(to: &writer, stampNumbers: Array(stamps.indices))
    }

    package init(alone reader: inout ByteReader) throws(EncodingError) {
        let count = try reader.readCount(minimumBytesEach: 16)
        var stamps: [Stamp] = []
        for _ in 0..<count { stamps.append(try reader.readStamp()) }
        guard count == 0 else {
            var weightMax = Int.max
            try self.init(from: &reader, weightMax: &weightMax, stamps: stamps)
            return
        }
        switch try reader.readByte() {
        case RunTag.list: self = .list([])
        case RunTag.keyed: self = .keyed([])
        case RunTag.text: self = .text([])
        case let tag: throw reader.malformed("\(tag) is no kind of collection")
        }
    }
}

// MARK: - Groups

private struct Group<Edit> {
    var stamp: Stamp
    var run: [Edit]
}

extension Array {
    /// Neighbours of one stamp together.
    fileprivate func groups<Edit>() -> [Group<Edit>] where Element == StampedEdit<Edit> {
        var groups: [Group<Edit>] = []
        var start = startIndex
        while start < endIndex {
            let stamp = self[start].stamp
            let end = self[start...].firstIndex { $0.stamp != stamp } ?? endIndex
            groups.append(Group(stamp: stamp, run: self[start..<end].map(\.edit)))
            start = end
        }
        return groups
    }
}

extension OperationWriter {
    fileprivate mutating func write<Edit>(
        _ groups: [Group<Edit>], _ numbers: [Int], _ writeRun: (inout OperationWriter, [Edit]) -> Void
    ) {
        precondition(groups.count == numbers.count, "Each group of operations has a stamp.")
        for (group, number) in zip(groups, numbers) {
            bytes.write(varint: UInt64(number))
            bytes.write(varint: UInt64(group.run.count))
            writeRun(&self, group.run)
        }
    }
}

extension OperationReader {
    fileprivate mutating func readGroups<Edit>(
        _ count: Int, _ stamps: [Stamp],
        _ readRun: (inout OperationReader, (Edit) -> Void) throws(EncodingError) -> Void
    ) throws(EncodingError) -> [StampedEdit<Edit>] {
        var edits: [StampedEdit<Edit>] = []
        for _ in 0..<count {
            let number = try bytes.readVarint()
            guard number < UInt64(stamps.count) else {
                throw bytes.malformed("an operation has stamp \(number) of \(stamps.count)")
            }
            let stamp = stamps[Int(number)]
            try readRun(&self) { edits.append(StampedEdit($0, stamp)) }
        }
        return edits
    }
}
