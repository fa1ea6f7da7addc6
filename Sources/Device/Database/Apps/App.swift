package import CausewaySync
package import Foundation

/// A database on a server, with the users of this device.
///
/// ```swift
/// let app = App(id: "flights", configuration: AppConfiguration(baseURL: "https://localhost:7443"))
/// let user = try await app.login(credentials: .emailPassword(email: email, password: password))
/// let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
/// ```
///
/// The id is the name of the database on the server. Apps with one id and equal configurations are one app: they share
/// users and sessions. Users are stored in a file and stay logged in when the program restarts.
public final class App: Sendable {
    let state: AppState

    /// Creates the app with its stored users, or joins the app that already has this id and configuration.
    ///
    /// ```swift
    /// let app = App(id: "flights", configuration: AppConfiguration(baseURL: "https://localhost:7443"))
    /// if let user = app.currentUser { open(user) } else { showLogin() }
    /// ```
    public init(id: String, configuration: AppConfiguration = AppConfiguration()) {
        state = AppState.shared(id: id, configuration: configuration.values)
    }

    /// Creates an app that shares nothing with other apps of the process. `transport` makes one transport for each
    /// file, for a server in the same process.
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

    /// A copy of the app's configuration, with the current address of its server. Changing it does not change the app.
    ///
    /// ```swift
    /// print(app.configuration.baseURL ?? "no server")
    /// ```
    public var configuration: AppConfiguration { AppConfiguration(state.configuration) }

    /// The user who last logged in or was switched to; nil when nobody is logged in. When the current user logs out,
    /// another logged-in user becomes the current one.
    ///
    /// ```swift
    /// if app.currentUser == nil { try await app.login(credentials: .anonymous) }
    /// ```
    public var currentUser: User? { state.currentUser }

    /// The users on this device, by id: logged in or not, but not removed.
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
    /// A user of another app, or one that is not logged in, stops the program.
    @discardableResult
    public func `switch`(to user: User) -> User {
        state.makeCurrent(user)
        return user
    }

    /// Logs a user in. A user who is already logged in gets the new token, and sessions that stopped because a token
    /// expired continue.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .anonymous)
    /// ```
    ///
    /// - Throws: `AppError` when the server refuses or cannot be reached. A login by JWT does not ask the server: it
    ///   throws only when the token cannot be read or names no user.
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
    @preconcurrency
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
    public var baseURL: String { baseUrl }

    /// The same by the name that later versions of RealmSwift have.
    public var baseUrl: String { state.configuration.baseURL ?? "" }

    /// Changes the address of the server. Open sessions and all later calls connect to the new address.
    ///
    /// ```swift
    /// try await app.updateBaseUrl(to: "https://sync-2.example.com:7433")
    /// ```
    ///
    /// It must be the same server with the same databases. A server with another database refuses the sessions. Users
    /// stay logged in, and unsent writes stay in their files. The new address is not stored. After a restart, create
    /// the app with the new address, and users log in again; or use the old address and call this method first.
    ///
    /// - Throws: `AppError.invalidParameter` when the address is nil or not valid. Nothing changes then.
    public func updateBaseUrl(to url: String?) async throws { try state.serverMoved(to: url) }

    /// Changes the address of the server and calls back with the error, or nil.
    ///
    /// ```swift
    /// app.updateBaseUrl(to: "https://sync-2.example.com:7433") { error in if let error { print(error) } }
    /// ```
    @preconcurrency
    public func updateBaseUrl(to url: String?, _ completion: @escaping @Sendable ((any Error)?) -> Void) {
        let state = state
        report(to: completion) { try state.serverMoved(to: url) }
    }
}

extension App: Hashable {
    /// Whether the two are one app, with the same users and sessions.
    ///
    /// ```swift
    /// var names: [App: String] = [:]
    /// names[app] = app == App(id: app.appId, configuration: app.configuration) ? "the same" : "another"
    /// ```
    public static func == (left: App, right: App) -> Bool { left.state === right.state }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(state)) }
}
