extension Realm {
    /// Whether opening a synced Realm waits for what the server has.
    public enum OpenBehavior: Sendable {
        /// It does not: the file opens as it is.
        case never
        /// Only when the file has never heard from the server.
        case once
        /// Every time.
        case always
    }

    /// Opens a synced Realm where the caller runs, when its subscriptions' content is on the device.
    ///
    /// ```swift
    /// let configuration = user.flexibleSyncConfiguration(initialSubscriptions: { $0.append(QuerySubscription<Dog>()) })
    /// let realm = try await Realm.open(configuration: configuration, downloadBeforeOpen: .once)
    /// ```
    ///
    /// - Throws: `Realm.Error` when the file cannot be opened; `SyncError` when the session ends before the content is
    ///   here.
    public static func open(
        configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior,
        _isolation: isolated (any Actor)? = #isolation
    ) async throws -> Realm {
        let realm = try await open(configuration: configuration)
        guard let driver = realm.instance.driver else { return realm }
        let waits =
            switch downloadBeforeOpen {
            case .never: false
            case .once: try driver.file.hasNeverDownloaded()
            case .always: true
            }
        if waits {
            try await driver.waitForDownload()
            realm.refresh()
        }
        return realm
    }

    /// Opens a synced Realm on the main actor, when its subscriptions' content is on the device.
    ///
    /// - Throws: `Realm.Error` when the file cannot be opened; `SyncError` when the session ends before the content is
    ///   here.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior
    ) async throws {
        self = try await Realm.open(configuration: configuration, downloadBeforeOpen: downloadBeforeOpen)
    }
}
