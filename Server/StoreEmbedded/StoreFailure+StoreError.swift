import CausewayObjectStore
import CausewayOperations
import CausewayStore

extension StoreFailure {
    init(_ error: StoreError) {
        let code: Code =
            switch error.code {
            case .outOfSpace, .mapFull: .outOfSpace
            case .schemaConflict: .schemaMismatch
            case .closed: .closed
            case .tooManyReaders: .busy
            default: .fault
            }
        self.init(code, error.message)
    }

    /// An entry that another one refers to is missing.
    init(missing entry: String, _ tree: String) {
        self.init(
            .fault,
            "The server's database is damaged: \(entry) is missing in the tree “\(tree)”. Restore the newest backup of "
                + "its folder.")
    }

    /// Bytes that this record wrote itself cannot be read back.
    init(damaged tree: String, _ error: any Error) {
        self.init(
            .fault,
            "The server's database is damaged: an entry of the tree “\(tree)” cannot be read (\(error)). Restore the "
                + "newest backup of its folder.")
    }
}
