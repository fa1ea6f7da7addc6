import CausewayModel
import CausewayOperations
import CausewayWire
import Synchronization

/// A device that speaks the real protocol and keeps nothing but its checkpoint.
final class Device: Sendable {
    let client: ClientID
    let queries: QuerySet
    private let state: Mutex<State>

    private struct State {
        var connection: Connection?
        var session: UInt64 = 0
        var checkpoint = Checkpoint.nothing
        var sequence: UInt64 = 0
        var consumed: UInt64 = 0
        var creditBytes: UInt64 = 0
        var listeners: [@Sendable (DownloadMessage) -> Void] = []
        var live: [CheckedContinuation<Void, any Error>] = []
        var isLive = false
    }

    init(_ number: UInt64, _ queries: [StandingQuery]) {
        client = ClientID(number)
        self.queries = QuerySet(version: 1, queries: queries)
        state = Mutex(State())
    }

    /// Called with every message of the download, on the thread of its connection.
    func listen(_ body: @escaping @Sendable (DownloadMessage) -> Void) {
        state.withLock { $0.listeners.append(body) }
    }

    // MARK: - Connecting

    /// Connects, says hello and begins its download.
    func connect(to site: Site) async throws {
        let connection = try await site.connection(for: client)
        let session = try await hello(over: connection, site)
        try await connection.download(site.path("download"), session) { [weak self] result in
            self?.take(result, connection, site)
        }
    }

    /// Says hello over a connection that may be others' too.
    ///
    /// - Returns: the session, whose download has not begun.
    @discardableResult
    func hello(over connection: Connection, _ site: Site) async throws -> UInt64 {
        let checkpoint = state.withLock { $0.checkpoint }
        let welcome = try await connection.call(
            site.path("session"),
            Hello(
                client: client, protocolVersions: WireProtocol.versions, schema: Note.schema, checkpoint: checkpoint,
                held: checkpoint == .nothing ? .empty : queries, wanted: queries), answer: Welcome.self)
        state.withLock {
            $0.connection = connection
            $0.session = welcome.session
            $0.sequence = max($0.sequence, welcome.committed)
            $0.creditBytes = welcome.limits.creditBytes
            $0.consumed = 0
            // What was there before may be there still.
            $0.isLive = checkpoint != .nothing && welcome.committed <= checkpoint.acknowledged
        }
        return welcome.session
    }

    func disconnect() {
        state.withLock { state in
            state.connection?.close()
            state.connection = nil
        }
    }

    /// Connects, and returns when it has everything that was there.
    func becomeLive(at site: Site) async throws {
        try await connect(to: site)
        try await becomesLive()
    }

    /// Returns when it has everything that was there when it said hello.
    private func becomesLive() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isLive = state.withLock { state in
                if !state.isLive { state.live.append(continuation) }
                return state.isLive
            }
            if isLive { continuation.resume() }
        }
    }

    private func take(
        _ result: Result<(message: DownloadMessage, bytes: Int), any Error>, _ connection: Connection, _ site: Site
    ) {
        switch result {
        case .failure(let error): fail(error)
        case .success((.end(let failure), _)): fail(failure)
        case .success((let message, let bytes)):
            let (listeners, credit, session, live) = state.withLock { state in
                state.consumed += UInt64(bytes)
                let credit = state.consumed >= state.creditBytes / 4 ? state.consumed : 0
                if credit > 0 { state.consumed = 0 }
                var live: [CheckedContinuation<Void, any Error>] = []
                if case .changes(let chunk) = message, let checkpoint = chunk.checkpoint {
                    state.checkpoint = checkpoint
                    state.isLive = true
                    (live, state.live) = (state.live, [])
                }
                return (state.listeners, credit, state.session, live)
            }
            for listener in listeners { listener(message) }
            for waiting in live { waiting.resume() }
            guard credit > 0 else { return }
            Task {
                _ = try? await connection.call(
                    site.path("credit"), CreditRequest(session: session, bytes: credit), answer: Accepted.self)
            }
        }
    }

    private func fail(_ error: any Error) {
        let waiting = state.withLock { state in
            defer { state.live = [] }
            return state.live
        }
        for waiting in waiting { waiting.resume(throwing: error) }
    }

    // MARK: - Writing

    /// Uploads transactions, each as a changeset of its own, and returns when they are durable.
    func upload(_ transactions: [[Operation]], to site: Site) async throws {
        let (connection, session, changesets) = state.withLock { state in
            let changesets = transactions.map { operations in
                state.sequence += 1
                return Changeset(
                    client: client, sequence: state.sequence,
                    stamp: Stamp(time: site.clock.stamp(), client: client), base: state.checkpoint.version,
                    operations: operations)
            }
            return (state.connection, state.session, changesets)
        }
        guard let connection, let last = changesets.last else { throw Connection.Lost() }
        let answer = try await connection.call(
            site.path("upload"), UploadRequest(session: session, changesets: changesets), answer: UploadAnswer.self)
        if let failure = answer.failure { throw failure }
        guard answer.committed >= last.sequence else { throw Connection.Lost() }
    }
}

/// What the devices write.
enum Note {
    static let schema = Schema([
        ClassSchema(
            name: "Note",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "store", type: .int),
                Property(name: "count", type: .int), Property(name: "text", type: .string, isOptional: true),
            ])
    ])

    static func reference(_ id: Int) -> ObjectReference { ObjectReference("Note", .int(Int64(id))) }

    static func create(_ id: Int, store: Int, count: Int = 0, text: String = "") -> Operation {
        .create(
            reference(id), life: 1,
            fields: [
                FieldValue("store", .int(Int64(store))), FieldValue("count", .int(Int64(count))),
                FieldValue("text", .string(text)),
            ])
    }

    static func set(_ id: Int, count: Int) -> Operation { .set(reference(id), FieldValue("count", .int(Int64(count)))) }

    static func query(_ predicate: String) -> StandingQuery { StandingQuery(className: "Note", predicate: predicate) }
}
