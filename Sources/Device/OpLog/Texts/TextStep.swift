import CausewayMerge
import CausewayModel
import CausewayOperations

/// What one commit did to the runs of a text. The tree `sync.edits` keeps the steps of a text behind its runs, so that an
/// edit costs an entry of its own size and not the runs anew.
struct TextStep: Hashable {
    enum Change: Hashable {
        case insert(ElementID, left: ElementID?, right: ElementID?, count: Int)
        case delete(ElementID, count: Int)
    }

    /// Names the runs behind this step: it is made of the token before, the commit's version and the step. Equal tokens
    /// mean equal runs.
    var token: UInt64 = 0
    /// Bytes of the runs that are stored whole, and of the steps behind them, this one included.
    var storedBytes = 0
    var stepBytes = 0
    /// Whether the runs that are stored whole have this step in them, and so all before it.
    var isFolded = false
    var changes: [Change] = []
    /// The edits that lead back to the text before it; none for what the server sent.
    var reversal: [TextEdit] = []
}

extension TextRuns {
    mutating func join(_ change: TextStep.Change) {
        switch change {
        case .insert(let id, let left, let right, let count): _ = join(count, id, left: left, right: right)
        case .delete(let id, let count): join(deleted: id, count) { _ in }
        }
    }
}

extension TextStep.Change {
    init(_ operation: TextOperation) {
        self =
            switch operation {
            case .insert(let id, let left, let right, let text):
                .insert(id, left: left, right: right, count: text.scalarCount)
            case .delete(let id, let count): .delete(id, count: count)
            }
    }
}

// MARK: - Bytes

extension TextStep {
    /// The step without what is counted and hashed over it.
    private func write(contentTo writer: inout ByteWriter) {
        writer.write(varint: UInt64(changes.count))
        for change in changes {
            switch change {
            case .insert(let id, let left, let right, let count):
                writer.write(byte: 1 | (left == nil ? 0 : 2) | (right == nil ? 0 : 4))
                writer.write(id)
                if let left { writer.write(left) }
                if let right { writer.write(right) }
                writer.write(varint: UInt64(count))
            case .delete(let id, let count):
                writer.write(byte: 0)
                writer.write(id)
                writer.write(varint: UInt64(count))
            }
        }
        writer.write(varint: UInt64(reversal.count))
        for edit in reversal {
            switch edit {
            case .insert(let text, let place):
                writer.write(byte: 1)
                writer.write(varint: UInt64(place))
                writer.write(string: text)
            case .remove(let range):
                writer.write(byte: 0)
                writer.write(varint: UInt64(range.lowerBound))
                writer.write(varint: UInt64(range.count))
            }
        }
    }

    /// Gives the step its token and its size.
    ///
    /// - Parameter whole: the token of the whole runs, if there is no step before.
    mutating func follow(_ last: TextStep?, orWhole whole: UInt64, version: UInt64) {
        var writer = ByteWriter()
        write(contentTo: &writer)
        token = KeyedHash(key: last?.token ?? whole, version).digest(of: writer.bytes).low
        storedBytes = last?.storedBytes ?? 0
        stepBytes = (last?.stepBytes ?? 0) + writer.bytes.count
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(fixed64: token)
        writer.write(varint: UInt64(storedBytes))
        writer.write(varint: UInt64(stepBytes))
        writer.write(byte: isFolded ? 1 : 0)
        write(contentTo: &writer)
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(encoded)
        token = try reader.readFixed64()
        storedBytes = try reader.readNumber()
        stepBytes = try reader.readNumber()
        isFolded = try reader.readByte() != 0
        for _ in 0..<(try reader.readCount(minimumBytesEach: 3)) {
            let flags = try reader.readByte()
            let id = try reader.readElementID()
            if flags & 1 == 0 {
                changes.append(.delete(id, count: try reader.readNumber()))
            } else {
                let left = flags & 2 == 0 ? nil : try reader.readElementID()
                let right = flags & 4 == 0 ? nil : try reader.readElementID()
                changes.append(.insert(id, left: left, right: right, count: try reader.readNumber()))
            }
        }
        for _ in 0..<(try reader.readCount(minimumBytesEach: 3)) {
            let isInsertion = try reader.readByte() == 1
            let place = try reader.readNumber()
            if isInsertion {
                reversal.append(.insert(try reader.readString(), at: place))
            } else {
                reversal.append(.remove(place..<place + (try reader.readNumber())))
            }
        }
        try reader.finish()
    }
}

extension ByteReader {
    /// A count of what is in memory, so it fits half of the numbers.
    fileprivate mutating func readNumber() throws(EncodingError) -> Int {
        let number = try readVarint()
        guard number <= UInt64(Int32.max) else { throw malformed("a number of a text's step") }
        return Int(number)
    }
}
