import CausewayOperations
import CausewaySession
import CausewaySync
import CausewayWire
import Synchronization

/// The server that transports lead to. A test puts another one in its place.
final class Server: Sendable {
    private let current: Mutex<Conversations>

    init(_ conversations: Conversations) {
        current = Mutex(conversations)
    }

    var conversations: Conversations {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}

/// Carries a device's calls to a server's core in the same process: no socket, but every message goes through its bytes.
///
/// It can be cut, as a network can: while it is, every call fails, and those under way end.
final class InProcessTransport: CausewaySync.Transport {
    private let server: Server
    private var conversations: Conversations { server.conversations }
    private let user: String
    private let network: Network
    /// What the caller's token proves at the moment; nil where everything is permitted.
    private let access: (@Sendable () -> Access)?

    /// What a test does to the way between one device and the server.
    final class Network: Sendable {
        private let state = Mutex(State())

        private struct State {
            var isCut = false
            var downloads: [Task<Void, Never>] = []
            var change: Change?
            var refusal: Refusal?
            var inspection: Inspection?
            var operationsMax = FrameLimits.operationsStandard
        }

        /// How many operations the server reads of one message.
        var operationsMax: Int {
            get { state.withLock(\.operationsMax) }
            set { state.withLock { $0.operationsMax = newValue } }
        }

        typealias Refusal = @Sendable (Changeset) -> SyncFailure?

        /// Which changesets make that a message is not even read.
        var refusal: Refusal? {
            get { state.withLock(\.refusal) }
            set { state.withLock { $0.refusal = newValue } }
        }

        typealias Change = @Sendable (Operation) -> Operation

        /// What happens to each operation on its way up.
        var change: Change? {
            get { state.withLock(\.change) }
            set { state.withLock { $0.change = newValue } }
        }

        typealias Inspection = @Sendable (DownloadMessage, _ bytes: Int) -> Bool

        /// Looks at each message on its way down; the network is cut before one for which it says no.
        var inspection: Inspection? {
            get { state.withLock(\.inspection) }
            set { state.withLock { $0.inspection = newValue } }
        }

        var isCut: Bool {
            get { state.withLock(\.isCut) }
            set {
                let downloads = state.withLock { state in
                    state.isCut = newValue
                    defer { if newValue { state.downloads = [] } }
                    return newValue ? state.downloads : []
                }
                for download in downloads { download.cancel() }
            }
        }

        fileprivate func add(_ download: Task<Void, Never>) {
            state.withLock { $0.downloads.append(download) }
        }

        fileprivate func endDownloads() {
            let downloads = state.withLock { state in
                defer { state.downloads = [] }
                return state.downloads
            }
            for download in downloads { download.cancel() }
        }
    }

    init(
        _ server: Server, user: String, network: Network = Network(), access: (@Sendable () -> Access)? = nil
    ) {
        self.access = access
        self.server = server
        self.user = user
        self.network = network
    }

    private func call<Answer>(
        _ body: () async throws(SyncFailure) -> Answer
    ) async throws(TransportFailure) -> Answer {
        guard !network.isCut else { throw .unreachable("The network is cut.") }
        do throws(SyncFailure) {
            return try await body()
        } catch {
            throw .refused(error)
        }
    }

    /// The message as the other side reads it.
    private func carried<Message: WireMessage>(_ message: Message) throws(SyncFailure) -> Message {
        try WireCodec.decode(
            Message.self, body: WireCodec.encode(message),
            limits: FrameLimits(frameBytes: 16 << 20, messageBytes: 256 << 20, operations: network.operationsMax))
    }

    func hello(_ hello: Hello, token: String) async throws(TransportFailure) -> Welcome {
        try await call { () throws(SyncFailure) in
            try await carried(conversations.open(carried(hello), by: caller))
        }
    }

    func upload(
        _ changesets: [Changeset], session: UInt64, token: String
    ) async throws(TransportFailure) -> UploadAnswer {
        try await call { () throws(SyncFailure) in
            var request = try carried(UploadRequest(session: session, changesets: changesets))
            if let change = network.change {
                for index in request.changesets.indices {
                    request.changesets[index].operations = request.changesets[index].operations.map(change)
                }
            }
            if let refusal = network.refusal, let failure = changesets.lazy.compactMap(refusal).first { throw failure }
            return try await carried(conversations.upload(request.session, by: caller, request.changesets))
        }
    }

    func download(
        session: UInt64, token: String, receive: @escaping @Sendable (DownloadMessage, Int) async -> Void
    ) async throws(TransportFailure) {
        let failure = Mutex<SyncFailure?>(nil)
        let stream = Task { [conversations = conversations, caller, network] in
            do throws(SyncFailure) {
                try await conversations.download(session, by: caller, into: Sink(network: network, receive: receive))
            } catch {
                failure.withLock { $0 = error }
            }
        }
        network.add(stream)
        if network.isCut { stream.cancel() }
        await withTaskCancellationHandler {
            await stream.value
        } onCancel: {
            stream.cancel()
        }
        if let failure = failure.withLock({ $0 }) { throw .refused(failure) }
    }

    private struct Sink: DownloadSink {
        let network: Network
        let receive: @Sendable (DownloadMessage, Int) async -> Void

        func send(_ message: DownloadMessage) async throws -> Int {
            try Task.checkCancellation()
            let bytes = WireCodec.encode(message)
            if let inspection = network.inspection, !inspection(message, bytes.count) {
                network.isCut = true
                throw CancellationError()
            }
            await receive(try WireCodec.decode(DownloadMessage.self, body: bytes), bytes.count)
            return bytes.count
        }
    }

    /// As the endpoint knows them by the token of every request.
    private var caller: KnownCaller { KnownCaller(user: user, access: access?()) }

    func credit(_ bytes: UInt64, session: UInt64, token: String) async throws(TransportFailure) {
        try await call { () throws(SyncFailure) in try await conversations.credit(session, by: caller, bytes: bytes) }
    }

    func digests(_ request: ResyncRequest, token: String) async throws(TransportFailure) {
        try await call { () throws(SyncFailure) in try await conversations.digests(carried(request), by: caller) }
    }

    func want(_ queries: QuerySet, session: UInt64, token: String) async throws(TransportFailure) {
        try await call { () throws(SyncFailure) in
            let request = try carried(SubscriptionsRequest(session: session, wanted: queries))
            try await conversations.want(request.session, by: caller, request.wanted)
        }
    }

    func mark(_ id: UInt64, session: UInt64, token: String) async throws(TransportFailure) {
        try await call { () throws(SyncFailure) in try await conversations.mark(session, by: caller, id: id) }
    }

    func ingest(_ batch: IngestBatch, token: String) async throws(TransportFailure) -> UInt64 {
        try await call { () throws(SyncFailure) in
            try await conversations.ingest(carried(batch), by: caller)
        }
    }

    var traffic: Traffic { Traffic() }

    func disconnect(inDoubt: Bool) {
        network.endDownloads()
    }
}
