import CausewaySyncedFile

extension Realm {
    /// Whether opening a synced Realm waits for the download.
    ///
    /// ```swift
    /// let behavior: Realm.OpenBehavior = isKiosk ? .always : .never
    /// let realm = try await Realm.open(configuration: configuration, downloadBeforeOpen: behavior)
    /// ```
    public enum OpenBehavior: Sendable {
        /// Never waits: the file opens as it is.
        case never
        /// Waits only if the file has never downloaded anything.
        case once
        /// Waits every time.
        case always
    }

    /// Opens a synced Realm where the caller runs, after the download that `downloadBeforeOpen` asks for.
    ///
    /// ```swift
    /// let configuration = user.flexibleSyncConfiguration(initialSubscriptions: { $0.append(QuerySubscription<Dog>()) })
    /// let realm = try await Realm.open(configuration: configuration, downloadBeforeOpen: .once)
    /// ```
    ///
    /// - Throws: `Realm.Error` when the file cannot be opened; `SyncError` when the session ends before the content is
    ///   here; `CancellationError` when the task is cancelled meanwhile.
    public static func open(
        configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior,
        _isolation: isolated (any Actor)? = #isolation
    ) async throws -> Realm {
        let realm = try await open(configuration: configuration)
        try await realm.finishOpening(downloadBeforeOpen)
        return realm
    }

    /// Waits for the download that the behaviour asks for.
    func finishOpening(
        _ behavior: OpenBehavior, _isolation: isolated (any Actor)? = #isolation
    ) async throws {
        guard let driver = instance.driver else { return }
        let waits =
            switch behavior {
            case .never: false
            case .once: try driver.file.hasNeverDownloaded()
            case .always: true
            }
        if waits {
            try await driver.waitForDownload(
                impatiently: driver.configuration.cancelAsyncOpenOnNonFatalErrors)
            refresh()
        }
    }

    /// Opens a synced Realm on the main actor, after the download that `downloadBeforeOpen` asks for.
    ///
    /// ```swift
    /// @MainActor func open() async throws {
    ///     let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
    ///     show(realm.objects(Dog.self).count)
    /// }
    /// ```
    ///
    /// - Throws: `Realm.Error` when the file cannot be opened; `SyncError` when the session ends before the content is
    ///   here; `CancellationError` when the task is cancelled meanwhile.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior
    ) async throws {
        self = try await Realm.open(configuration: configuration, downloadBeforeOpen: downloadBeforeOpen)
    }
}
