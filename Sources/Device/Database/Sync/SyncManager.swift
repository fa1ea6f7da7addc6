import Synchronization

/// Settings and handlers of all sessions of an app.
public final class SyncManager: Sendable {
    private let settings = Mutex(Settings())

    private struct Settings {
        var errorHandler: ErrorHandler?
        var customRequestHeaders: [String: String] = [:]
        var authorizationHeaderName: String?
    }

    init() {}

    /// Called with what a session ran into, as `SyncError`; on a thread of the library.
    public typealias ErrorHandler = @Sendable (_ error: any Error, _ session: SyncSession?) -> Void

    /// Hears of every error of every session. Without one, errors go to `Logger.shared`.
    public var errorHandler: ErrorHandler? {
        get { settings.withLock(\.errorHandler) }
        set { settings.withLock { $0.errorHandler = newValue } }
    }

    /// Headers added to every request, for proxies that want them. Set them before the first Realm is opened.
    public var customRequestHeaders: [String: String] {
        get { settings.withLock(\.customRequestHeaders) }
        set { settings.withLock { $0.customRequestHeaders = newValue } }
    }

    /// The header that carries the token; `Authorization` when nil. Set it before the first Realm is opened.
    public var authorizationHeaderName: String? {
        get { settings.withLock(\.authorizationHeaderName) }
        set { settings.withLock { $0.authorizationHeaderName = newValue } }
    }

    /// The level of `Logger.shared`.
    public var logLevel: LogLevel {
        get { Logger.shared.level }
        set { Logger.shared.level = newValue }
    }

    func report(_ error: SyncError, _ session: SyncSession) {
        if let errorHandler {
            errorHandler(error, session)
        } else {
            let healsByItself = error.code == .connectionFailed || error.code == .serverWarning
            Logger.shared.log(level: healsByItself ? .info : .error, message: error.message)
        }
    }
}
