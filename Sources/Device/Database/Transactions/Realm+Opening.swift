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
    /// - Throws: `Realm.Error` when the file cannot be opened or its classes do not fit.
    /// - Complexity: O(1) where the same Realm is open at the same place; otherwise it reads the file's schema.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        let confinement = queue.map { Confinement(.queue($0)) } ?? .current
        guard confinement.isCurrent else { misuse("Realm opened from incorrect dispatch queue.") }
        self.init(instance: try RealmInstance.open(configuration, at: confinement))
    }

    /// Opens the Realm of a file, with everything else as in the default configuration.
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
    /// - Throws: `Realm.Error` when the file cannot be opened or its classes do not fit.
    public init<A: Actor>(configuration: Configuration = .defaultConfiguration, actor: isolated A) async throws {
        self.init(instance: try RealmInstance.open(configuration, at: Confinement(.isolated(actor))))
    }

    /// Opens a Realm where the caller runs: on its actor, or on no actor at all.
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
