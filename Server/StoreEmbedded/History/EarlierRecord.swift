import CausewayModel
import CausewayOperations
import CausewayStore

/// Reads the records of a build that kept every image in a tree. Their keys have no ``Layout/recordForm``.
enum EarlierRecord {
    static func read(_ bytes: [UInt8]) throws(EncodingError) -> HistoryRecord {
        var reader = ByteReader(bytes)
        var record = HistoryRecord(client: ClientID(try reader.readFixed64()))
        record.sizeBytes = try reader.readFixed64()
        for _ in 0..<(try reader.readCount(minimumBytesEach: 3)) {
            record.births.append(try HistoryRecord.Birth(from: &reader))
        }
        for _ in 0..<(try reader.readCount(minimumBytesEach: 4)) {
            let flags = EntryFlags(rawValue: try reader.readByte())
            let name = try reader.readObjectName()
            let row = flags.contains(.hasRow) ? ObjectKey(try reader.readSigned()) : nil
            let columns = try reader.readPropertyNumbers()
            let root = flags.contains(.hasRoot) ? try reader.readObjectName() : nil
            record.entries.append(
                HistoryRecord.Entry(
                    name: name, row: row, before: flags.before, columns: columns,
                    effective: flags.contains(.effective), livesDiffer: flags.contains(.livesDiffer), root: root))
        }
        if !reader.isAtEnd { record.time = try reader.readVarint() }
        guard !reader.isAtEnd else { return record }
        for _ in 0..<(try reader.readCount(minimumBytesEach: 3)) {
            let number = try reader.readVarint()
            let (edited, altered) = (try reader.readPropertyNumbers(), try reader.readPropertyNumbers())
            guard number < UInt64(record.entries.count) else {
                throw reader.malformed("edits of an object that is not there")
            }
            (record.entries[Int(number)].edited, record.entries[Int(number)].altered) = (edited, altered)
        }
        return record
    }
}
