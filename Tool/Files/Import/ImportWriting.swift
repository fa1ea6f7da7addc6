package import CausewayModel
package import CausewayObjectStore
import CausewayStorage

/// The transaction in which an import writes, and when it ends and another begins.
package final class ImportWriting {
    package let transaction: Transaction
    private let target: Target
    private var (waitingObjects, waitingBytes) = (0, 0)
    /// What a synced file gets, in the classes whose objects stand alone.
    private(set) var rows: ExactDictionary<ImportedRows> = [:]

    private static let bytesMax = 64 << 20

    /// Where the objects go.
    enum Target {
        case localFile
        case newFile
        /// A copy of a synced file, which gets the objects afterwards.
        case syncedFile
    }

    init(_ transaction: Transaction, _ target: Target) {
        self.transaction = transaction
        self.target = target
    }

    package var isForSyncedFile: Bool { target == .syncedFile }

    /// Adds the classes and properties of an import that the file lacks. The deletion rules of the file stay.
    ///
    /// - Throws: for a synced file that lacks some. Its app would not know them, and the server may refuse them.
    package func extendSchema(_ schema: Schema) throws {
        if isForSyncedFile { try Self.refuseNewParts(of: schema, beside: transaction.schema) }
        try transaction.extendSchema(schema.withDeletionRules(of: transaction.schema).withNestedCollections)
    }

    static func refuseNewParts(of schema: Schema, beside known: Schema) throws {
        for wanted in schema.classes {
            guard let classSchema = known[wanted.name] else {
                throw FileFailure(
                    "The synced file has no class '\(wanted.name)'. Add the class to the app and open the file with it, or leave "
                        + "such objects out.")
            }
            for property in wanted.properties where classSchema.index(of: property.name) == nil {
                throw FileFailure(
                    "Class '\(wanted.name)' of the synced file has no property '\(property.name)'. Add it to the app's class "
                        + "and open the file with it, or leave it out.")
            }
        }
    }

    /// Counts objects that were read, and ends the transaction if it has become large and nobody sees the file before the end.
    ///
    /// - Parameter objectsMax: how many objects a transaction has, so that memory stays bounded.
    package func took(_ objects: Int, bytes: Int, objectsMax: Int) throws(StoreError) {
        waitingObjects += objects
        waitingBytes += bytes
        guard target != .localFile, waitingObjects >= objectsMax || waitingBytes >= Self.bytesMax else { return }
        (waitingObjects, waitingBytes) = (0, 0)
        try transaction.commit(.relaxed)
        try transaction.beginWriting()
    }

    /// Notes what became of a class, for a synced file.
    ///
    /// - Parameters:
    ///   - first: rows from here on are new.
    ///   - replaced: the rows before it whose objects were set anew.
    package func wrote(_ className: String, from first: Int64, replaced: @autoclosure () -> Set<ObjectKey>) {
        guard isForSyncedFile else { return }
        rows[className] = ImportedRows(first: first, replaced: replaced().sorted())
    }
}

/// The rows of a class that an import wrote.
package struct ImportedRows {
    /// Rows from here on are new.
    var first: Int64
    /// Those before it that were set anew.
    var replaced: [ObjectKey]
}
