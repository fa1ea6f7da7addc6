import CausewayOperations
import CausewaySession
import CausewayWire

/// The conversations of a database as one caller may have them. What the token of any request proves counts for its
/// session from then on, so that a refreshed token takes effect without a new connection.
struct GovernedConversations: SyncService {
    let conversations: Conversations
    let access: Access

    func open(_ hello: Hello, user: String) async throws(SyncFailure) -> Welcome {
        try await conversations.open(hello, user: user, access: access)
    }

    func upload(_ session: UInt64, user: String, _ changesets: [Changeset]) async throws(SyncFailure) -> UploadAnswer {
        conversations.adopt(access, session: session, user: user)
        return try await conversations.upload(session, user: user, changesets)
    }

    func download(_ session: UInt64, user: String, into sink: any DownloadSink) async throws(SyncFailure) {
        conversations.adopt(access, session: session, user: user)
        try await conversations.download(session, user: user, into: sink)
    }

    func want(_ session: UInt64, user: String, _ queries: QuerySet) async throws(SyncFailure) {
        conversations.adopt(access, session: session, user: user)
        try await conversations.want(session, user: user, queries)
    }

    func credit(_ session: UInt64, user: String, bytes: UInt64) async throws(SyncFailure) {
        conversations.adopt(access, session: session, user: user)
        try await conversations.credit(session, user: user, bytes: bytes)
    }

    func digests(_ request: ResyncRequest, user: String) async throws(SyncFailure) {
        conversations.adopt(access, session: request.session, user: user)
        try await conversations.digests(request, user: user)
    }

    func mark(_ session: UInt64, user: String, id: UInt64) async throws(SyncFailure) {
        conversations.adopt(access, session: session, user: user)
        try await conversations.mark(session, user: user, id: id)
    }

    func ingest(_ batch: IngestBatch, user: String) async throws(SyncFailure) -> UInt64 {
        try await conversations.ingest(batch, user: user, access: access)
    }

    func end(_ failure: SyncFailure) async {
        await conversations.end(failure)
    }
}
