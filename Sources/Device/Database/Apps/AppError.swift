public import Foundation

/// Why the server refused a login or another call of an app, or why the call did not reach it.
///
/// ```swift
/// do {
///     try await app.login(credentials: .emailPassword(email: email, password: password))
/// } catch let error as AppError where error.code == .invalidPassword {
///     show("That is not the password.")
/// }
/// ```
///
/// The numbers of the codes are those of RealmSwift.
public struct AppError: Error, Sendable, Hashable {
    /// The kind of error.
    ///
    /// ```swift
    /// if let error = error as? AppError, error.code == .invalidPassword { print("Try again.") }
    /// ```
    public let code: Code
    /// The cause and what to do about it.
    ///
    /// ```swift
    /// if let error = error as? AppError { print(error.message) }
    /// ```
    public let message: String
    /// The status of the server's answer; nil when there was no answer.
    ///
    /// ```swift
    /// if let error = error as? AppError, error.httpStatusCode == nil { print("No answer: \(error.message)") }
    /// ```
    public let httpStatusCode: Int?

    init(_ code: Code, _ message: String, httpStatusCode: Int? = nil) {
        self.code = code
        self.message = message
        self.httpStatusCode = httpStatusCode
    }

    /// The kinds of error, for callers that handle them differently.
    ///
    /// ```swift
    /// func advice(_ error: AppError) -> String {
    ///     switch error.code {
    ///     case .httpRequestFailed, .executionTimeLimitExceeded: "Is there a network?"
    ///     case .invalidSession, .userNotFound, .userAppDomainMismatch, .userDisabled: "Log in again."
    ///     case .invalidPassword, .authError, .authProviderNotFound, .domainNotAllowed: "That is no way in."
    ///     case .accountNameInUse, .userAlreadyConfirmed, .apiKeyAlreadyExists: "It is there already."
    ///     case .valueNotFound, .valueAlreadyExists, .valueDuplicateName: "Look at the name again."
    ///     case .badRequest, .readSizeLimitExceeded, .invalidParameter, .missingParameter: "The request is wrong."
    ///     case .functionNotFound, .functionSyntaxError, .functionInvalid, .functionExecutionError, .notCallable:
    ///         "The function is wrong."
    ///     case .internalServerError, .maintenanceInProgress, .mongoDBError, .unknown: "Try again later."
    ///     }
    /// }
    /// ```
    public enum Code: Int, Sendable, CaseIterable {
        /// An error that no other code describes.
        case unknown = -1
        /// The server could not be reached, or something in between answered for it.
        case httpRequestFailed = 1
        /// The token cannot be used. Log in again.
        case invalidSession = 2
        /// The server cannot read the request, or does not accept it in this state.
        case badRequest = 3
        /// The user does not exist any more.
        case userNotFound = 4
        /// The user belongs to another app.
        case userAppDomainMismatch = 5
        /// The address belongs to a domain that the app does not accept.
        case domainNotAllowed = 6
        /// The request is too large.
        case readSizeLimitExceeded = 7
        /// A value of the request cannot be used.
        case invalidParameter = 8
        /// A value of the request is missing.
        case missingParameter = 9
        /// A function of the server failed.
        case functionExecutionError = 10
        /// The server failed. Its log has the reason.
        case internalServerError = 11
        /// The server does not let users log in this way.
        case authProviderNotFound = 12
        /// The requested value does not exist.
        case valueNotFound = 13
        /// The value exists already.
        case valueAlreadyExists = 14
        /// Another value has this name.
        case valueDuplicateName = 15
        /// The server has no function of this name.
        case functionNotFound = 16
        /// The function cannot be read.
        case functionSyntaxError = 17
        /// The function cannot be used.
        case functionInvalid = 18
        /// The user has an API key of this name.
        case apiKeyAlreadyExists = 19
        /// The call took too long.
        case executionTimeLimitExceeded = 20
        /// The named value is not a function.
        case notCallable = 21
        /// The address is confirmed already.
        case userAlreadyConfirmed = 22
        /// The operator has disabled the user.
        case userDisabled = 23
        /// Logging in failed in another way: the address is not confirmed, or there were too many attempts.
        case authError = 24
        /// Somebody has this address or identity already.
        case accountNameInUse = 25
        /// The address or the password is wrong.
        case invalidPassword = 26
        /// The server is busy or under maintenance.
        case maintenanceInProgress = 27
        /// The server has no MongoDB.
        case mongoDBError = 28
    }
}

/// Matches an error by its code, so that a `catch` can name it: `catch AppError.invalidPassword`.
///
/// ```swift
/// do {
///     try await app.emailPasswordAuth.registerUser(email: email, password: password)
/// } catch AppError.accountNameInUse {
///     print("Log in instead.")
/// }
/// let isInUse = AppError.accountNameInUse ~= error
/// ```
public func ~= (code: AppError.Code, error: any Error) -> Bool {
    (error as? AppError)?.code == code
}

// MARK: - Codes as patterns

extension AppError {
    /// An error that no other code describes.
    ///
    /// ```swift
    /// do {
    ///     try await user.delete()
    /// } catch AppError.userNotFound, AppError.userDisabled {
    ///     print("There is nothing to delete.")
    /// } catch AppError.httpRequestFailed, AppError.maintenanceInProgress {
    ///     print("Try again later.")
    /// }
    /// ```
    public static let unknown = Code.unknown
    /// The server could not be reached, or something in between answered for it.
    public static let httpRequestFailed = Code.httpRequestFailed
    /// The token cannot be used. Log in again.
    public static let invalidSession = Code.invalidSession
    /// The server cannot read the request, or does not accept it in this state.
    public static let badRequest = Code.badRequest
    /// The user does not exist any more.
    public static let userNotFound = Code.userNotFound
    /// The user belongs to another app.
    public static let userAppDomainMismatch = Code.userAppDomainMismatch
    /// The address belongs to a domain that the app does not accept.
    public static let domainNotAllowed = Code.domainNotAllowed
    /// The request is too large.
    public static let readSizeLimitExceeded = Code.readSizeLimitExceeded
    /// A value of the request cannot be used.
    public static let invalidParameter = Code.invalidParameter
    /// A value of the request is missing.
    public static let missingParameter = Code.missingParameter
    /// A function of the server failed.
    public static let functionExecutionError = Code.functionExecutionError
    /// The server failed. Its log has the reason.
    public static let internalServerError = Code.internalServerError
    /// The server does not let users log in this way.
    public static let authProviderNotFound = Code.authProviderNotFound
    /// The requested value does not exist.
    public static let valueNotFound = Code.valueNotFound
    /// The value exists already.
    public static let valueAlreadyExists = Code.valueAlreadyExists
    /// Another value has this name.
    public static let valueDuplicateName = Code.valueDuplicateName
    /// The server has no function of this name.
    public static let functionNotFound = Code.functionNotFound
    /// The function cannot be read.
    public static let functionSyntaxError = Code.functionSyntaxError
    /// The function cannot be used.
    public static let functionInvalid = Code.functionInvalid
    /// The user has an API key of this name.
    public static let apiKeyAlreadyExists = Code.apiKeyAlreadyExists
    /// The call took too long.
    public static let executionTimeLimitExceeded = Code.executionTimeLimitExceeded
    /// The named value is not a function.
    public static let notCallable = Code.notCallable
    /// The address is confirmed already.
    public static let userAlreadyConfirmed = Code.userAlreadyConfirmed
    /// The operator has disabled the user.
    public static let userDisabled = Code.userDisabled
    /// Logging in failed in another way: the address is not confirmed, or there were too many attempts.
    public static let authError = Code.authError
    /// Somebody has this address or identity already.
    public static let accountNameInUse = Code.accountNameInUse
    /// The address or the password is wrong.
    public static let invalidPassword = Code.invalidPassword
    /// The server is busy or under maintenance.
    public static let maintenanceInProgress = Code.maintenanceInProgress
    /// The server has no MongoDB.
    public static let mongoDBError = Code.mongoDBError
}

extension AppError: LocalizedError {
    /// The message.
    ///
    /// ```swift
    /// print((error as? AppError)?.errorDescription ?? "no error of the server")
    /// ```
    public var errorDescription: String? { message }
}

extension AppError: CustomNSError {
    /// The domain of these errors, the same as in RealmSwift.
    ///
    /// ```swift
    /// (error as NSError).domain == AppError.errorDomain    // "io.realm.app"
    /// ```
    public static var errorDomain: String { "io.realm.app" }

    /// The code's number.
    ///
    /// ```swift
    /// if let error = error as? AppError { print(error.errorCode) }    // the number that RealmSwift has for it
    /// ```
    public var errorCode: Int { code.rawValue }

    /// The message, and the status of the answer under `HTTP Status Code`.
    ///
    /// ```swift
    /// let sentence = (error as? AppError)?.errorUserInfo[NSLocalizedDescriptionKey]
    /// ```
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let httpStatusCode { info["HTTP Status Code"] = httpStatusCode }
        return info
    }
}

extension AppError: CustomStringConvertible {
    /// The message.
    ///
    /// ```swift
    /// if let error = error as? AppError { print(error) }    // its description: the message
    /// ```
    public var description: String { message }
}
