package import CausewayOperations
import CausewayStore

// Numbers in a fixed order, with their count in front: a later generation appends others.

extension RecordSettings {
    package init(encoded bytes: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }

    private static let count: UInt64 = 18

    func encode(into writer: inout ByteWriter) {
        writer.write(varint: Self.count)
        for number in [historyVersionsMax, historyBytesMax, historyAgeMaxMilliseconds] { writer.write(varint: number) }
        writer.write(count: editedBytesMin)
        writer.write(varint: refusalBytesMax)
        writer.write(varint: toldRefusalBytesMax)
        for number in [refusalsMax, pastEntriesMax, ruleElementsMax] { writer.write(count: number) }
        writer.write(varint: receiptsMax)
        writer.write(varint: receiptAgeMaxMilliseconds)
        let bounds = schemaBounds
        for number in [bounds.classes, bounds.properties, bounds.classesOfUser, bounds.propertiesOfUser] {
            writer.write(count: number)
        }
        writer.write(varint: clientDaysMax)
        writer.write(byte: objectsOfUserMax == nil ? 0 : 1)
        writer.write(count: objectsOfUserMax ?? 0)
    }

    init(from reader: inout ByteReader) throws(EncodingError) {
        guard try reader.readVarint() == Self.count else { throw reader.malformed("it has other settings") }
        let history = (try reader.readVarint(), try reader.readVarint(), try reader.readVarint())
        let editedBytesMin = try reader.readNumber()
        let refusals = (try reader.readVarint(), try reader.readVarint())
        let counts = (try reader.readNumber(), try reader.readNumber(), try reader.readNumber())
        let receipts = (try reader.readVarint(), try reader.readVarint())
        let (classes, properties) = (try reader.readNumber(), try reader.readNumber())
        let ofUser = (try reader.readNumber(), try reader.readNumber())
        let clientDaysMax = try reader.readVarint()
        let hasObjectsMax = try reader.readFlag()
        let objectsMax = try reader.readNumber()
        guard hasObjectsMax || objectsMax == 0 else { throw reader.malformed("a limit that there is not has a value") }
        self.init(
            historyVersionsMax: history.0, historyBytesMax: history.1, historyAgeMaxMilliseconds: history.2,
            editedBytesMin: editedBytesMin, refusalBytesMax: refusals.0, toldRefusalBytesMax: refusals.1,
            refusalsMax: counts.0, pastEntriesMax: counts.1, ruleElementsMax: counts.2, receiptsMax: receipts.0,
            receiptAgeMaxMilliseconds: receipts.1,
            schemaBounds: SchemaBounds(
                classes: classes, properties: properties, classesOfUser: ofUser.0, propertiesOfUser: ofUser.1),
            clientDaysMax: clientDaysMax, objectsOfUserMax: hasObjectsMax ? objectsMax : nil)
    }
}
