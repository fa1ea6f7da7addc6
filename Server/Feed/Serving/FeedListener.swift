import CausewayJSON
import CausewayHTTP
import CausewayModel
import CausewaySession
import CausewayStore
import Synchronization

/// One reader of the feed over HTTP: from its first event to its end.
final class FeedListener: Sendable {
    private let source: FeedSource
    private let caller: FeedCaller
    private let party: FeedParty
    private let query: ChangesQuery
    private let observer: any FeedObserver
    private let now: @Sendable () -> UInt64
    private let place: FeedPlace
    /// Rules under which it began.
    private let permissions: Permissions?
    /// Used by one step at a time.
    private let reader: Mutex<FeedReader>

    /// The most that is encoded before the reader is waited for; one event may go beyond.
    static let partBytesMax = 256 << 10
    /// The time between two signs of life.
    private let heartbeatMilliseconds: UInt64

    private struct Part: Sendable {
        var bytes: [UInt8] = []
        var events = 0
        var isLeft = false
    }

    init(
        _ source: FeedSource, _ caller: FeedCaller, _ party: FeedParty, _ query: ChangesQuery,
        heartbeatMilliseconds: UInt64, observer: any FeedObserver, now: @escaping @Sendable () -> UInt64
    ) throws(FeedFailure) {
        self.source = source
        self.caller = caller
        self.party = party
        self.query = query
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.observer = observer
        self.now = now
        let start = query.since ?? FeedPosition(source.backend.version)
        place = try source.place(for: caller.user, at: start.version)
        permissions = caller.permissions()
        reader = Mutex(FeedReader(from: start, query.selection))
    }

    /// Does the first step, so that a request that cannot be served is refused with a status.
    func answer() async throws(FeedFailure) -> HTTPAnswer {
        try await source.read { [query] snapshot throws(FeedFailure) in
            try Self.check(query.selection.classes ?? [], snapshot.schema)
        }
        let first = try await next()
        return HTTPAnswer(
            status: 200,
            headers: [.init("content-type", query.format.contentType), .init("cache-control", "no-store")],
            body: .stream { [self] writer in try await run(first, writer) })
    }

    private static func check(_ classes: Set<ExactString>, _ schema: Schema) throws(FeedFailure) {
        for name in classes {
            switch schema[name.string]?.kind {
            case .object?: continue
            case .embedded?:
                throw FeedFailure(
                    .classUnknown,
                    "Objects of “\(name.string.prefix(80))” are part of others. Follow the class that holds them.")
            case .asymmetric?:
                throw FeedFailure(
                    .classUnknown, "“\(name.string.prefix(80))” is a one-way class. Sinks carry its objects on.")
            case nil:
                throw FeedFailure(
                    .classUnknown, "The database has no class “\(name.string.prefix(80))”. Correct the name.")
            }
        }
    }

    // MARK: - The stream

    private func run(_ first: Part, _ writer: HTTPBodyWriter) async throws {
        let start = ContinuousClock.now
        observer.observe(.opened(party))
        var ending = FeedEnding.complete
        defer { observer.observe(.ended(party, ending, lifeMilliseconds: start.elapsedNanoseconds / 1_000_000)) }
        do throws(FeedFailure) {
            try await follow(first, writer)
        } catch {
            ending = error.code == .readerGone ? .gone : .failed(error.code)
            guard ending != .gone else { throw error }
            var bytes: [UInt8] = []
            query.format.append("end", nil, error.json, to: &bytes)
            try await writer.write(bytes)
        }
    }

    /// Until the reader has what it asked for.
    private func follow(_ first: Part, _ writer: HTTPBodyWriter) async throws(FeedFailure) {
        var part = first
        var lastSign = ContinuousClock.now
        while true {
            if !part.bytes.isEmpty {
                try await write(part.bytes, writer)
                observer.observe(.told(party, events: part.events))
                lastSign = .now
            }
            place.reached(position.version)
            guard part.isLeft || query.isLive else { return try await sayPosition(writer) }
            // Also while it goes over versions of which there is nothing to tell.
            if rest(after: lastSign) <= .zero {
                try await sayPosition(writer)
                lastSign = .now
            }
            if !part.isLeft {
                let milliseconds = UInt64(max(1, rest(after: lastSign) / .milliseconds(1)))
                await source.bell.wait(beyond: position.version.rawValue, milliseconds: milliseconds)
            }
            try checkCaller()
            part = try await next()
        }
    }

    /// The time that is left until the next sign of life.
    private func rest(after lastSign: ContinuousClock.Instant) -> Duration {
        lastSign + .milliseconds(heartbeatMilliseconds) - .now
    }

    private func write(_ bytes: [UInt8], _ writer: HTTPBodyWriter) async throws(FeedFailure) {
        do {
            try await writer.write(bytes)
        } catch {
            throw FeedFailure(.readerGone, "The reader has gone, or does not read.")
        }
    }

    private func sayPosition(_ writer: HTTPBodyWriter) async throws(FeedFailure) {
        var bytes: [UInt8] = []
        query.format.appendPosition(position, to: &bytes)
        try await write(bytes, writer)
    }

    private var position: FeedPosition { reader.withLock { $0.position } }

    /// A token and rules are good for as long as they are good, however long the answer is.
    private func checkCaller() throws(FeedFailure) {
        if let failure = source.failure ?? caller.refusal() { throw failure }
        if Task.isCancelled { throw FeedFailure(.readerGone, "The reader has gone.") }
        if caller.expires <= now() {
            throw FeedFailure(
                .tokenExpired, "The token has expired. Connect again with a new one, and go on from the last position.")
        }
        guard caller.permissions() == permissions else {
            throw FeedFailure(
                .permissionsChanged,
                "What this user may read has changed. Read the objects anew, then follow the changes from the version of that "
                    + "reading.")
        }
    }

    private func next() async throws(FeedFailure) -> Part {
        try await source.read { [self] snapshot throws(FeedFailure) in
            try reader.withLock { reader throws(FeedFailure) in
                var part = Part()
                part.isLeft = try reader.step(snapshot, under: permissions, until: StepEnd.ofClock()) { event in
                    var json = JSONWriter()
                    event.append(to: &json)
                    query.format.append("change", event.position, json.bytes, to: &part.bytes)
                    part.events += 1
                    return part.bytes.count < Self.partBytesMax
                }
                return part
            }
        }
    }
}

extension FeedFailure.Code {
    /// Nobody is told: the connection is broken.
    fileprivate static let readerGone = FeedFailure.Code("readerGone")
}
