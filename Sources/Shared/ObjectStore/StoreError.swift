package import CausewayStorage

/// Why the object store could not do what was asked: what happened, to which file, and what to do about it.
package struct StoreError: Error, Hashable, CustomStringConvertible {
    /// A code exists where some caller would react differently to it.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }

        package static let notADatabase = Code("notADatabase")
        package static let damaged = Code("damaged")
        package static let unsupportedVersion = Code("unsupportedVersion")
        package static let permissionDenied = Code("permissionDenied")
        package static let fileNotFound = Code("fileNotFound")
        package static let fileExists = Code("fileExists")
        package static let outOfSpace = Code("outOfSpace")
        package static let mapFull = Code("mapFull")
        package static let tooManyReaders = Code("tooManyReaders")
        package static let locked = Code("locked")
        package static let readOnly = Code("readOnly")
        package static let io = Code("io")
        package static let closed = Code("closed")
        package static let wrongKey = Code("wrongKey")
        package static let tooManyVersions = Code("tooManyVersions")
        /// The wanted schema contradicts the stored one; the message lists every difference.
        package static let schemaConflict = Code("schemaConflict")
        /// Another transaction has changed the classes of the file. What this one has handed out would mean something
        /// else at any newer version.
        package static let schemaChanged = Code("schemaChanged")
        package static let duplicatePrimaryKey = Code("duplicatePrimaryKey")
        package static let keyTooLong = Code("keyTooLong")
        /// A value of another type than the property's.
        package static let invalidValue = Code("invalidValue")
    }

    package var code: Code
    package var message: String
    package var path: String

    package init(_ code: Code, _ message: String, path: String) {
        self.code = code
        self.message = message
        self.path = path
    }

    /// Takes the code and the message of an error of the storage.
    package init(_ error: StorageError) {
        self.init(Code(error.code.description), error.message, path: error.path)
    }

    static func schemaChanged(_ breaks: [String], path: String) -> StoreError {
        StoreError(
            .schemaChanged,
            "The classes of the file have been changed by another program, or elsewhere in this one, since it was opened: "
                + breaks.joined(separator: " ")
                + " What is open here stays at the version it shows and writes nothing. "
                + "Close the file, and open it again with classes that fit.",
            path: path)
    }

    package var description: String { "\(message) [\(code), \(path)]" }
}

/// Runs storage calls inside code that throws store errors.
func storing<Result>(_ body: () throws(StorageError) -> Result) throws(StoreError) -> Result {
    do {
        return try body()
    } catch {
        throw StoreError(error)
    }
}
