import CausewaySync
public import Dispatch
import Synchronization

/// The session in which one synced Realm exchanges changes with its server.
///
/// ```swift
/// let session: SyncSession = realm.syncSession!
/// try realm.write { dog.age += 1 }
/// try await session.wait(for: .upload)    // the server has it
/// try await session.wait(for: .download)  // this device has what the server had
/// ```
///
/// A session lives while a Realm of its file is open or writes are still being uploaded. It may be used from any
/// thread.
public final class SyncSession: Sendable {
    let driver: SyncDriver

    init(driver: SyncDriver) {
        self.driver = driver
    }

    /// Whether a session synchronises.
    ///
    /// ```swift
    /// let state: SyncSession.State = session.state
    /// switch state {
    /// case .active: print("synchronises")
    /// case .inactive: session.resume()
    /// case .invalid: print("log in again")
    /// }
    /// ```
    public enum State: Hashable, Sendable {
        /// It is connected, or connects as soon as it can.
        case active
        /// It was suspended.
        case inactive
        /// Its user has logged out.
        case invalid
    }

    /// The state of a session's connection to the server.
    ///
    /// ```swift
    /// let states: [SyncSession.ConnectionState] = [.disconnected, .connecting, .connected]
    /// print(states.contains(session.connectionState))
    /// ```
    public enum ConnectionState: Hashable, Sendable {
        /// There is no connection. Another attempt may be scheduled.
        case disconnected
        /// The session is connecting, or is asking for a new token.
        case connecting
        /// The session is connected.
        case connected
    }

    /// The direction of a transfer.
    ///
    /// ```swift
    /// let directions: [SyncSession.ProgressDirection] = [.upload, .download]
    /// for direction in directions { try await session.wait(for: direction) }
    /// ```
    public enum ProgressDirection: Hashable, Sendable {
        /// From the device to the server.
        case upload
        /// From the server to the device.
        case download
    }

    /// Whether the session synchronises.
    ///
    /// ```swift
    /// if session.state == .invalid { print("log in again") }
    /// ```
    public var state: State {
        driver.published.withLock { published in
            if published.isInvalid { return .invalid }
            return published.isSuspended ? .inactive : .active
        }
    }

    /// The state of the connection to the server now.
    ///
    /// ```swift
    /// print(session.connectionState == .connected ? "online" : "offline")
    /// ```
    public var connectionState: ConnectionState {
        ConnectionState(driver.published.withLock(\.connection))
    }

    /// The state of the connection now and at every change, until the task that reads ends. A slow reader gets only the
    /// newest eight states.
    ///
    /// ```swift
    /// for await state in session.connectionStates { label.text = "\(state)" }
    /// ```
    public var connectionStates: AsyncStream<ConnectionState> {
        let driver = driver
        return AsyncStream(bufferingPolicy: .bufferingNewest(8)) { continuation in
            let id = driver.published.withLock { published in
                published.lastObserver += 1
                published.connectionObservers[published.lastObserver] = { continuation.yield(ConnectionState($0)) }
                continuation.yield(ConnectionState(published.connection))
                return published.lastObserver
            }
            continuation.onTermination = { [weak driver] _ in
                driver?.published.withLock { $0.connectionObservers[id] = nil }
            }
        }
    }

    /// The user of the session.
    ///
    /// ```swift
    /// print(session.parentUser()?.id ?? "nobody")
    /// ```
    public func parentUser() -> User? { driver.user }

    /// How the session's Realm was configured to synchronise.
    ///
    /// ```swift
    /// print(session.configuration()?.user.id ?? "nobody")
    /// ```
    public func configuration() -> SyncConfiguration? { driver.configuration }

    /// Ends the connection until `resume`. Writes are kept in the file's log.
    ///
    /// ```swift
    /// session.suspend()
    /// try realm.write { dog.age += 1 }    // kept
    /// session.resume()                    // and sent
    /// ```
    public func suspend() {
        driver.suspend()
    }

    /// Connects again after `suspend`.
    ///
    /// ```swift
    /// if session.state == .inactive { session.resume() }
    /// ```
    public func resume() {
        driver.resume()
    }

    /// Connects now instead of waiting for the next attempt, for instance when the app knows that the network is back.
    /// What the server had refused is tried once more.
    ///
    /// ```swift
    /// session.reconnect()    // the train has left the tunnel
    /// ```
    public func reconnect() {
        driver.tell(.reconnect)
    }

    /// Returns when everything written before is on the server, or when everything the server had is here.
    ///
    /// ```swift
    /// try realm.write { dog.age += 1 }
    /// try await session.wait(for: .upload)
    /// ```
    ///
    /// It waits for a connection as long as that takes; cancel the task to give up.
    ///
    /// Rejected writes neither delay it nor make it throw. They are in `Realm.unsyncedChanges` once the download has
    /// reported them.
    ///
    /// - Throws: `SyncError` when the user has logged out or the session has ended, for example because the token is
    ///   not accepted or the certificate is not trusted; `CancellationError` when the task is cancelled.
    public func wait(for direction: ProgressDirection) async throws {
        switch direction {
        case .upload: try await driver.waitForUpload()
        case .download: try await driver.waitForDownload()
        }
    }

    /// Calls back when everything written before is on the server, or when everything the server had is here.
    ///
    /// ```swift
    /// session.wait(for: .upload, queue: .main) { error in print(error ?? "the server has it") }
    /// ```
    ///
    /// - Parameters:
    ///   - queue: Where the block is called; a thread of the library when nil.
    ///   - block: Called once, with nil or with the error that ``wait(for:)`` throws.
    @preconcurrency
    public func wait(
        for direction: ProgressDirection, queue: DispatchQueue? = nil,
        block: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Task {
            let failure: (any Error)?
            do {
                try await wait(for: direction)
                failure = nil
            } catch {
                failure = error
            }
            if let queue { queue.async { block(failure) } } else { block(failure) }
        }
    }
}

extension SyncSession {
    /// Does nothing. In RealmSwift it resets or deletes a file at once, but no error of this library has a token.
    ///
    /// ```swift
    /// if let (_, token) = (error as? SyncError)?.clientResetInfo() {
    ///     SyncSession.immediatelyHandleError(token, syncManager: app.syncManager)
    /// }
    /// ```
    public static func immediatelyHandleError(_ token: SyncError.ActionToken, syncManager: SyncManager) {}
}

extension SyncSession {
    /// The bytes that the session has sent and received since the file was opened.
    ///
    /// ```swift
    /// let statistics: SyncSession.Statistics = session.statistics
    /// print("\(statistics.bytesSent) bytes up, \(statistics.bytesReceived) bytes down")
    /// ```
    ///
    /// Counts messages as they travel, compressed, without what HTTP and TLS add.
    public struct Statistics: Hashable, Sendable {
        /// From the device to the server.
        public let bytesSent: Int
        /// From the server to the device.
        public let bytesReceived: Int
    }

    /// The bytes that the session has sent and received up to now.
    ///
    /// ```swift
    /// print("\(session.statistics.bytesReceived) bytes since the file was opened")
    /// ```
    public var statistics: Statistics {
        let traffic = driver.transport.traffic
        return Statistics(
            bytesSent: Int(clamping: traffic.bytesSent), bytesReceived: Int(clamping: traffic.bytesReceived))
    }
}

extension SyncSession: Hashable {
    /// Whether both are sessions of the same open file.
    ///
    /// ```swift
    /// let sessions = Set(user.allSessions)
    /// print(sessions.contains(realm.syncSession!))
    /// ```
    public static func == (left: SyncSession, right: SyncSession) -> Bool { left.driver === right.driver }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(driver)) }
}

extension SyncSession.ConnectionState {
    init(_ state: CausewaySync.ConnectionState) {
        self =
            switch state {
            case .disconnected: .disconnected
            case .connecting: .connecting
            case .connected: .connected
            }
    }
}
