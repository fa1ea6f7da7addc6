import CausewaySync
public import Dispatch
import Synchronization

/// The conversation of one synced Realm with its server.
///
/// ```swift
/// let session: SyncSession = realm.syncSession!
/// try realm.write { dog.age += 1 }
/// try await session.wait(for: .upload)    // the server has it
/// try await session.wait(for: .download)  // this device has what the server had
/// ```
///
/// A session lives as long as a Realm of its file is open or writes are still on their way; it may be used from any
/// thread.
public final class SyncSession: Sendable {
    let driver: SyncDriver

    init(driver: SyncDriver) {
        self.driver = driver
    }

    /// Whether a session does its work.
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

    /// Whether the server is at the other end.
    ///
    /// ```swift
    /// let states: [SyncSession.ConnectionState] = [.disconnected, .connecting, .connected]
    /// print(states.contains(session.connectionState))
    /// ```
    public enum ConnectionState: Hashable, Sendable {
        /// There is no connection; another attempt may be armed.
        case disconnected
        /// A connection is being made, or a new token asked for.
        case connecting
        /// The session is under way.
        case connected
    }

    /// Which way data goes.
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

    /// Whether the session does its work.
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

    /// Whether the server is at the other end now.
    ///
    /// ```swift
    /// print(session.connectionState == .connected ? "online" : "offline")
    /// ```
    public var connectionState: ConnectionState {
        ConnectionState(driver.published.withLock(\.connection))
    }

    /// The state of the connection now and at every change, until the task that reads ends.
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

    /// Whose session it is.
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
    /// A write that the server refused does not keep it waiting, and is no error here: `Realm.unsyncedChanges` has it once
    /// the download has told it.
    ///
    /// - Throws: `SyncError` when the session has ended: the token is not accepted, the certificate is not trusted.
    public func wait(for direction: ProgressDirection) async throws {
        switch direction {
        case .upload: try await driver.waitForUpload()
        case .download: try await driver.waitForDownload()
        }
    }

    /// The same, calling back on a queue.
    ///
    /// ```swift
    /// session.wait(for: .upload, queue: .main) { error in print(error ?? "the server has it") }
    /// ```
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
    /// Does at once what an error's token stands for. No error of this library has one, since nothing is ever replaced or
    /// deleted without the app: there is nothing to do.
    ///
    /// ```swift
    /// if let (_, token) = (error as? SyncError)?.clientResetInfo() {
    ///     SyncSession.immediatelyHandleError(token, syncManager: app.syncManager)
    /// }
    /// ```
    public static func immediatelyHandleError(_ token: SyncError.ActionToken, syncManager: SyncManager) {}
}

extension SyncSession {
    /// What the session has carried since the file was opened.
    ///
    /// ```swift
    /// let statistics: SyncSession.Statistics = session.statistics
    /// print("\(statistics.bytesSent) bytes up, \(statistics.bytesReceived) bytes down")
    /// ```
    ///
    /// Bytes of messages, compressed as they travelled; without what HTTP and TLS put around them.
    public struct Statistics: Hashable, Sendable {
        /// From the device to the server.
        public let bytesSent: Int
        /// From the server to the device.
        public let bytesReceived: Int
    }

    /// What the session has carried up to now.
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
    /// Whether the two are of one file.
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
