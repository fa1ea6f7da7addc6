import Synchronization

/// Settings and handlers of all sessions of an app.
///
/// ```swift
/// let manager: SyncManager = app.syncManager
/// manager.errorHandler = { error, session in print(error.localizedDescription) }
/// manager.customRequestHeaders = ["x-tenant": "north"]
/// ```
public final class SyncManager: Sendable {
    private let settings = Mutex(Settings())

    private struct Settings {
        var errorHandler: ErrorHandler?
        var customRequestHeaders: [String: String] = [:]
        var authorizationHeaderName: String?
        var userAgent = "causeway"
        var timeoutOptions: SyncTimeoutOptions.Values?
        var logger: Logger.LogFunction?
    }

    init() {}

    /// Called with each error of a session, a `SyncError`, on a thread of the library.
    ///
    /// ```swift
    /// let handler: SyncManager.ErrorHandler = { error, session in print(error.localizedDescription) }
    /// app.syncManager.errorHandler = handler
    /// ```
    public typealias ErrorHandler = ErrorReportingBlock

    /// Called with every error of every session, except client resets that a `.manual` mode has a handler for. Without
    /// a handler, errors go to `logger`.
    ///
    /// ```swift
    /// app.syncManager.errorHandler = { error, session in print(error.localizedDescription) }
    /// ```
    @preconcurrency
    public var errorHandler: ErrorHandler? {
        get { settings.withLock(\.errorHandler) }
        set { settings.withLock { $0.errorHandler = newValue } }
    }

    /// Headers added to every request, for proxies that want them. A change applies from the next request on.
    ///
    /// ```swift
    /// app.syncManager.customRequestHeaders["x-tenant"] = "north"
    /// ```
    public var customRequestHeaders: [String: String] {
        get { settings.withLock(\.customRequestHeaders) }
        set { settings.withLock { $0.customRequestHeaders = newValue } }
    }

    /// The header that carries the token; `Authorization` when nil. A change applies from the next request on. The
    /// server reads only `Authorization`, so a proxy must translate any other name.
    ///
    /// ```swift
    /// app.syncManager.authorizationHeaderName = "x-sync-token"
    /// ```
    public var authorizationHeaderName: String? {
        get { settings.withLock(\.authorizationHeaderName) }
        set { settings.withLock { $0.authorizationHeaderName = newValue } }
    }

    /// The `User-Agent` header of every request; `causeway` by default.
    ///
    /// ```swift
    /// app.syncManager.userAgent = "Kennel/2.1"
    /// ```
    public var userAgent: String {
        get { settings.withLock(\.userAgent) }
        set { settings.withLock { $0.userAgent = newValue } }
    }

    /// The timeouts of connections, in place of those in the app's configuration. Set them before the first Realm is
    /// opened.
    ///
    /// ```swift
    /// app.syncManager.timeoutOptions = SyncTimeoutOptions(connectTimeout: 5_000)
    /// ```
    public var timeoutOptions: SyncTimeoutOptions? {
        get { settings.withLock(\.timeoutOptions).map(SyncTimeoutOptions.init) }
        set { settings.withLock { $0.timeoutOptions = newValue?.values } }
    }

    /// Receives the log messages of the app's sessions, up to `logLevel`. When nil, they go to `Logger.shared`.
    ///
    /// ```swift
    /// app.syncManager.logger = { level, message in print("[\(level)] \(message)") }
    /// ```
    @preconcurrency
    public var logger: Logger.LogFunction? {
        get { settings.withLock(\.logger) }
        set { settings.withLock { $0.logger = newValue } }
    }

    /// The level of `Logger.shared`.
    ///
    /// ```swift
    /// app.syncManager.logLevel = .debug
    /// ```
    public var logLevel: LogLevel {
        get { Logger.shared.level }
        set { Logger.shared.level = newValue }
    }

    func report(_ error: SyncError, _ session: SyncSession) {
        if error.code == .clientReset, let handler = session.driver.configuration.clientResetMode.manualHandler {
            handler(error, session)
        } else if let errorHandler {
            errorHandler(error, session)
        } else {
            let healsByItself = error.code == .connectionFailed || error.code == .serverWarning
            log(healsByItself ? .info : .error, error.message)
        }
    }

    func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
        guard let logger else {
            Logger.shared.log(level: level, category: Category.Sync.Client.session, message: message())
            return
        }
        if level != .off, level <= logLevel { logger(level, message()) }
    }
}
