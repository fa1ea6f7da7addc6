import CausewayEndpoint
import CausewayEnvironment
import CausewayLimits
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayWire
import NIOPosix
import Synchronization

/// A database that remembers what it was told and sends what a test gives it.
final class FakeService: SyncService {
    struct State {
        var told: [String] = []
        var uploadsNow = 0
        var uploadsMost = 0
        /// By the sequence of their last changeset: whether they were read on an event loop.
        var uploadsOnLoop: [UInt64: Bool] = [:]
        /// Bytes of download messages that `send` said are out.
        var sentBytes = 0
        var downloadsRunning = 0
        var ending: SyncFailure?
        /// Of the download that began last.
        var outlet: DownloadOutlet?
        var isAnswering = true
    }

    var isAnswering: Bool { state.withLock { $0.isAnswering } }

    func knows(_ caller: KnownCaller) -> Bool { true }

    let state = Mutex(State())
    /// What a download sends, in order; then it waits.
    private let script: [DownloadMessage]
    private let uploadPause: Duration
    private let rates: RateGate
    /// Whether an upload waits for `releaseUpload`, and finds its session ended if the service was, as conversations do.
    private let holdsUploads: Bool
    private let releases: AsyncStream<Void>
    private let release: AsyncStream<Void>.Continuation
    private let bells: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    init(
        script: [DownloadMessage] = [], uploadPause: Duration = .zero, holdsUploads: Bool = false,
        rates: RateGate = .unlimited
    ) {
        self.rates = rates
        self.script = script
        self.holdsUploads = holdsUploads
        (releases, release) = AsyncStream.makeStream()
        self.uploadPause = uploadPause
        (bells, bell) = AsyncStream.makeStream()
    }

    static let session: UInt64 = 77
    static let unknown = SyncFailure(.sessionUnknown, "This session does not exist. Open a new one.")

    private func told(_ words: String) {
        state.withLock { $0.told.append(words) }
    }

    private func check(_ session: UInt64) throws(SyncFailure) {
        guard session == Self.session else { throw Self.unknown }
    }

    func admit(_ caller: KnownCaller, writes: Bool) throws(LimitReached) {
        let uses = RateGate.Use(.requestsPerSecondOfUser, of: caller.user.string)
        try rates.take(uses, from: caller.address)
    }

    func open(_ hello: Hello, by caller: KnownCaller) async throws(SyncFailure) -> Welcome {
        told("open \(hello.client.rawValue) \(caller.user)")
        return Welcome(
            session: Self.session, protocolVersion: 1, epoch: 5, serverTime: 1_000, limits: .standard, committed: 3,
            ingested: 4)
    }

    func upload(
        _ session: UInt64, by caller: KnownCaller, _ changesets: [Changeset], bytes: Int
    ) async throws(SyncFailure) -> UploadAnswer {
        try check(session)
        // What comes behind the reading runs where that ran.
        let isOnLoop = MultiThreadedEventLoopGroup.currentEventLoop != nil
        state.withLock {
            $0.uploadsOnLoop[changesets.last?.sequence ?? 0] = isOnLoop
            $0.uploadsNow += 1
            $0.uploadsMost = max($0.uploadsMost, $0.uploadsNow)
        }
        try? await Task.sleep(for: uploadPause)
        if holdsUploads { for await _ in releases { break } }
        state.withLock { $0.uploadsNow -= 1 }
        if holdsUploads, state.withLock({ $0.ending != nil }) { throw Self.unknown }
        told("upload \(changesets.count) \(caller.user)")
        return UploadAnswer(committed: changesets.last?.sequence ?? 0)
    }

    func releaseUpload() { release.finish() }

    func beginDownload(
        _ session: UInt64, by caller: KnownCaller, into sink: any DownloadSink, ended: @escaping @Sendable () -> Void
    ) throws(SyncFailure) -> DownloadCancellation {
        try check(session)
        state.withLock {
            $0.downloadsRunning += 1
            $0.outlet = sink.outlet
        }
        let task = Task {
            await download(into: sink)
            state.withLock { $0.downloadsRunning -= 1 }
            ended()
        }
        return { task.cancel() }
    }

    private func download(into sink: any DownloadSink) async {
        do {
            for message in script {
                let bytes = try await sink.send(message)
                state.withLock { $0.sentBytes += bytes }
            }
            for await _ in bells { break }
            if let ending = state.withLock({ $0.ending }) { _ = try await sink.send(.end(ending)) }
        } catch {
            told("download lost")
        }
    }

    func want(_ session: UInt64, by caller: KnownCaller, _ queries: QuerySet) async throws(SyncFailure) {
        try check(session)
        told("want \(queries.version) \(caller.user)")
    }

    func credit(_ session: UInt64, by caller: KnownCaller, bytes: UInt64) async throws(SyncFailure) {
        try check(session)
        told("credit \(bytes) \(caller.user)")
    }

    func digests(_ request: ResyncRequest, by caller: KnownCaller) async throws(SyncFailure) {
        try check(request.session)
        told("digests \(request.number) \(caller.user)")
    }

    func mark(_ session: UInt64, by caller: KnownCaller, id: UInt64) async throws(SyncFailure) {
        try check(session)
        told("mark \(id) \(caller.user)")
    }

    func ingest(_ batch: IngestBatch, by caller: KnownCaller, bytes: Int) async throws(SyncFailure) -> UInt64 {
        told("ingest \(batch.entries.count) \(caller.user)")
        return batch.first + UInt64(batch.entries.count) - 1
    }

    func end(_ failure: SyncFailure) async {
        let outlet = state.withLock { state in
            state.ending = failure
            return state.outlet
        }
        bell.finish()
        outlet?.hurry()
    }
}

/// Knows a few tokens by heart.
struct FakeAuthenticator: Authenticator {
    func caller(for token: String, database: String) throws(SyncFailure) -> KnownCaller {
        let now = SystemClock().now()
        switch token {
        case "good": return KnownCaller(user: "ada", expires: now + 3_600_000)
        case "other": return KnownCaller(user: "eve", expires: now + 3_600_000)
        case "brief": return KnownCaller(user: "ada", expires: now + 8_000)
        case "short": return KnownCaller(user: "ada", expires: now + 400)
        case "expired": throw SyncFailure(.tokenExpired, "The token expired. Get a new one.")
        default: throw SyncFailure(.tokenInvalid, "The token is signed by nobody this server trusts. Log in again.")
        }
    }
}
