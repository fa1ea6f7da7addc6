import CausewayModel
import CausewayOperations
import CausewayWire
import Testing

/// A few bytes stand for thousands of operations, so they are counted by what they become.
@Suite("The bound of operations")
struct OperationBoundTests {
    private let client = ClientID(1)

    /// Creates in columns, then deletes of one key, which take no bytes of their own.
    private func changesets(creates: Int, deletes: Int) -> [Changeset] {
        let target = ObjectReference("Dog", .int(7))
        return [
            Changeset(
                client: client, sequence: 1, stamp: Stamp(time: 1 << 16, client: client), base: .zero,
                operations: (0..<creates).map {
                    .create(
                        ObjectReference("Dog", .int(Int64($0))), life: 1, fields: [FieldValue("name", .string("a"))])
                } + Array(repeating: .delete(target, life: 2), count: deletes))
        ]
    }

    private func limits(_ operations: Int) -> FrameLimits {
        FrameLimits(frameBytes: 16 << 20, messageBytes: 64 << 20, operations: operations)
    }

    @Test("an upload holds as many operations as it may, in columns and alone together, and not one more")
    func upload() throws {
        let upload = UploadRequest(session: 1, changesets: changesets(creates: 3_000, deletes: 40_000))
        let body = WireCodec.encode(upload)
        #expect(body.count < 5_000)
        let read = try WireCodec.decode(UploadRequest.self, body: body, limits: limits(43_000))
        #expect(read == upload)
        #expect(read.changesets[0].operationCount == 43_000 && read.changesets[0].creations.count == 1)
        let failure = #expect(throws: SyncFailure.self) {
            try WireCodec.decode(UploadRequest.self, body: body, limits: limits(42_999))
        }
        #expect(failure?.code == .messageMalformed && failure?.action == .report)
        #expect(failure?.message.contains("42999 operations") == true)
    }

    @Test("so does a one-way batch")
    func oneWay() throws {
        let entries = changesets(creates: 1_000, deletes: 0).map(\.operations)
        let body = WireCodec.encode(IngestBatch(client: client, first: 1, entries: entries + entries))
        let read = try WireCodec.decode(IngestBatch.self, body: body, limits: limits(2_000))
        #expect(read.entries.count == 2)
        #expect(throws: SyncFailure.self) {
            try WireCodec.decode(IngestBatch.self, body: body, limits: limits(1_999))
        }
    }

    @Test("the elements that a clear names are weighed before they are read, and are no operations")
    func clears() throws {
        let ids = (0..<5_000).map { ElementID(client: client, counter: UInt64($0)) }
        let clear = Operation.list(ObjectReference("Dog", .int(1)), property: "toys", .clear(ids))
        let changeset = Changeset(client: client, sequence: 1, stamp: .zero, base: .zero, operations: [clear])
        #expect(changeset.operationCount == 1 && changeset.workCount == 5_001)
        let body = Changeset.encode([changeset])
        let counts = try Changeset.count(body, weightMax: 1 << 24, operationsMax: 1)
        #expect(counts.others == [1] && counts.weight == 4 + 5_000 * 8)
        #expect(try Changeset.decode(body, weightMax: 40_004, operationsMax: 1) == [changeset])
        let error = #expect(throws: EncodingError.self) {
            try Changeset.decode(body, weightMax: 40_003, operationsMax: 1)
        }
        #expect(error?.code == .tooMuch)
    }

    @Test("a run beyond the bound is refused before it is read")
    func unread() throws {
        var body = Changeset.encode(changesets(creates: 0, deletes: 40_000))
        // What comes behind the first run is noise: whoever looked at it would say so.
        body.replaceSubrange((body.count / 2)..., with: repeatElement(0xFF, count: body.count))
        let error = #expect(throws: EncodingError.self) { try Changeset.decode(body, operationsMax: 10_000) }
        #expect(error?.code == .tooMuch)
    }

    @Test(
        "a message of too many operations is refused before any of its runs is read, and what it holds is told so too")
    func counted() throws {
        let changesets = changesets(creates: 3_000, deletes: 40_000)
        var body = Changeset.encode(changesets)
        let counts = try Changeset.count(body, weightMax: 1 << 24, operationsMax: 43_000)
        #expect(counts.others == [40_000])
        // Four for an operation, two for a name in a column.
        #expect(counts.weight == 43_000 * 4 + 3_000 * 2)
        // Noise in the columns of the first run, which whoever read it would find.
        let columns = body.count / 4
        body.replaceSubrange(columns..<columns + 16, with: repeatElement(0xFF, count: 16))
        let error = #expect(throws: EncodingError.self) { try Changeset.decode(body, operationsMax: 42_999) }
        #expect(error?.code == .tooMuch)
        let found = #expect(throws: EncodingError.self) { try Changeset.decode(body, operationsMax: 43_000) }
        #expect(found?.code == .malformed || found?.code == .truncated)
    }
}
