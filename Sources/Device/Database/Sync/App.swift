package import CausewaySync
import Dispatch
package import Foundation

/// A server's database, and the users of this device in it.
///
/// ```swift
/// let app = App(id: "flights", configuration: AppConfiguration(baseURL: "https://localhost:9443"))
/// let user = try await app.login(credentials: .jwt(token))
/// let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
/// ```
///
/// The id is the name of the database on the server. Apps of one id and address are one app: they share users and
/// sessions. Logging in needs no network; the server checks the token when a Realm first talks to it.
public final class App: Sendable {
    let state: AppState

    public init(id: String, configuration: AppConfiguration = AppConfiguration()) {
        state = AppState.shared(id: id, configuration: configuration)
    }

    /// An app of its own, with no other of the process, that reaches its server by transports of the caller's making:
    /// one for each file. For a server in the same process.
    package init(id: String, rootDirectory: URL, transport: @escaping @Sendable () -> any Transport) {
        var configuration = AppConfiguration()
        configuration.rootDirectory = rootDirectory
        state = AppState(id: id, configuration: configuration, makeTransport: transport)
    }

    /// The name of the database on the server.
    public var appId: String { state.id }

    public var configuration: AppConfiguration { state.configuration }

    /// The user that logged in last, while logged in.
    public var currentUser: User? { state.currentUser }

    /// The users of this process that have not been removed, by id.
    public var allUsers: [String: User] { state.allUsers }

    /// Settings and handlers of all sessions of the app.
    public var syncManager: SyncManager { state.syncManager }

    /// Makes another logged-in user the current one.
    public func `switch`(to user: User) {
        state.makeCurrent(user)
    }

    /// Logs a user in. A user that is logged in already gets the new token, and sessions that had stopped for an
    /// expired one go on.
    ///
    /// - Throws: `AppError` when the token is none or names no user.
    @discardableResult
    public func login(credentials: Credentials) async throws -> User {
        try state.login(credentials)
    }

    /// Logs a user in and calls back with the outcome.
    public func login(
        credentials: Credentials, _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
    ) {
        let outcome = Result { try state.login(credentials) }
        DispatchQueue.global().async { completion(outcome) }
    }
}

extension App: Hashable {
    public static func == (left: App, right: App) -> Bool { left.state === right.state }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(state)) }
}
