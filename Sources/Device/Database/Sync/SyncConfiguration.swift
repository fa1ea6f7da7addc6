import CausewayModel
import CausewayObjectStore
import CausewaySync
import CausewaySyncedFile
import Synchronization

/// How a Realm synchronises: its user, and its subscriptions from the first opening on.
///
/// ```swift
/// let synced: SyncConfiguration = user.flexibleSyncConfiguration().syncConfiguration!
/// print(synced.user.id, synced.partitionValue ?? "by subscriptions", synced.cancelAsyncOpenOnNonFatalErrors)
/// ```
///
/// Made by `User.flexibleSyncConfiguration` and `User.configuration(partitionValue:)`.
public struct SyncConfiguration: Sendable {
    /// The user whose data the Realm holds.
    public let user: User
    /// The value that every object of the Realm has in its partition property; nil for a Realm of subscriptions.
    ///
    /// ```swift
    /// if let value = realm.configuration.syncConfiguration?.partitionValue { print("only those of \(value)") }
    /// ```
    public let partitionValue: AnyBSON?
    /// What happens when the server no longer knows the file's history.
    ///
    /// ```swift
    /// if case .manual? = realm.configuration.syncConfiguration?.clientResetMode { print("the app resets by itself") }
    /// ```
    public let clientResetMode: ClientResetMode
    /// Whether an opening that waits for the server throws at the first connection that fails, instead of trying again.
    public let cancelAsyncOpenOnNonFatalErrors: Bool
    /// The subscriptions that the Realm has from its first opening on.
    ///
    /// ```swift
    /// let isAskedAgain = realm.configuration.syncConfiguration?.initialSubscriptions?.rerunOnOpen ?? false
    /// ```
    public let initialSubscriptions: InitialSubscriptionsConfiguration?
}

/// The subscriptions that a Realm has from its first opening on.
///
/// ```swift
/// let initial = InitialSubscriptionsConfiguration(callback: { $0.append(QuerySubscription<Dog>()) }, rerunOnOpen: true)
/// print(initial.rerunOnOpen)
/// try await subscriptions.update { initial.callback(subscriptions) }    // as an opening does
/// ```
public struct InitialSubscriptionsConfiguration: Sendable {
    /// Adds the subscriptions, inside an update of the set.
    public let callback: @Sendable (SyncSubscriptionSet) -> Void
    /// Whether the callback runs at the first opening in every process, instead of once per file.
    public let rerunOnOpen: Bool

    /// Creates initial subscriptions from a block that adds them.
    ///
    /// ```swift
    /// let puppies = InitialSubscriptionsConfiguration { subscriptions in
    ///     subscriptions.append(QuerySubscription<Dog> { $0.age < 2 })
    /// }
    /// ```
    @preconcurrency
    public init(callback: @escaping @Sendable (SyncSubscriptionSet) -> Void, rerunOnOpen: Bool = false) {
        self.callback = callback
        self.rerunOnOpen = rerunOnOpen
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
    /// Each app and user has a folder of its own for the file. Set the configuration's `fileURL` to choose another
    /// place.
    ///
    /// - Parameters:
    ///   - clientResetMode: What happens when the server no longer knows the file's history.
    ///   - cancelAsyncOpenOnNonFatalErrors: Whether an opening that waits for the server throws at the first connection
    ///     that fails.
    ///   - initialSubscriptions: Runs when the file is opened for the first time, before anything is downloaded.
    ///   - rerunOnOpen: Whether `initialSubscriptions` runs at the first opening in every process, for queries that
    ///     change with time.
    @preconcurrency
    public func flexibleSyncConfiguration(
        clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
        cancelAsyncOpenOnNonFatalErrors: Bool = false,
        initialSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)? = nil, rerunOnOpen: Bool = false
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(fileURL: app.defaultFileURL(userID: id))
        configuration.syncConfiguration = SyncConfiguration(
            user: self, partitionValue: nil, clientResetMode: clientResetMode,
            cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors,
            initialSubscriptions: initialSubscriptions.map { .init(callback: $0, rerunOnOpen: rerunOnOpen) })
        return configuration
    }

    /// The configuration of a Realm that holds the objects with one value in their partition property. For apps that
    /// were written for partitions.
    ///
    /// ```swift
    /// let realm = try await Realm(configuration: user.configuration(partitionValue: "store 42"))
    /// ```
    ///
    /// Every class of the Realm must have the partition property; opening throws otherwise. Its name is `_partition`
    /// unless `AppConfiguration.partitionKey` is another. The Realm subscribes to the objects of each class that have
    /// the value. The server does not fill the property in: set it in every object. Each value has a file of its own.
    public func configuration<T: BSON>(
        partitionValue: T, clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
        cancelAsyncOpenOnNonFatalErrors: Bool = false
    ) -> Realm.Configuration {
        configuration(
            partitionValue: AnyBSON(partitionValue), clientResetMode: clientResetMode,
            cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors)
    }

    /// The same for a value of any type, null among them.
    ///
    /// ```swift
    /// let everybodys = user.configuration(partitionValue: .null)
    /// ```
    public func configuration(
        partitionValue value: AnyBSON, clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
        cancelAsyncOpenOnNonFatalErrors: Bool = false
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(fileURL: app.defaultFileURL(userID: id, partition: value))
        configuration.syncConfiguration = SyncConfiguration(
            user: self, partitionValue: value, clientResetMode: clientResetMode,
            cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors, initialSubscriptions: nil)
        return configuration
    }
}

extension Realm.Configuration {
    /// How the Realm synchronises; nil for a local one.
    ///
    /// ```swift
    /// if let synced = realm.configuration.syncConfiguration { print("as \(synced.user.id)") }
    /// ```
    public var syncConfiguration: SyncConfiguration? {
        get { syncSettings as? SyncConfiguration }
        set { syncSettings = newValue }
    }
}

extension SyncConfiguration: SyncSettings {
    /// The drivers by path. A file that is opened again while its last writes are still being uploaded, or while
    /// somebody holds its session, keeps its driver.
    private static let drivers = Mutex<ExactDictionary<WeakDriver>>([:])

    private struct WeakDriver {
        weak var driver: SyncDriver?
    }

    package func attach(_ coordinator: FileCoordinator, for configuration: Realm.Configuration) throws {
        try Self.drivers.withLock { drivers in
            drivers.entries = drivers.entries.filter { $0.value.driver != nil }
            if let driver = drivers[coordinator.path]?.driver, driver.file.store === coordinator.store {
                try checkUser(driver, coordinator.path)
                if coordinator.participant == nil {
                    coordinator.participant = SyncParticipant(driver)
                    driver.onQueue { [weak coordinator] driver in driver.use(coordinator) }
                }
                return
            }
            let driver = try makeDriver(coordinator, configuration)
            drivers[coordinator.path] = WeakDriver(driver: driver)
            coordinator.participant = SyncParticipant(driver)
            driver.start(coordinator)
        }
    }

    private func checkUser(_ driver: SyncDriver, _ path: String) throws {
        guard driver.user.id.isSame(as: user.id), driver.user.app.id.isSame(as: user.app.id) else {
            throw Realm.Error(
                .incompatibleSession,
                "The Realm at path '\(path)' is open and synchronises as user '\(driver.user.id)' of app "
                    + "'\(driver.user.app.id)'. Give every user and app a file of its own.")
        }
    }

    private func makeDriver(_ coordinator: FileCoordinator, _ configuration: Realm.Configuration) throws -> SyncDriver {
        let partition = try partitionValue.map { value in
            try PartitionSubscriptions(value, user.app, configuration.declaredSchema().schema)
        }
        let file = try SyncedFile.open(coordinator.store, userID: user.id, appID: user.app.id)
        let driver = try SyncDriver(
            configuration: self, file: file, transport: user.app.transport(),
            resetBlocks: ResetBlocks(clientResetMode, configuration))
        let subscriptions = try SyncSubscriptionSet(driver)
        if let partition {
            if partition.isMissing(from: subscriptions) {
                try subscriptions.change { partition.add(to: subscriptions) }
            }
        } else if let initialSubscriptions, subscriptions.version == 0 || initialSubscriptions.rerunOnOpen {
            try subscriptions.change { initialSubscriptions.callback(subscriptions) }
        }
        return driver
    }

    package func isEqual(to other: any SyncSettings) -> Bool {
        guard let other = other as? SyncConfiguration else { return false }
        return other.user == user && other.partitionValue == partitionValue
    }
}

extension AppState {
    /// The connection timeouts that apply now.
    var timeouts: SyncTimeoutOptions.Values {
        syncManager.timeoutOptions?.values ?? configuration.syncTimeouts ?? SyncTimeoutOptions.Values()
    }

    var conversationLimits: ConversationLimits {
        var limits = ConversationLimits()
        limits.silenceMilliseconds = timeouts.silenceMilliseconds
        limits.answerMilliseconds = UInt64(configuration.defaultRequestTimeoutMS)
        return limits
    }
}
