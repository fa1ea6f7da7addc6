/// Why a storage call failed: what happened, to which file, and what to do about it.
package struct StorageError: Error, Hashable, CustomStringConvertible {
    /// A code exists where some caller would react differently to it.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }

        /// The file is not one of ours.
        package static let notADatabase = Code("notADatabase")
        /// The file is one of ours and has lost or changed bytes.
        package static let damaged = Code("damaged")
        /// A newer version of this library wrote the file.
        package static let unsupportedVersion = Code("unsupportedVersion")
        package static let permissionDenied = Code("permissionDenied")
        package static let fileNotFound = Code("fileNotFound")
        package static let fileExists = Code("fileExists")
        /// The disk, the quota or the file-size limit is full. The transaction is undone; everything before it stays.
        package static let outOfSpace = Code("outOfSpace")
        /// The address range reserved for the file is used up, or could not be reserved.
        package static let mapFull = Code("mapFull")
        package static let tooManyReaders = Code("tooManyReaders")
        package static let locked = Code("locked")
        package static let readOnly = Code("readOnly")
        package static let keyTooLong = Code("keyTooLong")
        /// The file is encrypted with another key, or with none, or no key was given.
        package static let wrongKey = Code("wrongKey")
        /// The oldest snapshot is as many versions behind as allowed. Commits fail until it is released.
        package static let tooManyVersions = Code("tooManyVersions")
        package static let closed = Code("closed")
        package static let io = Code("io")
    }

    package var code: Code
    package var message: String
    package var path: String

    package init(_ code: Code, _ message: String, path: String) {
        self.code = code
        self.message = message
        self.path = path
    }

    package var description: String { "\(message) [\(code), \(path)]" }
}
