import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayWire
import Testing

/// Changed lists, sets, maps and texts that come as what happened to them: what is refused, and what is bounded.
@Suite("Edits in a message of changes")
struct PartEditTests {
    private static let stamp = Stamp(time: 7, client: ClientID(1))
    private static let id = ElementID(client: ClientID(1), counter: 2)

    /// A message whose body is written by hand.
    private func payload(_ body: [UInt8]) -> [UInt8] {
        let payload = DownloadMessage.changes(ViewChunk()).payload
        return payload.prefix(Int(payload[0]) + 1) + body
    }

    /// The body of a change of one object and its one collection.
    private func body(version: UInt8 = 2, kind: UInt8 = 2, _ collection: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: version)
        writer.write(varint: 1)
        writer.write(fixed64: 1)
        // One stamp: integers that are all the same, of its client and of its time.
        writer.write(varint: 1)
        for number in [0, 7] as [Int64] {
            writer.write(byte: 2)
            writer.write(signed: number)
        }
        writer.write(byte: kind)
        // The class; no properties; one collection.
        writer.write(varint: 0)
        writer.write(string: "Note")
        writer.write(varint: 0)
        writer.write(varint: 1)
        writer.write(varint: 1)
        writer.write(string: "tags")
        writer.write(varint: 1)
        // A key, its life, and the stamp that it was born with.
        writer.write(byte: 0)
        for number in [5, 1, 0] as [Int64] {
            writer.write(byte: 2)
            writer.write(signed: number)
        }
        collection(&writer)
        writer.write(byte: 0)
        return writer.bytes
    }

    private func read(_ body: [UInt8]) throws(SyncFailure) -> ViewChunk {
        guard case .changes(let chunk) = try WireCodec.decode(DownloadMessage.self, from: payload(body)) else {
            preconditionFailure("It is a message of changes.")
        }
        return chunk
    }

    private func edits(
        tag: UInt8 = 4, groups: UInt64 = 1, stamp: UInt64 = 0, count: UInt64 = 1, _ operations: [UInt8]
    ) -> (inout ByteWriter) -> Void {
        { writer in
            writer.write(varint: PartEdits.mark)
            writer.write(byte: tag)
            writer.write(varint: groups)
            writer.write(varint: stamp)
            writer.write(varint: count)
            writer.write(raw: operations)
        }
    }

    /// The delete of a list: its kind; the first client, by number and then itself; the counter.
    private static let deletion: [UInt8] = [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4]

    @Test("an edit is read with its stamp")
    func reads() throws {
        let chunk = try read(body(edits(Self.deletion)))
        #expect(
            chunk.updated == [
                ObjectContent(
                    ObjectReference("Note", .int(5)), ObjectState(life: 1, born: Self.stamp),
                    changes: [PartChange("tags", .list([StampedEdit(.delete(Self.id), Self.stamp)]))])
            ])
        let written = DownloadMessage.changes(chunk).payload
        #expect(Array(written.dropFirst(Int(written[0]) + 1)) == body(edits(Self.deletion)))
    }

    @Test("what is no edit is refused")
    func malformed() {
        let bodies: [(String, [UInt8])] = [
            ("edits in the first version of the body", body(version: 1, edits(Self.deletion))),
            ("edits of an object that enters", body(kind: 1, edits(Self.deletion))),
            ("an unknown version", body(version: 3, edits(Self.deletion))),
            ("a kind of other operations", body(edits(tag: 8, Self.deletion))),
            ("no groups", body(edits(groups: 0, Self.deletion))),
            ("more groups than bytes", body(edits(groups: 1 << 40, Self.deletion))),
            ("an unknown stamp", body(edits(stamp: 1, Self.deletion))),
            ("no operations", body(edits(count: 0, Self.deletion))),
            ("more operations than bytes", body(edits(count: 1 << 40, Self.deletion))),
            ("an unknown operation", body(edits([5] + Self.deletion.dropFirst()))),
            ("an operation of a text on a list", body(edits([0x80] + Self.deletion.dropFirst()))),
            ("a client without a number", body(edits([1, 1] + Self.deletion.dropFirst(2)))),
            ("an origin before the first operation", body(edits([0x10] + Self.deletion.dropFirst() + [0]))),
        ]
        for (what, body) in bodies {
            #expect(failure { () throws(SyncFailure) in _ = try read(body) } != nil, "\(what)")
        }
    }

    @Test("operations count among the values of a message")
    func bounded() {
        // A remove of the key null takes two bytes.
        func removes(_ count: Int) -> [UInt8] {
            body(edits(tag: 5, count: UInt64(count), (0..<count).flatMap { _ in [1, 0] as [UInt8] }))
        }
        let cellsMax = 1 << 22
        let most = (cellsMax - 6) / PartEdits.operationWeight
        #expect(failure { () throws(SyncFailure) in _ = try read(removes(most)) } == nil)
        let refused = failure { () throws(SyncFailure) in _ = try read(removes(most + 1)) }
        #expect(refused?.message.contains("more than \(cellsMax) values") == true)
        // An element that a clear names counts twice as much.
        func clears(_ count: Int) -> [UInt8] {
            var writer = ByteWriter()
            writer.write(byte: 4)
            writer.write(varint: UInt64(count))
            writer.write(raw: Array(Self.deletion.dropFirst()))
            writer.write(raw: [UInt8](repeating: 0, count: 2 * (count - 1)))
            return body(edits(writer.bytes))
        }
        let cleared = (cellsMax - 6 - PartEdits.operationWeight) / (2 * PartEdits.operationWeight)
        #expect(failure { () throws(SyncFailure) in _ = try read(clears(cleared)) } == nil)
        #expect(failure { () throws(SyncFailure) in _ = try read(clears(cleared + 1)) } != nil)
    }
}
