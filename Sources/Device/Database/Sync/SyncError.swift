public import Foundation

/// An error of a synced Realm's session with its server.
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
/// The message names the cause and what to do about it. None of these errors loses data on the device: unsent writes
/// stay in the file's log, and rejected ones in its quarantine.
public struct SyncError: Error, Sendable, Hashable {
    /// What happened, for a caller that treats kinds of error differently.
    ///
    /// ```swift
    /// if let error = error as? SyncError, error.code == .underlyingAuth { refreshLogin() }
    /// ```
    public let code: Code
    /// The cause and what to do about it.
    ///
    /// ```swift
    /// if let error = error as? SyncError { print(error.message) }
    /// ```
    public let message: String
    /// The server's number for the failure; nil when the error did not come from the server.
    ///
    /// ```swift
    /// if let error = error as? SyncError, let number = error.serverCode { print("the server says \(number)") }
    /// ```
    public let serverCode: Int?

    /// The writes that the server rejected: the affected objects and the reasons. Nil unless the code is
    /// `writeRejected`.
    ///
    /// ```swift
    /// for write in (error as? SyncError)?.compensatingWriteInfo ?? [] { print(write.objectType, write.reason) }
    /// ```
    ///
    /// These objects show the server's values again. The rejected writes are kept in ``Realm/unsyncedChanges``.
    public let compensatingWriteInfo: [CompensatingWriteInfo]?

    /// The path of a backup of a file that must be reset, and a token that resets the file at once. Always nil: this
    /// library neither copies nor replaces the file.
    ///
    /// ```swift
    /// if let (path, _) = (error as? SyncError)?.clientResetInfo() { print("a copy is at \(path)") }
    /// ```
    public func clientResetInfo() -> (String, ActionToken)? { nil }

    /// The token that deletes the file of a Realm that the user may not synchronise. Always nil: this library deletes
    /// no file by itself. Call `Realm.deleteFiles(for:)` instead.
    ///
    /// ```swift
    /// let nothing = (error as? SyncError)?.deleteRealmUserInfo()    // nil
    /// ```
    public func deleteRealmUserInfo() -> ActionToken? { nil }

    /// The token of `clientResetInfo` that resets a file at once. This library never creates one.
    ///
    /// ```swift
    /// let token: SyncError.ActionToken? = (error as? SyncError)?.clientResetInfo()?.1    // nil
    /// ```
    public struct ActionToken: Sendable, Hashable {
        private init() {}
    }

    init(
        _ code: Code, _ message: String, serverCode: Int? = nil, compensating writes: [CompensatingWriteInfo]? = nil
    ) {
        compensatingWriteInfo = writes
        self.code = code
        self.message = message
        self.serverCode = serverCode
    }

    /// The kinds of error a caller may treat differently. The numbers are RealmSwift's.
    ///
    /// ```swift
    /// func isTemporary(_ code: SyncError.Code) -> Bool {
    ///     switch code {
    ///     case .connectionFailed, .serverWarning: true
    ///     case .clientSession, .clientUser, .clientInternal, .clientReset, .underlyingAuth, .permissionDenied: false
    ///     case .invalidFlexibleSyncSubscriptions, .writeRejected, .tlsHandshakeFailed: false
    ///     }
    /// }
    /// ```
    public enum Code: Int, Sendable {
        /// The session cannot continue, for example because the server does not know the database.
        case clientSession = 4
        /// The user is logged out or unknown.
        case clientUser = 5
        /// Device and server cannot understand each other, or the file cannot store what the server sent.
        case clientInternal = 6
        /// The histories of file and server do not match. The library never replaces the file by itself.
        case clientReset = 7
        /// The token is not accepted, or has expired. Log in again with a new one.
        case underlyingAuth = 8
        /// The user may not do this.
        case permissionDenied = 9
        /// The server cannot serve a subscription.
        case invalidFlexibleSyncSubscriptions = 10
        /// The server rejects a write permanently. Other writes go on; the rejected ones are in
        /// `Realm.unsyncedChanges`.
        case writeRejected = 11
        /// The server cannot be reached. The device tries again by itself.
        case connectionFailed = 12
        /// The server's certificate is not trusted.
        case tlsHandshakeFailed = 13
        /// The server cannot serve right now. The device tries again by itself.
        case serverWarning = 14
    }
}

/// A write that the server rejected: the affected object and the reason.
///
/// ```swift
/// func tell(_ write: CompensatingWriteInfo) {
///     print("\(write.objectType) \(write.primaryKey): \(write.reason)")
/// }
/// ```
public struct CompensatingWriteInfo: Sendable, Hashable {
    /// The class of the object.
    public let objectType: String
    /// The object's primary key.
    public let primaryKey: AnyBSON
    /// The server's reason, as a sentence.
    public let reason: String
}

// MARK: - RealmSwift's longer names, and codes as patterns

extension SyncError.Code {
    /// The same as `clientSession`.
    ///
    /// ```swift
    /// SyncError.Code.clientSessionError == .clientSession    // and so for the names below
    /// let older: Set<SyncError.Code> = [
    ///     .clientSessionError, .clientUserError, .clientInternalError, .clientResetError, .underlyingAuthError,
    ///     .permissionDeniedError,
    /// ]
    /// ```
    public static let clientSessionError = clientSession
    /// The same as `clientUser`.
    public static let clientUserError = clientUser
    /// The same as `clientInternal`.
    public static let clientInternalError = clientInternal
    /// The same as `clientReset`.
    public static let clientResetError = clientReset
    /// The same as `underlyingAuth`.
    public static let underlyingAuthError = underlyingAuth
    /// The same as `permissionDenied`.
    public static let permissionDeniedError = permissionDenied
}

extension SyncError {
    /// The session cannot continue.
    ///
    /// ```swift
    /// do {
    ///     try await session.wait(for: .download)
    /// } catch SyncError.underlyingAuthError, SyncError.clientUserError {
    ///     refreshLogin()
    /// } catch SyncError.invalidFlexibleSyncSubscriptions {
    ///     print("The server cannot serve this.")
    /// }
    /// ```
    public static let clientSessionError = Code.clientSession
    /// The user is logged out or unknown.
    public static let clientUserError = Code.clientUser
    /// Device and server cannot understand each other, or the file cannot store what the server sent.
    public static let clientInternalError = Code.clientInternal
    /// The histories of file and server do not match.
    public static let clientResetError = Code.clientReset
    /// The token is not accepted.
    public static let underlyingAuthError = Code.underlyingAuth
    /// The user may not do this.
    public static let permissionDeniedError = Code.permissionDenied
    /// The server cannot serve a subscription.
    public static let invalidFlexibleSyncSubscriptions = Code.invalidFlexibleSyncSubscriptions
    /// The server rejects a write.
    public static let writeRejected = Code.writeRejected
    /// The server cannot be reached.
    public static let connectionFailed = Code.connectionFailed
    /// The server's certificate is not trusted.
    public static let tlsHandshakeFailed = Code.tlsHandshakeFailed
    /// The server cannot serve right now.
    public static let serverWarning = Code.serverWarning
}

/// Lets a `catch` name a code: `catch SyncError.clientResetError`.
///
/// ```swift
/// do {
///     try await realm.syncSession!.wait(for: .upload)
/// } catch SyncError.writeRejected {
///     print("The server does not take it.")
/// } catch SyncError.tlsHandshakeFailed, SyncError.clientResetError {
///     print("Tell the operator.")
/// }
/// let isRejected = SyncError.writeRejected ~= error
/// ```
public func ~= (code: SyncError.Code, error: any Error) -> Bool {
    (error as? SyncError)?.code == code
}

extension SyncError: LocalizedError {
    /// The message.
    ///
    /// ```swift
    /// print((error as? SyncError)?.errorDescription ?? "no error of a session")
    /// ```
    public var errorDescription: String? { message }
}

extension SyncError: CustomNSError {
    /// The domain of these errors, the same as in RealmSwift.
    ///
    /// ```swift
    /// (error as NSError).domain == SyncError.errorDomain    // "io.realm.sync"
    /// ```
    public static var errorDomain: String { "io.realm.sync" }

    /// The code's number.
    ///
    /// ```swift
    /// if let error = error as? SyncError { print(error.errorCode) }    // the number that RealmSwift has for it
    /// ```
    public var errorCode: Int { code.rawValue }

    /// The message.
    ///
    /// ```swift
    /// let sentence = (error as? SyncError)?.errorUserInfo[NSLocalizedDescriptionKey]
    /// ```
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
}

extension SyncError: CustomStringConvertible {
    /// The message.
    ///
    /// ```swift
    /// if let error = error as? SyncError { print(error) }    // its description: the message
    /// ```
    public var description: String { message }
}
