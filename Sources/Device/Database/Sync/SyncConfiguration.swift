import CausewayObjectStore
import CausewaySync
import CausewayTransport
import Synchronization

/// How a Realm synchronises: as whom, and with which subscriptions from the first opening on.
///
/// Made by `User.flexibleSyncConfiguration`.
public struct SyncConfiguration: Sendable {
    /// Whose data it is.
    public let user: User
    let initialSubscriptions: InitialSubscriptions?

    struct InitialSubscriptions: Sendable {
        var add: @Sendable (SyncSubscriptionSet) -> Void
        var rerunOnOpen: Bool
    }
}

extension User {
    /// The configuration of a Realm that holds what its subscriptions match.
    ///
    /// ```swift
    /// var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
    ///     subscriptions.append(QuerySubscription<Flight>(name: "jfk") { $0.origin == "JFK" })
    /// })
    /// configuration.objectTypes = [Flight.self]
    /// let realm = try await Realm.open(configuration: configuration)
    /// ```
    ///
    /// The file lies in a folder of its own for each app and user; set the configuration's `fileURL` to choose another
    /// place.
    ///
    /// - Parameters:
    ///   - initialSubscriptions: Runs when the file is opened for the first time, before anything is downloaded.
    ///   - rerunOnOpen: Whether it runs at every first opening in a process instead.
    public func flexibleSyncConfiguration(
        initialSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)? = nil, rerunOnOpen: Bool = false
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(fileURL: app.defaultFileURL(userID: id))
        configuration.syncConfiguration = SyncConfiguration(
            user: self,
            initialSubscriptions: initialSubscriptions.map { .init(add: $0, rerunOnOpen: rerunOnOpen) })
        return configuration
    }
}

extension Realm.Configuration {
    /// How the Realm synchronises; nil for a local one.
    public var syncConfiguration: SyncConfiguration? {
        get { syncSettings as? SyncConfiguration }
        set { syncSettings = newValue }
    }
}

extension SyncConfiguration: SyncSettings {
    /// Drivers by file, so that a file that is opened again while its last writes are still on their way, or while
    /// somebody holds its session, goes on with the one it has.
    private static let drivers = Mutex<[String: WeakDriver]>([:])

    private struct WeakDriver {
        weak var driver: SyncDriver?
    }

    package func attach(_ coordinator: FileCoordinator) throws {
        try Self.drivers.withLock { drivers in
            drivers = drivers.filter { $0.value.driver != nil }
            if let driver = drivers[coordinator.path]?.driver, driver.file.store === coordinator.store {
                try checkUser(driver, coordinator.path)
                if coordinator.participant == nil {
                    coordinator.participant = SyncParticipant(driver)
                    driver.onQueue { [weak coordinator] driver in driver.use(coordinator) }
                }
                return
            }
            let driver = try makeDriver(coordinator)
            drivers[coordinator.path] = WeakDriver(driver: driver)
            coordinator.participant = SyncParticipant(driver)
            driver.start(coordinator)
        }
    }

    private func checkUser(_ driver: SyncDriver, _ path: String) throws {
        guard driver.user.id == user.id, driver.user.app.id == user.app.id else {
            throw Realm.Error(
                .incompatibleSession,
                "The Realm at path '\(path)' is open and synchronises as user '\(driver.user.id)' of app "
                    + "'\(driver.user.app.id)'. Give every user and app a file of its own.")
        }
    }

    private func makeDriver(_ coordinator: FileCoordinator) throws -> SyncDriver {
        let file = try SyncedFile(coordinator.store, userID: user.id, appID: user.app.id)
        let driver = try SyncDriver(user: user, file: file, transport: user.app.transport())
        if let initialSubscriptions {
            let subscriptions = try SyncSubscriptionSet(driver)
            if subscriptions.version == 0 || initialSubscriptions.rerunOnOpen {
                try subscriptions.change { initialSubscriptions.add(subscriptions) }
            }
        }
        return driver
    }

    package func isEqual(to other: any SyncSettings) -> Bool {
        (other as? SyncConfiguration)?.user == user
    }
}

extension AppState {
    /// The way to the app's server; one that fails every call with the reason when the configuration cannot work.
    func httpTransport() -> any Transport {
        guard let base = configuration.baseURL else {
            return UnusableTransport(
                "The app '\(id)' has no server. Give its address: AppConfiguration(baseURL: \"https://…\").")
        }
        let trust = configuration.trustRootsPath.map { ServerAddress.Trust.authorities(path: $0) } ?? .system
        do {
            var address = try ServerAddress(base: base, database: id, trust: trust)
            if let limit = configuration.syncTimeouts.connectTimeout {
                address.connectMilliseconds = Int64(clamping: limit)
            }
            if let limit = configuration.defaultRequestTimeoutMS {
                address.answerMilliseconds = Int64(clamping: limit)
            }
            if let name = syncManager.authorizationHeaderName { address.authorizationHeader = name }
            address.extraHeaders = syncManager.customRequestHeaders.sorted { $0.key < $1.key }.map {
                ($0.key, $0.value)
            }
            return try HTTPTransport(address)
        } catch let error as AddressError {
            return UnusableTransport(error.message)
        } catch let error as TransportFailure {
            return UnusableTransport(error.message)
        } catch {
            return UnusableTransport("\(error)")
        }
    }
}
