import Causeway
import Testing

/// What the sessions of an app ran into, in order. Make it before the app's first Realm is opened.
final class Troubles: Sendable {
    private let errors: AsyncStream<SyncError>

    init(of app: App) {
        let (errors, continuation) = AsyncStream.makeStream(of: SyncError.self)
        self.errors = errors
        app.syncManager.errorHandler = { error, _ in
            if let error = error as? SyncError { continuation.yield(error) }
        }
    }

    /// The next error of a code whose message has a text; those before it are passed over.
    func next(_ code: SyncError.Code, saying text: String = "") async throws -> SyncError {
        let errors = errors
        return try await within {
            for await error in errors where error.code == code {
                if text.isEmpty || error.message.contains(text) { return error }
            }
            throw Ended()
        }
    }

    struct Ended: Error {}
}

/// Why the session of a Realm does not go on.
@MainActor
func refusal(of realm: Realm, waitingFor direction: SyncSession.ProgressDirection = .upload) async throws -> SyncError {
    let session = try #require(realm.syncSession)
    let error = await #expect(throws: SyncError.self) {
        try await within { try await session.wait(for: direction) }
    }
    return try #require(error)
}

/// Expects that a message tells its reader what happened and what to do.
func expect(
    _ message: String, names cause: String, and remedy: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(message.contains(cause), "the cause", sourceLocation: sourceLocation)
    #expect(message.contains(remedy), "the remedy", sourceLocation: sourceLocation)
}
