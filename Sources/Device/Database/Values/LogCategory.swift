/// The topic of a log message.
///
/// ```swift
/// let category: any LogCategory = Category.Sync.Client.session
/// print(category.rawValue)    // "Realm.Sync.Client.Session"
/// ```
public protocol LogCategory: Sendable {
    /// The category's full name, which begins with the names of the categories around it.
    ///
    /// ```swift
    /// print(Category.Sync.all.rawValue)    // "Realm.Sync"
    /// ```
    var rawValue: String { get }
}

/// The categories of messages. A level that is set for one holds for those within it as well.
///
/// ```swift
/// Logger.setLogLevel(.debug, for: Category.Storage.all)
/// Logger.setLogLevel(.info, for: Category.realm)
/// Logger.setLogLevel(.off, for: Category.sdk)
/// Logger.setLogLevel(.warn, for: Category.app)
/// ```
///
/// Messages about local work are in `Storage.transaction` (files opened, compacted and migrated, commits) and
/// `Storage.notification`, those about an app's calls in `app`. All of them are of level `detail` or below.
public enum Category: String, LogCategory {
    /// Everything.
    case realm = "Realm"
    /// The library above the storage.
    case sdk = "Realm.SDK"
    /// Apps and their users.
    case app = "Realm.App"

    /// What happens in files.
    ///
    /// ```swift
    /// Logger.setLogLevel(.trace, for: Category.Storage.query)
    /// for quiet: Category.Storage in [.transaction, .object, .notification] { Logger.setLogLevel(.warn, for: quiet) }
    /// ```
    public enum Storage: String, LogCategory, CaseIterable {
        /// All about files.
        case all = "Realm.Storage"
        /// Transactions.
        case transaction = "Realm.Storage.Transaction"
        /// Queries.
        case query = "Realm.Storage.Query"
        /// Objects.
        case object = "Realm.Storage.Object"
        /// Observations.
        case notification = "Realm.Storage.Notification"
    }

    /// Synchronisation.
    ///
    /// ```swift
    /// Logger.setLogLevel(.debug, for: Category.Sync.server)
    /// ```
    public enum Sync: String, LogCategory, CaseIterable {
        /// All about synchronisation.
        case all = "Realm.Sync"
        /// What the server says.
        case server = "Realm.Sync.Server"

        /// This device's part in it.
        ///
        /// ```swift
        /// Logger.setLogLevel(.detail, for: Category.Sync.Client.all)
        /// for noisy: Category.Sync.Client in [.changeset, .network] { Logger.setLogLevel(.warn, for: noisy) }
        /// Logger.setLogLevel(.info, for: Category.Sync.Client.reset)
        /// ```
        public enum Client: String, LogCategory, CaseIterable {
            /// All about the device's part.
            case all = "Realm.Sync.Client"
            /// Sessions: connecting, refusals, ends.
            case session = "Realm.Sync.Client.Session"
            /// What is sent and received.
            case changeset = "Realm.Sync.Client.Changeset"
            /// Connections.
            case network = "Realm.Sync.Client.Network"
            /// Beginning again after the server lost its data.
            case reset = "Realm.Sync.Client.Reset"
        }
    }
}

extension Category {
    /// The names of all categories.
    static let allNames =
        [realm, sdk, app].map(\.rawValue) + Storage.allCases.map(\.rawValue) + Sync.allCases.map(\.rawValue)
        + Sync.Client.allCases.map(\.rawValue)
}
