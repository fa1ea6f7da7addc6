package import CausewayStore
package import CausewayWire
import Synchronization

// Changes of the database under which no session may be open.

extension Sessions {
    /// Ends all sessions, and refuses new ones until `resume`. What has begun ends by itself; see `isEmpty`.
    ///
    /// - Returns: false while they are paused already, or the server ends.
    package func pause(_ failure: SyncFailure) -> Bool {
        guard let sessions = table.withLock({ $0.pause(failure) }) else { return false }
        for session in sessions { end(session, failure) }
        return true
    }

    package func resume() { table.withLock { $0.resume() } }

    /// Whether a change runs for which no session may be open.
    var isPaused: Bool { table.withLock { $0.isPaused } }

    package var isEmpty: Bool { table.withLock { $0.all.isEmpty } }
}

extension Conversations {
    /// How long a change waits for the sessions to end. Then it is not made.
    package static let emptyMillisecondsMax = 10_000
    private static let emptyCheckMilliseconds = 10

    /// Runs a change while no session is open, on the thread that commits. All devices are told to connect again, and
    /// those that do so before the change is over are told to come a little later.
    ///
    /// - Parameter reason: what the devices are told.
    /// - Throws: `busy` when the sessions do not end in time; then nothing was changed.
    package func alone<Value: Sendable>(
        because reason: String, _ change: @escaping @Sendable () throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        let failure = SyncFailure(.serverBusy, reason, retryAfterMilliseconds: 1_000)
        guard sessions.pause(failure) else {
            throw StoreFailure(.busy, "The database is being changed already, or the server ends. Try again later.")
        }
        defer { sessions.resume() }
        for _ in 0..<Self.emptyMillisecondsMax / Self.emptyCheckMilliseconds where !sessions.isEmpty {
            try? await Task.sleep(for: .milliseconds(Self.emptyCheckMilliseconds))
        }
        guard sessions.isEmpty else {
            throw StoreFailure(
                .busy,
                "Some sessions have not ended within \(Self.emptyMillisecondsMax / 1_000) seconds, so nothing was changed. "
                    + "Try again.")
        }
        let value = try await commits.change(change)
        lookSoon()
        return value
    }
}
