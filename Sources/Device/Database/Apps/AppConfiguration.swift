public import Foundation
import Synchronization

/// The settings of an app: the address of its server, the authorities to trust, timeouts and folders.
///
/// ```swift
/// let configuration = AppConfiguration(
///     baseURL: "https://sync.example.com:7443",
///     trustRootsPath: "keys/ca.pem")
/// let app = App(id: "flights", configuration: configuration)
/// ```
///
/// An app reads its configuration once, when it is created.
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

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - baseURL: scheme, host and port of the server.
    ///   - transport: carries logins and the other calls of an app instead of HTTP/2.
    ///   - defaultRequestTimeoutMS: how long a call may wait for its answer, in milliseconds.
    ///   - enableSessionMultiplexing: whether all Realms of one server share a connection.
    ///   - syncTimeouts: the timeouts of connections.
    ///   - trustRootsPath: a PEM file with the only authorities to trust.
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

    /// Creates a configuration as older apps do. Name and version are ignored.
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

    /// Scheme, host and port of the server. The scheme is always `https://`, because requests carry tokens.
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

    /// How long a call may wait for its answer, in milliseconds. The default is 60 000. A request gets one more second
    /// for each 8 KiB that it sends, up to nine minutes more.
    ///
    /// ```swift
    /// let patient = AppConfiguration(baseURL: "https://sync.example.com:7443", defaultRequestTimeoutMS: 120_000)
    /// ```
    public var defaultRequestTimeoutMS: UInt {
        get { values.defaultRequestTimeoutMS }
        set { state.withLock { $0.defaultRequestTimeoutMS = newValue } }
    }

    /// Whether Realms of one server share one connection: those of all users and apps of the process with equal
    /// address, trusted authorities and timeouts. If false, every Realm has its own connection. The default is true.
    ///
    /// ```swift
    /// let apart = App(id: "flights", configuration: AppConfiguration(enableSessionMultiplexing: false))
    /// ```
    public var enableSessionMultiplexing: Bool {
        get { values.enableSessionMultiplexing }
        set { state.withLock { $0.enableSessionMultiplexing = newValue } }
    }

    /// The timeouts of connections; nil means the defaults.
    ///
    /// ```swift
    /// let hasty = AppConfiguration(syncTimeouts: SyncTimeoutOptions(connectTimeout: 2_000))
    /// ```
    public var syncTimeouts: SyncTimeoutOptions? {
        get { values.syncTimeouts.map(SyncTimeoutOptions.init) }
        set { state.withLock { $0.syncTimeouts = newValue?.values } }
    }

    /// The path of a PEM file with the only certificate authorities to trust, for a server with a private authority.
    /// Nil means the authorities of the operating system.
    ///
    /// ```swift
    /// let configuration = AppConfiguration(baseURL: "https://localhost:7443", trustRootsPath: "keys/ca.pem")
    /// ```
    public var trustRootsPath: String? {
        get { values.trustRootsPath }
        set { state.withLock { $0.trustRootsPath = newValue } }
    }

    /// The folder for stored users and the files of synced Realms. A Realm whose configuration names a file is not
    /// stored there. Nil means the XDG data folder: `$XDG_DATA_HOME` or `~/.local/share`.
    ///
    /// ```swift
    /// let configuration = AppConfiguration(rootDirectory: URL(filePath: "/var/lib/kiosk"))
    /// ```
    public var rootDirectory: URL? {
        get { values.rootDirectory }
        set { state.withLock { $0.rootDirectory = newValue } }
    }

    /// The property that `User.configuration(partitionValue:)` compares with its value. The default is `_partition`.
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
    /// Transports are compared by identity.
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
    /// Whether all values are equal. Transports are compared by identity.
    ///
    /// ```swift
    /// AppConfiguration(baseURL: "https://a:1") == AppConfiguration(baseURL: "https://a:1")    // true
    /// ```
    public static func == (left: AppConfiguration, right: AppConfiguration) -> Bool { left.values == right.values }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
