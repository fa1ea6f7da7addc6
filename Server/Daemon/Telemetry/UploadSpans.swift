import CausewayModel
import CausewaySession
import Synchronization
import Tracing

/// Traces uploads: a span from the arrival of an upload until everybody whom it concerns was told, or woken to be told.
///
/// Nothing is kept, and nothing costs, unless a tracer is bootstrapped before the server starts.
final class UploadSpans: Sendable {
    private let database: String
    private let tracer: any Tracer
    /// Open spans of commits that were not looked at yet, oldest first.
    private let open = Mutex<[(version: ServerVersion, span: any Span)]>([])

    /// A look follows each commit at once; more than these are open only when looks fail.
    private static let openMax = 256

    /// Nil when there is no tracer.
    init?(database: String, tracer: (any Tracer)? = nil) {
        let tracer = tracer ?? InstrumentationSystem.tracer
        if tracer is NoOpTracer { return nil }
        self.database = database
        self.tracer = tracer
    }

    func committed(_ committed: Committed) {
        let now = DefaultTracerClock.now.nanosecondsSinceEpoch
        let begin = DefaultTracerClock.Timestamp(
            nanosecondsSinceEpoch: now - min(committed.arrival.elapsedNanoseconds, now))
        let span: any Span = tracer.startSpan("upload", context: .topLevel, ofKind: .server, at: begin)
        span.attributes["causeway.database"] = database
        span.attributes["causeway.uploads"] = committed.queuedNanoseconds.count
        span.attributes["causeway.operations"] = committed.operations
        span.attributes["causeway.version"] = Int64(clamping: committed.version.rawValue)
        span.addEvent("committed")
        let dropped = open.withLock { open in
            open.append((committed.version, span))
            return open.count > Self.openMax ? open.removeFirst().span : nil
        }
        dropped?.end()
    }

    func looked(through version: ServerVersion, audiences: Int) {
        let told = open.withLock { open in
            let told = open.filter { $0.version <= version }
            open.removeAll { $0.version <= version }
            return told
        }
        for (_, span) in told {
            span.attributes["causeway.audiences"] = audiences
            span.end()
        }
    }
}
