import CausewayObjectStore
import CausewayQuery
import Foundation

// Maps errors of the layers below to errors of the API.

extension Realm.Error {
    /// An error of the file or its schema. The store's message already names the remedy and is kept as it is.
    init(_ error: StoreError, fileURL: URL?) {
        self.init(Code(error.code), error.message, fileURL: fileURL, underlyingError: error)
    }

    /// A query from outside the program (a server's answer, a subscription) that cannot be used. A query that the app
    /// itself wrote stops the program instead, as in RealmSwift.
    init(_ error: QueryError) {
        self.init(.invalidInput, error.description, underlyingError: error)
    }
}

extension Realm.Error.Code {
    fileprivate init(_ code: StoreError.Code) {
        self =
            switch code {
            case .notADatabase, .damaged, .wrongKey: .invalidDatabase
            case .unsupportedVersion: .unsupportedFileFormatVersion
            case .permissionDenied: .filePermissionDenied
            case .fileNotFound: .fileNotFound
            case .fileExists: .fileExists
            case .outOfSpace: .outOfDiskSpace
            case .mapFull: .addressSpaceExhausted
            case .io, .readOnly: .fileAccess
            case .locked: .incompatibleLockFile
            case .schemaConflict, .schemaChanged: .schemaMismatch
            case .duplicatePrimaryKey, .keyTooLong, .invalidValue: .invalidInput
            default: .fail
            }
    }
}
