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
            let replica = try ImportTarget.failing { try prepared(path) }
            let copy = try FileFailure.orNothing { try OpenedFile.change(path, key: key) }
            defer { copy.close() }
            let (result, rows) = try ImportTarget.failing {
                try ImportTarget.fill(copy.store, for: .syncedFile, body)
            }
            try copy.read { transaction in
                let imported = ImportedObjects(transaction, rows)
                try SyncedDelivery(imported, to: file.store, replica).perform(progress)
            }
            return result
        }
    }

    /// Makes the copy.
    private func prepared(_ path: String) throws -> Replica {
        let replica = try file.read { transaction in
            guard try Replica.presence(in: transaction) == .complete else {
                throw FileFailure(
                    "'\(file.path)' has not been opened by its app since it was made or copied, or not by this version. Open it "
                        + "with the app once, and import then.")
            }
            return try Replica.open(in: transaction, newClient: .nobody, opening: SystemRandom().nextNonZero())
        }
        try file.store.copy(to: path, key: key)
        return replica
    }
}
