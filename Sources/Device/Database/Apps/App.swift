package import CausewaySync
package import Foundation

/// A server's database, and the users of this device in it.
///
/// ```swift
/// let app = App(id: "flights", configuration: AppConfiguration(baseURL: "https://localhost:7443"))
/// let user = try await app.login(credentials: .emailPassword(email: email, password: password))
/// let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
/// ```
///
/// The id is the name of the database on the server. Apps of one id and address are one app: they share users and
/// sessions. Users are remembered in a file, and are still logged in when the program starts again.
public final class App: Sendable {
    let state: AppState

    /// The app of an id and an address: the one that is there, or a new one with the users that are remembered.
    ///
    /// ```swift
    /// let app = App(id: "flights", configuration: AppConfiguration(baseURL: "https://localhost:7443"))
    /// if let user = app.currentUser { open(user) } else { showLogin() }
    /// ```
    public init(id: String, configuration: AppConfiguration = AppConfiguration()) {
        state = AppState.shared(id: id, configuration: configuration.values)
    }

    /// An app of its own, with no other of the process, that reaches its server by transports of the caller's making:
    /// one for each file. For a server in the same process.
    package init(
        id: String, rootDirectory: URL, accounts: (any NetworkTransport)? = nil,
        transport: @escaping @Sendable () -> any Transport
    ) {
        var values = AppConfiguration.Values()
        values.rootDirectory = rootDirectory
        values.transport = accounts
        state = AppState(id: id, configuration: values, makeTransport: transport)
    }

    /// The name of the database on the server.
    ///
    /// ```swift
    /// print("users of \(app.appId): \(app.allUsers.count)")
    /// ```
    public var appId: String { state.id }

    /// What the app was made with, and the address where its server is now. Changes to it have no effect on the app.
    ///
    /// ```swift
    /// print(app.configuration.baseURL ?? "no server")
    /// ```
    public var configuration: AppConfiguration { AppConfiguration(state.configuration) }

    /// The user that logged in last, while logged in.
    ///
    /// ```swift
    /// if app.currentUser == nil { try await app.login(credentials: .anonymous) }
    /// ```
    public var currentUser: User? { state.currentUser }

    /// The users on this device that have not been removed, by id.
    ///
    /// ```swift
    /// for (id, user) in app.allUsers where user.isLoggedIn { print(id) }
    /// ```
    public var allUsers: [String: User] { state.allUsers }

    /// Registers addresses and passwords.
    ///
    /// ```swift
    /// try await app.emailPasswordAuth.registerUser(email: email, password: password)
    /// ```
    public var emailPasswordAuth: EmailPasswordAuth { EmailPasswordAuth(app: state) }

    /// Settings and handlers of all sessions of the app.
    ///
    /// ```swift
    /// app.syncManager.errorHandler = { error, session in print(error.localizedDescription) }
    /// ```
    public var syncManager: SyncManager { state.syncManager }

    /// Makes another logged-in user the current one.
    ///
    /// ```swift
    /// if let other = app.allUsers.values.first(where: { $0 != app.currentUser }) { app.switch(to: other) }
    /// ```
    ///
    /// A user of another app, or one that is not logged in, is a mistake of the program and stops it.
    @discardableResult
    public func `switch`(to user: User) -> User {
        state.makeCurrent(user)
        return user
    }

    /// Logs a user in. A user that is logged in already gets the new token, and sessions that had stopped for an
    /// expired one go on.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .anonymous)
    /// ```
    ///
    /// - Throws: `AppError`: what the server says, or that it cannot be reached. A login by JWT asks no server and
    ///   throws only when the token is none or names no user.
    @discardableResult
    public func login(credentials: Credentials) async throws -> User {
        try await state.login(credentials)
    }

    /// Logs a user in and calls back with the outcome.
    ///
    /// ```swift
    /// app.login(credentials: .anonymous) { result in
    ///     if case .success(let user) = result { open(user) }
    /// }
    /// ```
    public func login(
        credentials: Credentials, _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
    ) {
        let state = state
        deliver(to: completion) { try await state.login(credentials) }
    }
}

// MARK: - A server that moves

extension App {
    /// The address of the server, `https://HOST:PORT`; empty when the app has none.
    ///
    /// ```swift
    /// print(app.baseUrl)
    /// ```
    public var baseUrl: String { state.configuration.baseURL ?? "" }

    /// Goes on with the server at another address: open sessions connect there, and so do all later calls.
    ///
    /// ```swift
    /// try await app.updateBaseUrl(to: "https://sync-2.example.com:7433")
    /// ```
    ///
    /// It shall be the same server with the same databases, moved; one with a database of its own refuses the sessions.
    /// Users stay logged in, and unsent writes wait in their files. The address is not remembered: a program that starts
    /// again makes the app with the new one, and its users log in again, or with the old one and calls this first.
    ///
    /// - Throws: `AppError.invalidParameter` when this is no address; then everything stays as it was.
    public func updateBaseUrl(to url: String?) async throws { try state.serverMoved(to: url) }

    /// Goes on with the server at another address and calls back with what was wrong with it, or nil.
    ///
    /// ```swift
    /// app.updateBaseUrl(to: "https://sync-2.example.com:7433") { error in if let error { print(error) } }
    /// ```
    public func updateBaseUrl(to url: String?, _ completion: @escaping @Sendable ((any Error)?) -> Void) {
        let state = state
        report(to: completion) { try state.serverMoved(to: url) }
    }
}

extension App: Hashable {
    /// Whether the two are of one id and address.
    ///
    /// ```swift
    /// var names: [App: String] = [:]
    /// names[app] = app == App(id: app.appId, configuration: app.configuration) ? "the same" : "another"
    /// ```
    public static func == (left: App, right: App) -> Bool { left.state === right.state }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(state)) }
}
