public import Foundation

extension Realm {
    /// An error of the file, the disk, the schema or the input, and not a mistake of the program.
    ///
    /// ```swift
    /// do {
    ///     let realm = try Realm(configuration: configuration)
    /// } catch Realm.Error.filePermissionDenied {
    ///     // One code.
    /// } catch let error as Realm.Error {
    ///     print(error.code, error.localizedDescription, error.fileURL as Any, error.underlyingError as Any)
    /// }
    /// ```
    ///
    /// The message names the cause and what to do about it. Misuse (a write outside a transaction, a Realm on the wrong
    /// thread) is not an error: it stops the program with a sentence.
    public struct Error: Swift.Error, Sendable {
        /// Which kind of error it is.
        ///
        /// ```swift
        /// if let error = error as? Realm.Error, error.code == .outOfDiskSpace { print("Make room.") }
        /// ```
        public let code: Code
        /// The cause and the remedy, in one or two sentences.
        ///
        /// ```swift
        /// if let error = error as? Realm.Error { print(error.message) }
        /// ```
        public let message: String
        /// The file that the error is about, where there is one.
        ///
        /// ```swift
        /// if let path = (error as? Realm.Error)?.fileURL?.path { print("about \(path)") }
        /// ```
        public let fileURL: URL?
        /// The error of a lower layer, where there is one.
        ///
        /// ```swift
        /// if let error = error as? Realm.Error, let cause = error.underlyingError { print(cause) }
        /// ```
        public let underlyingError: (any Swift.Error)?

        /// Makes an error, for tests and for code that passes errors on.
        ///
        /// ```swift
        /// throw Realm.Error(.invalidInput, "The name is too long.")
        /// ```
        public init(
            _ code: Code, _ message: String = "", fileURL: URL? = nil, underlyingError: (any Swift.Error)? = nil
        ) {
            self.code = code
            self.message = message
            self.fileURL = fileURL
            self.underlyingError = underlyingError
        }
    }
}

// MARK: - Codes

extension Realm.Error {
    /// The kinds of error a caller may treat differently. The numbers are RealmSwift's.
    ///
    /// ```swift
    /// func canRetry(_ error: Realm.Error) -> Bool { error.code == Realm.Error.Code.outOfDiskSpace }
    /// ```
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// RealmSwift's number.
        public let rawValue: Int

        /// The code of one of RealmSwift's numbers.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// An error that has no code of its own.
        public static let fail = Code(rawValue: 1)
        /// The file cannot be opened, read or written.
        public static let fileAccess = Code(rawValue: 2)
        /// The process may not read or write the file.
        public static let filePermissionDenied = Code(rawValue: 3)
        /// A file exists at the path of a copy.
        public static let fileExists = Code(rawValue: 4)
        /// A read-only Realm has no file, or a directory is missing.
        public static let fileNotFound = Code(rawValue: 5)
        /// RealmSwift's code for a file of an older format that may not be upgraded. Never thrown by this library.
        public static let fileFormatUpgradeRequired = Code(rawValue: 6)
        /// Another process holds the file, or its lock file was deleted or damaged; or another copy to the same path is
        /// being written.
        public static let incompatibleLockFile = Code(rawValue: 8)
        /// The file has outgrown its address space, or the address space cannot be reserved.
        public static let addressSpaceExhausted = Code(rawValue: 9)
        /// The classes differ from the file's, and no migration was asked for.
        public static let schemaMismatch = Code(rawValue: 10)
        /// The file is open with another configuration, or is open and cannot be deleted.
        public static let alreadyOpen = Code(rawValue: 12)
        /// A value from outside cannot be used.
        public static let invalidInput = Code(rawValue: 13)
        /// The disk or the quota is full.
        public static let outOfDiskSpace = Code(rawValue: 14)
        /// The file belongs to another user or app, or is open as another one.
        public static let incompatibleSession = Code(rawValue: 15)
        /// The file has a format of a later version.
        public static let unsupportedFileFormatVersion = Code(rawValue: 16)
        /// RealmSwift's code for a file that another process syncs. Never thrown by this library.
        public static let multipleSyncAgents = Code(rawValue: 17)
        /// The server refused a subscription, or the query cannot be one.
        public static let subscriptionFailed = Code(rawValue: 18)
        /// RealmSwift's code for a file that could not be copied, moved or deleted. Never thrown by this library.
        public static let fileOperationFailed = Code(rawValue: 19)
        /// The file is not a Realm, or is damaged, or the key is wrong.
        public static let invalidDatabase = Code(rawValue: 20)
        /// The file holds objects of a local Realm and cannot be opened as a synced one.
        public static let incompatibleHistories = Code(rawValue: 21)
        /// RealmSwift's code for a write that no subscription covers. Never thrown by this library.
        public static let noSubscriptionForWrite = Code(rawValue: 22)
    }

    // The same codes as members of the error itself, so that `catch Realm.Error.fileAccess` reads well.
    /// See ``Code/fail``.
    ///
    /// ```swift
    /// do {
    ///     try realm.write { dog.age += 1 }
    /// } catch Realm.Error.outOfDiskSpace, Realm.Error.fileAccess {
    ///     print("It could not be saved.")
    /// }
    /// ```
    public static let fail = Code.fail
    /// See ``Code/fileAccess``.
    public static let fileAccess = Code.fileAccess
    /// See ``Code/filePermissionDenied``.
    public static let filePermissionDenied = Code.filePermissionDenied
    /// See ``Code/fileExists``.
    public static let fileExists = Code.fileExists
    /// See ``Code/fileNotFound``.
    public static let fileNotFound = Code.fileNotFound
    /// See ``Code/fileFormatUpgradeRequired``.
    public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
    /// See ``Code/incompatibleLockFile``.
    public static let incompatibleLockFile = Code.incompatibleLockFile
    /// See ``Code/addressSpaceExhausted``.
    public static let addressSpaceExhausted = Code.addressSpaceExhausted
    /// See ``Code/schemaMismatch``.
    public static let schemaMismatch = Code.schemaMismatch
    /// See ``Code/alreadyOpen``.
    public static let alreadyOpen = Code.alreadyOpen
    /// See ``Code/invalidInput``.
    public static let invalidInput = Code.invalidInput
    /// See ``Code/outOfDiskSpace``.
    public static let outOfDiskSpace = Code.outOfDiskSpace
    /// See ``Code/incompatibleSession``.
    public static let incompatibleSession = Code.incompatibleSession
    /// See ``Code/unsupportedFileFormatVersion``.
    public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
    /// See ``Code/multipleSyncAgents``.
    public static let multipleSyncAgents = Code.multipleSyncAgents
    /// See ``Code/subscriptionFailed``.
    public static let subscriptionFailed = Code.subscriptionFailed
    /// See ``Code/fileOperationFailed``.
    public static let fileOperationFailed = Code.fileOperationFailed
    /// See ``Code/invalidDatabase``.
    public static let invalidDatabase = Code.invalidDatabase
    /// See ``Code/incompatibleHistories``.
    public static let incompatibleHistories = Code.incompatibleHistories
    /// See ``Code/noSubscriptionForWrite``.
    public static let noSubscriptionForWrite = Code.noSubscriptionForWrite
}

/// Lets a `catch` name a code.
///
/// ```swift
/// do {
///     try Realm.deleteFiles(for: configuration)
/// } catch Realm.Error.alreadyOpen {
///     log("Close it first.")
/// }
/// ```
public func ~= (code: Realm.Error.Code, error: any Error) -> Bool {
    (error as? Realm.Error)?.code == code
}

// MARK: - What other protocols ask

extension Realm.Error: Equatable {
    /// Compares code and file. The message is for people.
    ///
    /// ```swift
    /// let isTheSame = Realm.Error(.fail, "So it failed.") == Realm.Error(.fail, "It failed.")    // true
    /// ```
    public static func == (left: Realm.Error, right: Realm.Error) -> Bool {
        left.code == right.code && left.fileURL == right.fileURL
    }
}

extension Realm.Error: LocalizedError {
    /// The message.
    ///
    /// ```swift
    /// print((error as? Realm.Error)?.errorDescription ?? "no error of a Realm")
    /// ```
    public var errorDescription: String? { message }
}

extension Realm.Error: CustomNSError {
    /// The domain of all errors of Realms, as Foundation asks for it.
    ///
    /// ```swift
    /// (error as NSError).domain == Realm.Error.errorDomain    // "io.realm"
    /// ```
    public static var errorDomain: String { "io.realm" }

    /// The number of the code.
    ///
    /// ```swift
    /// if let error = error as? Realm.Error { print(error.errorCode) }    // the number that RealmSwift has for it
    /// ```
    public var errorCode: Int { code.rawValue }

    /// The message, the file and the cause, as Foundation asks for them.
    ///
    /// ```swift
    /// let path = (error as? Realm.Error)?.userInfo[NSFilePathErrorKey]
    /// ```
    public var userInfo: [String: Any] { errorUserInfo }

    /// The same as `userInfo`, under the name that Foundation asks for.
    ///
    /// ```swift
    /// let path = (error as? Realm.Error)?.errorUserInfo[NSFilePathErrorKey]
    /// ```
    public var errorUserInfo: [String: Any] {
        var information: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let fileURL {
            information[NSFilePathErrorKey] = fileURL.path
            information[NSURLErrorKey] = fileURL
        }
        if let underlyingError {
            information[NSUnderlyingErrorKey] = underlyingError
        }
        return information
    }
}

extension Realm.Error: CustomStringConvertible {
    /// The message, and the file that it is about.
    ///
    /// ```swift
    /// if let error = error as? Realm.Error { print(error) }    // its description
    /// ```
    public var description: String {
        fileURL.map { "\(message) (\($0.path))" } ?? message
    }
}
