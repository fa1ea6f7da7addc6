import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayWire
import Testing

/// Many alike objects have one form on the wire, and come back as columns.
@Suite struct RunTests {
    private let stamp = Stamp(time: 10 << 16, client: ClientID(9))

    private func run(_ count: Int64) -> ObjectRun {
        func field(_ name: String, at stamp: Stamp? = nil, _ value: (Int64) -> Value) -> ObjectRun.Field {
            ObjectRun.Field(
                name, SparseColumn((0..<count).map(value)), stamp: stamp ?? self.stamp, isDefault: name == "delay")
        }
        return ObjectRun(
            className: "Flight", keys: .ints(Array(0..<count)), life: 1, born: stamp,
            fields: [
                field("carrier", at: Stamp(time: 11 << 16, client: ClientID(8))) { .string("carrier \($0 % 5)") },
                field("delay") { $0 % 3 == 0 ? .null : .double(Double($0) / 2) },
                field("gate") { _ in .null },
                field("plane") { $0 % 4 == 0 ? .null : .link(.string("plane \($0 % 7)")) },
                field("time") { .timestamp(Timestamp(seconds: $0, nanoseconds: 0)) },
            ])
    }

    private func rows(_ run: ObjectRun) -> [ObjectContent] {
        run.objects.map { ObjectContent($0.object, $0.state) }
    }

    private func decoded(_ chunk: ViewChunk) throws -> ViewChunk {
        let message = try WireCodec.decode(DownloadMessage.self, body: WireCodec.encode(DownloadMessage.changes(chunk)))
        guard case .changes(let chunk) = message else {
            Issue.record("changes came back as another message")
            return ViewChunk()
        }
        return chunk
    }

    @Test("a run is written as its objects are") func oneForm() throws {
        let run = run(1_500)
        #expect(
            WireCodec.encode(DownloadMessage.changes(ViewChunk(enteredRuns: [run])))
                == WireCodec.encode(DownloadMessage.changes(ViewChunk(entered: rows(run)))))
    }

    @Test("many alike objects come back as columns, whichever way they were given") func manyAlike() throws {
        let run = run(1_500)
        #expect(try decoded(ViewChunk(enteredRuns: [run])) == ViewChunk(enteredRuns: [run]))
        #expect(try decoded(ViewChunk(entered: rows(run))) == ViewChunk(enteredRuns: [run]))
    }

    @Test("few objects, and objects that differ in more than values, come back one by one") func others() throws {
        let few = rows(run(Int64(ObjectRun.leastCount) - 1))
        #expect(try decoded(ViewChunk(entered: few)).entered == few)
        var unlike = rows(run(100))
        unlike[50].state.life = 3
        #expect(try decoded(ViewChunk(entered: unlike)).entered == unlike)
        unlike = rows(run(100))
        unlike[50].state.fields[0].stamp.time += 1
        #expect(try decoded(ViewChunk(entered: unlike)).entered == unlike)
        let embedded = rows(run(100)).enumerated().map { index, change in
            ObjectContent(
                ObjectReference("Remark", .container(ElementID(client: ClientID(9), counter: UInt64(index)))),
                change.state)
        }
        #expect(try decoded(ViewChunk(entered: embedded)).entered == embedded)
    }
}
