import CausewayModel
import CausewayOperations
import CausewayWire
import Testing

/// A column of equal values takes half a byte for each of them, and none once it is compressed: so values are weighed
/// by what becomes of them.
@Suite("The bound of values")
struct ValueBoundTests {
    private let client = ClientID(1)

    /// What no writer of ours would write.
    private struct Written: WireMessage {
        let payload: [UInt8]
    }

    /// An upload of one changeset, its runs written by hand.
    private func upload(_ writeRuns: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: 1)
        writer.write(varint: 1)
        writer.write(varint: 0)
        writer.write(fixed64: client.rawValue)
        writer.write(varint: 1)
        writer.write(fixed64: 1 << 16)
        writer.write(varint: 0)
        writer.write(varint: 0)
        writeRuns(&writer)
        writer.write(byte: 0)
        let empty = UploadRequest(session: 1, changesets: []).payload
        return WireCodec.encode(Written(payload: empty.dropLast(Changeset.encode([]).count) + writer.bytes))
    }

    /// So many objects with so many values each, all of them equal.
    private func upload(rows: Int, columns: Int, behindADelete: Bool) -> [UInt8] {
        upload { write(rows: rows, columns: columns, behindADelete: behindADelete, into: &$0) }
    }

    private func write(rows: Int, columns: Int, behindADelete: Bool, into writer: inout ByteWriter) {
        if behindADelete {
            writer.write(byte: 3)
            writer.write(varint: 0)
            writer.write(string: "Dog")
            writer.write(varint: 2)
            write(rows: 1, columns: 0, into: &writer)
        }
        for start in stride(from: 0, to: rows, by: CreationRun.mostCount) {
            let isFirst = start == 0
            writer.write(byte: 1)
            writer.write(varint: 0)
            if isFirst, !behindADelete { writer.write(string: "Dog") }
            writer.write(varint: 1)
            writer.write(varint: UInt64(columns))
            for column in 1...columns {
                writer.write(varint: UInt64(column))
                if isFirst { writer.write(string: "p\(column)") }
                writer.write(byte: 0)
            }
            write(rows: min(CreationRun.mostCount, rows - start), columns: columns, into: &writer)
        }
    }

    /// A clear of a list that names one element so many times.
    private func upload(cleared count: Int) -> [UInt8] {
        upload { writer in
            writer.write(byte: 4)
            writer.write(varint: 0)
            writer.write(string: "Dog")
            writer.write(PrimaryKey.int(1))
            writer.write(varint: 1)
            writer.write(string: "toys")
            writer.write(varint: 1)
            writer.write(byte: 4)
            writer.write(varint: UInt64(count))
            writer.write(raw: Array(repeating: 0, count: 2 * count))
        }
    }

    private func write(rows: Int, columns: Int, into writer: inout ByteWriter) {
        var body = ByteWriter()
        body.write(keys: .ints(Array(repeating: 7, count: rows)))
        for _ in 0..<columns { body.write(column: SparseColumn(.same(.int(1)), count: rows)) }
        let filling = (rows * (columns + 1) + 1) / 2 - body.bytes.count
        body.write(raw: Array(repeating: 0, count: max(0, filling)))
        writer.write(varint: UInt64(rows))
        writer.write(bytes: body.bytes)
    }

    private func weight(_ body: [UInt8]) throws -> Int {
        let payload = try WireCodec.payload(of: body)
        return try OperationCounts(of: UploadRequest.self, payload: payload, limits: .standard).weight
    }

    @Test("a value in columns weighs two, and four where its object is made by itself")
    func weights() throws {
        #expect(try weight(upload(rows: 1_000, columns: 19, behindADelete: false)) == 1_000 * (4 + 19 * 2))
        #expect(try weight(upload(rows: 1_000, columns: 19, behindADelete: true)) == 4 + 1_000 * (4 + 19 * 4))
        let creates = (0..<1_000).map { key in
            Operation.create(
                ObjectReference("Dog", .int(Int64(key))), life: 1, fields: [FieldValue("name", .string("a"))])
        }
        // No entry of a one-way batch stays in columns.
        let batch = IngestBatch(client: client, first: 1, entries: [creates, creates]).payload
        let counts = try OperationCounts(of: IngestBatch.self, payload: batch, limits: .standard)
        #expect(counts.weight == 2 * 1_000 * (4 + 4))
    }

    @Test("a hundred thousand objects of nineteen values are taken, in columns and behind another operation")
    func bulk() throws {
        for behindADelete in [false, true] {
            let body = upload(rows: 100_000, columns: 19, behindADelete: behindADelete)
            let payload = try WireCodec.payload(of: body)
            var limits = FrameLimits.standard
            limits.operations = 100_001
            let counts = try OperationCounts(of: UploadRequest.self, payload: payload, limits: limits)
            #expect(counts.others == [behindADelete ? 100_001 : 0])
        }
        let read = try WireCodec.decode(
            UploadRequest.self, body: upload(rows: 100_000, columns: 19, behindADelete: false))
        #expect(read.changesets[0].creations.count == 7 && read.changesets[0].operationCount == 100_000)
    }

    @Test("sixteen million values behind one delete are refused before one of them is made, however few bytes they are")
    func wideCreates() throws {
        let body = upload(rows: 99_000, columns: 160, behindADelete: true)
        #expect(body.count < 8_000)
        #expect(try FrameReader.messageBytes(claimedBy: body, limits: .standard) > 7_900_000)
        let failure = #expect(throws: SyncFailure.self) { try WireCodec.decode(UploadRequest.self, body: body) }
        #expect(failure?.code == .messageMalformed && failure?.action == .report)
        #expect(failure?.message.contains("16777216") == true)
        #expect(throws: SyncFailure.self) { try weight(body) }
        // In columns they are refused too: where there are permissions they are judged one by one.
        let columns = upload(rows: 99_000, columns: 160, behindADelete: false)
        #expect(throws: SyncFailure.self) { try WireCodec.decode(UploadRequest.self, body: columns) }
    }

    @Test("a clear of a list of a million elements is taken, one that names sixteen million is refused unread")
    func clears() throws {
        let body = upload(cleared: 1_000_000)
        let payload = try WireCodec.payload(of: body)
        let counts = try OperationCounts(of: UploadRequest.self, payload: payload, limits: .standard)
        #expect(counts.others == [1] && counts.weight == 4 + 8_000_000)
        let costly = upload(cleared: 16_000_000)
        #expect(costly.count < 8_000)
        let failure = #expect(throws: SyncFailure.self) { try WireCodec.decode(UploadRequest.self, body: costly) }
        #expect(failure?.code == .messageMalformed && failure?.message.contains("cleared") == true)
    }
}
