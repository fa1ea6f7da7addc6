import CausewayModel
import InMemoryTracing
import Testing
import Tracing

@testable import CausewayDaemon
@testable import CausewaySession

@Suite("Tracing")
struct UploadSpansTests {
    private func committed(_ version: UInt64) -> Committed {
        Committed(
            queuedNanoseconds: [1, 2], operations: 7, nanoseconds: 5, version: ServerVersion(version), failure: nil,
            client: ClientID(1), user: "ann", arrival: .now - .milliseconds(50))
    }

    @Test("a span lasts from an upload's arrival until those whom it concerns are told")
    func span() throws {
        let tracer = InMemoryTracer()
        let spans = try #require(UploadSpans(database: "a", tracer: tracer))
        spans.committed(committed(1))
        spans.committed(committed(2))
        #expect(tracer.activeSpans.count == 2)
        spans.looked(through: ServerVersion(1), audiences: 3)
        let finished = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.count == 1 && tracer.activeSpans.count == 1)
        #expect(finished.operationName == "upload")
        #expect(finished.attributes["causeway.operations"]?.toSpanAttribute() == .int64(7))
        let nanoseconds = finished.endInstant.nanosecondsSinceEpoch - finished.startInstant.nanosecondsSinceEpoch
        #expect(nanoseconds >= 50_000_000)
    }

    @Test("without a tracer there are no spans")
    func none() {
        #expect(UploadSpans(database: "a") == nil)
    }

    @Test("spans of commits that nobody looks at do not pile up")
    func bound() throws {
        let tracer = InMemoryTracer()
        let spans = try #require(UploadSpans(database: "a", tracer: tracer))
        for version in 1...1_000 { spans.committed(committed(UInt64(version))) }
        #expect(tracer.activeSpans.count <= 256)
    }
}
