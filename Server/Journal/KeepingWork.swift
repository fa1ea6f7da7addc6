import CausewayModel
import CausewayOperations
package import CausewayStore

/// What those do to a database who carry its changes and its one-way objects on: see `OneWayKeeping`.
package enum KeepingWork: Hashable, Sendable {
    /// The order of arrival is noted from here on.
    case keepOrder
    /// The next arrivals get greater numbers than this one.
    case lift(above: UInt64)
    /// One-way objects that are due go.
    case remove(DueArrivals, time: UInt64, after: UInt64, countMax: Int)
    case savePosition([UInt8], name: String)
}

// The byte table is in JOURNAL.md.

private enum KeepingTag {
    static let keepOrder: UInt8 = 1
    static let lift: UInt8 = 2
    static let remove: UInt8 = 3
    static let savePosition: UInt8 = 4
}

extension KeepingWork {
    func encode(into writer: inout ByteWriter) {
        switch self {
        case .keepOrder: writer.write(byte: KeepingTag.keepOrder)
        case .lift(let sequence):
            writer.write(byte: KeepingTag.lift)
            writer.write(varint: sequence)
        case .remove(let due, let time, let start, let countMax):
            writer.write(byte: KeepingTag.remove)
            writer.write(varint: due.through)
            writer.write(varint: due.ageMinMilliseconds)
            writer.write(flag: due.classes != nil)
            if let classes = due.classes {
                writer.write(count: classes.count)
                for name in classes.map(\.string).sorted(by: { $0.precedes($1) }) { writer.write(string: name) }
            }
            writer.write(varint: time)
            writer.write(varint: start)
            writer.write(count: countMax)
        case .savePosition(let position, let name):
            writer.write(byte: KeepingTag.savePosition)
            writer.write(bytes: position)
            writer.write(string: name)
        }
    }

    init(from reader: inout ByteReader) throws(EncodingError) {
        let tag = try reader.readByte()
        switch tag {
        case KeepingTag.keepOrder: self = .keepOrder
        case KeepingTag.lift: self = .lift(above: try reader.readVarint())
        case KeepingTag.remove:
            let (through, age) = (try reader.readVarint(), try reader.readVarint())
            let classes = try reader.readFlag() ? try Self.readNames(&reader) : nil
            let (time, start) = (try reader.readVarint(), try reader.readVarint())
            self = .remove(
                DueArrivals(through: through, ageMinMilliseconds: age, classes: classes), time: time, after: start,
                countMax: try reader.readNumber())
        case KeepingTag.savePosition:
            let position = try reader.readBytes()
            self = .savePosition(position, name: try reader.readString())
        default: throw reader.malformed("\(tag) is no work of those who carry on")
        }
    }

    /// - Throws: also for names that are not in order: equal sets have equal bytes.
    private static func readNames(_ reader: inout ByteReader) throws(EncodingError) -> Set<ExactString> {
        var (names, last): (Set<ExactString>, String?) = ([], nil)
        for _ in 0..<(try reader.readCount(minimumBytesEach: 1)) {
            let name = try reader.readString()
            guard last?.precedes(name) ?? true else { throw reader.malformed("classes are not in order") }
            names.insert(ExactString(name))
            last = name
        }
        return names
    }
}
