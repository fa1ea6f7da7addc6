import CausewayEnvironment
import CausewayModel
import CausewayObjectStore
import CausewayOpLog

/// An import into the synced file of a device, which the server hears of as of what its app writes. The app may have it open.
///
/// What is wrong with an import shows before anything is written: it is first made into a copy that nobody sees. Then the objects
/// that it made there are written to the file, in transactions of the device.
struct SyncedImport {
    private let file: OpenedFile
    private let key: [UInt8]?

    /// - Parameter key: encrypts the copy as the file is.
    init(_ file: OpenedFile, key: [UInt8]?) {
        self.file = file
        self.key = key
    }

    func perform<Result>(
        _ progress: (Int) -> Void, _ body: (ImportWriting) throws -> Result
    ) throws -> Result {
        try ImportTarget.beside(file.path) { path in
            let (replica, schema) = try ImportTarget.failing { try prepared(path) }
            let copy = try FileFailure.orNothing { try OpenedFile.change(path, key: key) }
            defer { copy.close() }
            let (result, rows) = try ImportTarget.failing {
                let made = try ImportTarget.fill(copy.store, for: .syncedFile, body)
                try refuseNewParts(of: try copy.read(\.schema), beside: schema)
                return made
            }
            try copy.read { transaction in
                let imported = ImportedObjects(transaction, rows)
                try SyncedDelivery(imported, to: file.store, replica).perform(progress)
            }
            return result
        }
    }

    /// Makes the copy.
    private func prepared(_ path: String) throws -> (Replica, Schema) {
        let prepared = try file.read { transaction in
            guard try Replica.presence(in: transaction) == .complete else {
                throw FileFailure(
                    "'\(file.path)' has not been opened by its app since it was made or copied, or not by this version. Open it "
                        + "with the app once, and import then.")
            }
            let opening = SystemRandom().nextNonZero()
            return (
                try Replica.open(in: transaction, newClient: .nobody, opening: opening), transaction.schema
            )
        }
        try file.store.copy(to: path, key: key)
        return prepared
    }

    /// The classes of a synced file are its app's. The app would not know others, and the server may refuse them.
    private func refuseNewParts(of schema: Schema, beside known: Schema) throws {
        for made in schema.withoutNestedCollections.classes {
            guard let classSchema = known[made.name] else {
                throw FileFailure(
                    "The synced file has no class '\(made.name)'. Add the class to the app and open the file with it, or leave "
                        + "such objects out.")
            }
            for property in made.properties where classSchema.index(of: property.name) == nil {
                throw FileFailure(
                    "Class '\(made.name)' of the synced file has no property '\(property.name)'. Add it to the app's class and "
                        + "open the file with it, or leave it out.")
            }
        }
    }
}
