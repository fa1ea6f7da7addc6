public import Foundation
import Synchronization

/// Where an app's server is, and whom to believe that it is there.
///
/// ```swift
/// let configuration = AppConfiguration(
///     baseURL: "https://sync.example.com:7443",
///     trustRootsPath: "keys/ca.pem")
/// let app = App(id: "flights", configuration: configuration)
/// ```
///
/// An app reads its configuration once, when it is made.
public final class AppConfiguration: Sendable {
    struct Values: Sendable {
        var baseURL: String?
        var transport: (any NetworkTransport)?
        var defaultRequestTimeoutMS: UInt = 60_000
        var enableSessionMultiplexing = true
        var syncTimeouts: SyncTimeoutOptions.Values?
        var trustRootsPath: String?
        var rootDirectory: URL?
        var partitionKey = "_partition"
    }

    private let state: Mutex<Values>

    /// - Parameters:
    ///   - baseURL: scheme, host and port of the server.
    ///   - transport: carries logins and the other calls of an app instead of HTTP/2.
    ///   - defaultRequestTimeoutMS: how long a call may stay without an answer, in milliseconds.
    ///   - enableSessionMultiplexing: whether all Realms of one server share a connection.
    ///   - syncTimeouts: the bounds of connections.
    ///   - trustRootsPath: a PEM file with the authorities to trust, and no others.
    ///   - rootDirectory: the folder for the files of users and of synced Realms.
    public init(
        baseURL: String? = nil,
        transport: (any NetworkTransport)? = nil,
        defaultRequestTimeoutMS: UInt = 60_000,
        enableSessionMultiplexing: Bool = true,
        syncTimeouts: SyncTimeoutOptions? = nil,
        trustRootsPath: String? = nil,
        rootDirectory: URL? = nil
    ) {
        state = Mutex(
            Values(
                baseURL: baseURL, transport: transport, defaultRequestTimeoutMS: defaultRequestTimeoutMS,
                enableSessionMultiplexing: enableSessionMultiplexing, syncTimeouts: syncTimeouts?.values,
                trustRootsPath: trustRootsPath, rootDirectory: rootDirectory))
    }

    /// The form of older apps; name and version are not used.
    ///
    /// ```swift
    /// let configuration = AppConfiguration(baseURL: baseURL, transport: nil, localAppName: "Kennel", localAppVersion: "2.1")
    /// ```
    @available(*, deprecated, message: "localAppName and localAppVersion are unused")
    public convenience init(
        baseURL: String?, transport: (any NetworkTransport)?, localAppName: String?, localAppVersion: String?,
        defaultRequestTimeoutMS: UInt = 60_000
    ) {
        self.init(baseURL: baseURL, transport: transport, defaultRequestTimeoutMS: defaultRequestTimeoutMS)
    }

    init(_ values: Values) {
        state = Mutex(values)
    }

    var values: Values { state.withLock { $0 } }

    /// Scheme, host and port of the server: `https://` always, since tokens travel with every request.
    ///
    /// ```swift
    /// let configuration = AppConfiguration(baseURL: "https://sync.example.com:7443")
    /// ```
    public var baseURL: String? {
        get { values.baseURL }
        set { state.withLock { $0.baseURL = newValue } }
    }

    /// Carries logins and the other calls of an app instead of HTTP/2, for instance in an app's own tests. The
    /// sessions of Realms do not use it.
    ///
    /// ```swift
    /// final class Refusing: NetworkTransport {
    ///     func send(_ request: NetworkRequest) async throws -> NetworkResponse {
    ///         NetworkResponse(statusCode: 401, body: Data(#"{"code":"invalidSession","message":"No."}"#.utf8))
    ///     }
    /// }
    /// let configuration = AppConfiguration(baseURL: "https://localhost:7443", transport: Refusing())
    /// ```
    public var transport: (any NetworkTransport)? {
        get { values.transport }
        set { state.withLock { $0.transport = newValue } }
    }

    /// How long a call may stay without an answer, in milliseconds. One that sends much has longer, by its size: a second
    /// for each 8 KiB, nine minutes at most.
    ///
    /// ```swift
    /// let patient = AppConfiguration(baseURL: "https://sync.example.com:7443", defaultRequestTimeoutMS: 120_000)
    /// ```
    public var defaultRequestTimeoutMS: UInt {
        get { values.defaultRequestTimeoutMS }
        set { state.withLock { $0.defaultRequestTimeoutMS = newValue } }
    }

    /// Whether the Realms whose server is the same share one connection: those of all users and apps of the process whose
    /// address, trusted authorities and bounds are equal. Without it every Realm has a connection of its own.
    ///
    /// ```swift
    /// let apart = App(id: "flights", configuration: AppConfiguration(enableSessionMultiplexing: false))
    /// ```
    public var enableSessionMultiplexing: Bool {
        get { values.enableSessionMultiplexing }
        set { state.withLock { $0.enableSessionMultiplexing = newValue } }
    }

    /// The bounds of connections; nil takes the defaults.
    ///
    /// ```swift
    /// let hasty = AppConfiguration(syncTimeouts: SyncTimeoutOptions(connectTimeout: 2_000))
    /// ```
    public var syncTimeouts: SyncTimeoutOptions? {
        get { values.syncTimeouts.map(SyncTimeoutOptions.init) }
        set { state.withLock { $0.syncTimeouts = newValue?.values } }
    }

    /// A PEM file with the authorities whose signature makes the server's certificate good, and no others: for a server
    /// with certificates of its own making. Nil means the authorities of the operating system.
    ///
    /// ```swift
    /// let configuration = AppConfiguration(baseURL: "https://localhost:7443", trustRootsPath: "keys/ca.pem")
    /// ```
    public var trustRootsPath: String? {
        get { values.trustRootsPath }
        set { state.withLock { $0.trustRootsPath = newValue } }
    }

    /// The folder under which users are remembered and the files of synced Realms lie, unless their configuration
    /// names a file of its own. Nil means the user's folder for data by the XDG rules.
    ///
    /// ```swift
    /// let configuration = AppConfiguration(rootDirectory: URL(filePath: "/var/lib/kiosk"))
    /// ```
    public var rootDirectory: URL? {
        get { values.rootDirectory }
        set { state.withLock { $0.rootDirectory = newValue } }
    }

    /// The property that `User.configuration(partitionValue:)` compares with its value.
    ///
    /// ```swift
    /// let configuration = AppConfiguration(baseURL: "https://sync.example.com:7443")
    /// configuration.partitionKey = "store"
    /// let user = try await App(id: "shops", configuration: configuration).login(credentials: .anonymous)
    /// let realm = try await Realm(configuration: user.configuration(partitionValue: "42"))    // where store is "42"
    /// ```
    public var partitionKey: String {
        get { values.partitionKey }
        set { state.withLock { $0.partitionKey = newValue } }
    }
}

extension AppConfiguration.Values: Hashable {
    /// The transport by identity.
    static func == (left: Self, right: Self) -> Bool {
        left.baseURL == right.baseURL && left.transport === right.transport
            && left.defaultRequestTimeoutMS == right.defaultRequestTimeoutMS
            && left.enableSessionMultiplexing == right.enableSessionMultiplexing
            && left.syncTimeouts == right.syncTimeouts && left.trustRootsPath == right.trustRootsPath
            && left.rootDirectory == right.rootDirectory && left.partitionKey == right.partitionKey
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(baseURL)
        hasher.combine(trustRootsPath)
    }
}

extension AppConfiguration: Hashable {
    /// By their values; a transport by identity.
    ///
    /// ```swift
    /// AppConfiguration(baseURL: "https://a:1") == AppConfiguration(baseURL: "https://a:1")    // true
    /// ```
    public static func == (left: AppConfiguration, right: AppConfiguration) -> Bool { left.values == right.values }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
