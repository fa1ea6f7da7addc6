public import Foundation

/// Where an app's server is, and whom to believe that it is there.
///
/// ```swift
/// let configuration = AppConfiguration(
///     baseURL: "https://sync.example.com:9443",
///     trustRootsPath: "keys/ca.pem")
/// let app = App(id: "flights", configuration: configuration)
/// ```
public struct AppConfiguration: Hashable, Sendable {
    /// Scheme, host and port of the server: `https://` always, since tokens travel with every request.
    public var baseURL: String?
    /// A PEM file with the authorities whose signature makes the server's certificate good, and no others: for a server
    /// with certificates of its own making. Nil means the authorities of the operating system.
    public var trustRootsPath: String?
    /// How long a call may stay without an answer, in milliseconds.
    public var defaultRequestTimeoutMS: UInt?
    /// The bounds of a connection.
    public var syncTimeouts: SyncTimeoutOptions
    /// The folder under which the files of synced Realms lie, unless their configuration names a file of its own.
    public var rootDirectory: URL?

    public init(
        baseURL: String? = nil,
        trustRootsPath: String? = nil,
        defaultRequestTimeoutMS: UInt? = nil,
        syncTimeouts: SyncTimeoutOptions = SyncTimeoutOptions(),
        rootDirectory: URL? = nil
    ) {
        self.baseURL = baseURL
        self.trustRootsPath = trustRootsPath
        self.defaultRequestTimeoutMS = defaultRequestTimeoutMS
        self.syncTimeouts = syncTimeouts
        self.rootDirectory = rootDirectory
    }
}

/// The bounds of a connection, in milliseconds.
public struct SyncTimeoutOptions: Hashable, Sendable {
    /// How long to wait for a connection, TLS included.
    public var connectTimeout: UInt?

    public init(connectTimeout: UInt? = nil) {
        self.connectTimeout = connectTimeout
    }
}
