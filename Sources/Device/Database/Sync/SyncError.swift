public import Foundation

/// What a synced Realm's conversation with its server ran into.
///
/// ```swift
/// app.syncManager.errorHandler = { error, session in
///     guard let error = error as? SyncError else { return }
///     switch error.code {
///     case .underlyingAuth: refreshLogin()
///     default: log(error.message)
///     }
/// }
/// ```
///
/// The message names the cause and what to do about it. No data is lost by any of these: what was not sent stays in
/// the file's log.
public struct SyncError: Error, Sendable, Hashable {
    public let code: Code
    public let message: String
    /// The number the server gave the failure; nil when it did not come from the server.
    public let serverCode: Int?

    init(_ code: Code, _ message: String, serverCode: Int? = nil) {
        self.code = code
        self.message = message
        self.serverCode = serverCode
    }

    /// The kinds of error a caller may treat differently. The numbers are RealmSwift's.
    public enum Code: Int, Sendable {
        /// The session cannot go on as it is.
        case clientSession = 4
        /// The user is logged out or unknown.
        case clientUser = 5
        /// Device and server do not understand each other, or the file cannot take what came.
        case clientInternal = 6
        /// File and server do not share one past: the file must be replaced. It is never done without the app.
        case clientReset = 7
        /// The token is not accepted, or has expired. Log in again with a new one.
        case underlyingAuth = 8
        /// The user may not do this.
        case permissionDenied = 9
        /// The server cannot serve a subscription.
        case invalidFlexibleSyncSubscriptions = 10
        /// The server refuses a write. It stays in the file's log, and later ones wait behind it.
        case writeRejected = 11
        /// The server cannot be reached. The device tries again by itself.
        case connectionFailed = 12
        /// The server's certificate is not trusted.
        case tlsHandshakeFailed = 13
        /// The server cannot serve right now. The device tries again by itself.
        case serverWarning = 14
    }
}

/// Lets a `catch` name a code.
public func ~= (code: SyncError.Code, error: any Error) -> Bool {
    (error as? SyncError)?.code == code
}

extension SyncError: LocalizedError {
    public var errorDescription: String? { message }
}

extension SyncError: CustomNSError {
    public static var errorDomain: String { "io.realm.sync" }

    public var errorCode: Int { code.rawValue }

    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
}

extension SyncError: CustomStringConvertible {
    public var description: String { message }
}
