import CausewayModel

/// The databases that an endpoint serves, looked up at each request: they may come and go.
package protocol SyncDirectory: Sendable {
    func service(of database: String) -> (any SyncService)?
    /// Nil for a database without accounts.
    func accounts(of database: String) -> (any AccountService)?
    /// Of all databases.
    var services: [any SyncService] { get }
}

/// Databases that stay.
package struct FixedDirectory: SyncDirectory {
    private let ofDatabases: ExactDictionary<any SyncService>
    private let accountsOfDatabases: ExactDictionary<any AccountService>

    package init(services: [String: any SyncService], accounts: [String: any AccountService] = [:]) {
        ofDatabases = ExactDictionary(uniqueKeysWithValues: services.map { ($0.key, $0.value) })
        accountsOfDatabases = ExactDictionary(uniqueKeysWithValues: accounts.map { ($0.key, $0.value) })
    }

    package func service(of database: String) -> (any SyncService)? { ofDatabases[database] }

    package func accounts(of database: String) -> (any AccountService)? { accountsOfDatabases[database] }

    package var services: [any SyncService] { Array(ofDatabases.values) }
}
