import CausewayIdentity
import CausewayStoreEmbedded

/// The files of a database that a backup holds, under the names that they have in the database's folder.
enum BackupFile: CaseIterable {
    case objects
    case accounts

    /// In the order in which they are copied. Accounts come last: so each user whom the objects name is among them.
    static let inOrder: [BackupFile] = [.objects, .accounts]
}

extension BackupFile: RawRepresentable {
    init?(rawValue: String) {
        guard let file = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = file
    }

    var rawValue: String {
        switch self {
        case .objects: StoreEmbedded.fileName
        case .accounts: Accounts.fileName
        }
    }
}
