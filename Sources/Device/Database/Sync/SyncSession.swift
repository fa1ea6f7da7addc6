import CausewaySync
public import Dispatch
import Synchronization

/// The conversation of one synced Realm with its server.
///
/// ```swift
/// let session = realm.syncSession!
/// try realm.write { … }
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
    public enum State: Hashable, Sendable {
        /// It is connected, or connects as soon as it can.
        case active
        /// It was suspended.
        case inactive
        /// Its user has logged out.
        case invalid
    }

    /// Whether the server is at the other end.
    public enum ConnectionState: Hashable, Sendable {
        case disconnected
        case connecting
        case connected
    }

    /// Which way data goes.
    public enum ProgressDirection: Hashable, Sendable {
        case upload
        case download
    }

    public var state: State {
        driver.published.withLock { published in
            if published.isInvalid { return .invalid }
            return published.isSuspended ? .inactive : .active
        }
    }

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
    public func parentUser() -> User? { driver.user }

    /// Ends the connection until `resume`. Writes are kept in the file's log.
    public func suspend() {
        driver.suspend()
    }

    /// Connects again after `suspend`.
    public func resume() {
        driver.resume()
    }

    /// Connects now instead of waiting for the next attempt, for instance when the app knows that the network is back.
    /// What the server had refused is tried once more.
    public func reconnect() {
        driver.tell(.reconnect)
    }

    /// Returns when everything written before is on the server, or when everything the server had is here.
    ///
    /// It waits for a connection as long as that takes; cancel the task to give up.
    ///
    /// - Throws: `SyncError` when the session has ended: the token is not accepted, the certificate is not trusted, a
    ///   write was refused.
    public func wait(for direction: ProgressDirection) async throws {
        switch direction {
        case .upload: try await driver.waitForUpload()
        case .download: try await driver.waitForDownload()
        }
    }

    /// The same, calling back on a queue.
    public func wait(
        for direction: ProgressDirection, queue: DispatchQueue? = nil,
        callback: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Task {
            let failure: (any Error)?
            do {
                try await wait(for: direction)
                failure = nil
            } catch {
                failure = error
            }
            if let queue { queue.async { callback(failure) } } else { callback(failure) }
        }
    }
}

extension SyncSession {
    /// What the session has carried since the file was opened.
    ///
    /// Bytes of messages, compressed as they travelled; without what HTTP and TLS put around them.
    public struct Statistics: Hashable, Sendable {
        public let bytesSent: Int
        public let bytesReceived: Int
    }

    public var statistics: Statistics {
        let traffic = driver.transport.traffic
        return Statistics(
            bytesSent: Int(clamping: traffic.bytesSent), bytesReceived: Int(clamping: traffic.bytesReceived))
    }
}

extension SyncSession: Hashable {
    public static func == (left: SyncSession, right: SyncSession) -> Bool { left.driver === right.driver }

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
