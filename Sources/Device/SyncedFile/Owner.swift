package import CausewayObjectStore
import CausewayOperations

extension SyncedFile {
    /// Whose file it is: a user of an app. What it holds was made under their permissions and is sent in their name.
    ///
    /// Tree `sync.owner`: key 00 → the app's id, then the user's, each a text with its length.
    package struct Owner: Sendable {
        private let encoded: [UInt8]

        package init(userID: String, appID: String) {
            var writer = ByteWriter()
            writer.write(string: appID)
            writer.write(string: userID)
            encoded = writer.bytes
        }

        private static let key: [UInt8] = [0]

        private static func tree(_ transaction: Transaction) -> Tree { transaction.tree("sync.owner") }

        func owns(_ transaction: Transaction) -> Bool { Self.tree(transaction).get(Self.key) == encoded }

        func takes(_ transaction: Transaction) { Self.tree(transaction).put(Self.key, encoded) }

        /// Leaves the file to nobody.
        package static func remove(from transaction: Transaction) { tree(transaction).removeRange() }
    }
}
