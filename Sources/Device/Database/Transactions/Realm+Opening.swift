public import Dispatch
public import Foundation

extension Realm {
    /// Opens the Realm of the default configuration, confined to this thread or to the queue given.
    ///
    /// ```swift
    /// let realm = try Realm()
    /// ```
    ///
    /// - Throws: `Realm.Error` when the file cannot be opened or its classes do not fit.
    public init(queue: DispatchQueue? = nil) throws {
        try self.init(configuration: .defaultConfiguration, queue: queue)
    }

    /// Opens the Realm of a configuration, confined to this thread or to the serial queue given.
    ///
    /// ```swift
    /// let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "kennel"))
    /// ```
    ///
    /// - Throws: `Realm.Error` when the file cannot be opened or its classes do not fit.
    /// - Complexity: O(1) where the same Realm is open at the same place; otherwise it reads the file's schema.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        let confinement = queue.map { Confinement(.queue($0)) } ?? .current
        guard confinement.isCurrent else { misuse("Realm opened from incorrect dispatch queue.") }
        self.init(instance: try RealmInstance.open(configuration, at: confinement))
    }

    /// Opens the Realm of a file, with everything else as in the default configuration.
    ///
    /// ```swift
    /// let realm = try Realm(fileURL: URL(filePath: "dogs.realm"))
    /// ```
    ///
    /// - Throws: `Realm.Error` when the file cannot be opened or its classes do not fit.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// Opens a Realm confined to an actor.
    ///
    /// ```swift
    /// actor Library {
    ///     private var realm: Realm!
    ///     init() async throws { realm = try await Realm(actor: self) }
    /// }
    /// ```
    ///
    /// - Parameter downloadBeforeOpen: Whether a synced Realm waits for what its subscriptions match.
    /// - Throws: `Realm.Error` when the file cannot be opened or its classes do not fit; `SyncError` when the session
    ///   ends before the download; `CancellationError` when the task is cancelled meanwhile.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration, actor: isolated A,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        try Task.checkCancellation()
        self.init(instance: try RealmInstance.open(configuration, at: Confinement(.isolated(actor))))
        try await finishOpening(downloadBeforeOpen)
    }

    /// Opens a Realm confined to the caller's actor, or to the current thread where there is none.
    ///
    /// ```swift
    /// let realm = try await Realm.open(configuration: configuration)
    /// ```
    ///
    /// - Throws: `Realm.Error` when the file cannot be opened or its classes do not fit.
    public static func open(
        configuration: Configuration = .defaultConfiguration, _isolation: isolated (any Actor)? = #isolation
    ) async throws -> Realm {
        let confinement = _isolation.map { Confinement(.isolated($0)) } ?? .current
        return Realm(instance: try RealmInstance.open(configuration, at: confinement))
    }
}
