import CausewayEndpoint
import CausewayLimits
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayWire

/// A database, as devices call it: each call keeps it open until it is answered, and clients that are shut out are refused.
///
/// Users that are shut out are refused before, with their tokens (`TokenAuthenticator`).
struct TenantService: SyncService {
    let tenant: Tenant

    private var conversations: Conversations { tenant.conversations }

    private func use<Value>(_ body: () async throws(SyncFailure) -> Value) async throws(SyncFailure) -> Value {
        guard tenant.uses.begin() else { throw .dropped }
        defer { tenant.uses.end() }
        return try await body()
    }

    func open(_ hello: Hello, by caller: KnownCaller) async throws(SyncFailure) -> Welcome {
        try await use { () throws(SyncFailure) in
            if let failure = tenant.shutOuts.failure(client: hello.client) { throw failure }
            let welcome = try await conversations.open(hello, by: caller)
            // Who is shut out while the hello is answered has a session that nobody has ended.
            let failure =
                tenant.shutOuts.failure(client: hello.client) ?? tenant.shutOuts.failure(user: caller.user.string)
            guard let failure else { return welcome }
            conversations.end(failure) { $0.client == hello.client }
            throw failure
        }
    }

    func ingest(_ batch: IngestBatch, by caller: KnownCaller, bytes: Int) async throws(SyncFailure) -> UInt64 {
        try await use { () throws(SyncFailure) in
            if let failure = tenant.shutOuts.failure(client: batch.client) { throw failure }
            return try await conversations.ingest(batch, by: caller, bytes: bytes)
        }
    }

    func knows(_ caller: KnownCaller) -> Bool { conversations.knows(caller) }

    func admit(_ caller: KnownCaller, writes: Bool) throws(LimitReached) {
        try conversations.admit(caller, writes: writes)
    }

    func upload(
        _ session: UInt64, by caller: KnownCaller, _ changesets: [Changeset], bytes: Int
    ) async throws(SyncFailure) -> UploadAnswer {
        try await use { () throws(SyncFailure) in
            try await conversations.upload(session, by: caller, changesets, bytes: bytes)
        }
    }

    func beginDownload(
        _ session: UInt64, by caller: KnownCaller, into sink: any DownloadSink, ended: @escaping @Sendable () -> Void
    ) throws(SyncFailure) -> DownloadCancellation {
        guard tenant.uses.begin() else { throw .dropped }
        do throws(SyncFailure) {
            return try conversations.beginDownload(session, by: caller, into: sink) { [tenant] in
                tenant.uses.end()
                ended()
            }
        } catch {
            tenant.uses.end()
            throw error
        }
    }

    func want(_ session: UInt64, by caller: KnownCaller, _ queries: QuerySet) async throws(SyncFailure) {
        try await use { () throws(SyncFailure) in try await conversations.want(session, by: caller, queries) }
    }

    func credit(_ session: UInt64, by caller: KnownCaller, bytes: UInt64) async throws(SyncFailure) {
        try await use { () throws(SyncFailure) in try await conversations.credit(session, by: caller, bytes: bytes) }
    }

    func digests(_ request: ResyncRequest, by caller: KnownCaller) async throws(SyncFailure) {
        try await use { () throws(SyncFailure) in try await conversations.digests(request, by: caller) }
    }

    func mark(_ session: UInt64, by caller: KnownCaller, id: UInt64) async throws(SyncFailure) {
        try await use { () throws(SyncFailure) in try await conversations.mark(session, by: caller, id: id) }
    }

    func end(_ failure: SyncFailure) async { await conversations.end(failure) }

    var isAnswering: Bool { conversations.isAnswering && tenant.gauges.file.isThere }
}

extension SyncFailure {
    /// What devices are told of a database that the operator drops.
    static let dropped = SyncFailure(
        .databaseUnknown,
        "The operator has taken this database off the server. The device keeps its data and its unsent changes.")
}
