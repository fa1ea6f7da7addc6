import CausewaySync
import CausewayWire
import Synchronization

/// A user of an app who has logged in on this device.
///
/// ```swift
/// let user = try await app.login(credentials: .emailPassword(email: email, password: password))
/// let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
/// ```
///
/// A user stays logged in across restarts of the program, until they log out. The refresh token of the login renews an
/// access token that is about to expire, and sessions continue. A login by JWT has no refresh token: to keep its
/// sessions, the app logs in again with a newer JWT in time.
public final class User: Sendable {
    /// The id of the user on the server. After a login by JWT it is the token's `sub`.
    ///
    /// ```swift
    /// print(user.id)
    /// ```
    public let id: String
    let app: AppState

    private let session: Mutex<Login>

    private struct Login {
        var record: UserRecord
        var drivers: [WeakDriver] = []
        /// The running renewal of the access token, if any.
        var renewal: Task<Renewal, Never>?
    }

    private struct WeakDriver {
        weak var driver: SyncDriver?
    }

    init(_ record: UserRecord, app: AppState) {
        id = record.id
        self.app = app
        session = Mutex(Login(record: record))
    }

    var record: UserRecord { session.withLock(\.record) }

    /// The token that requests carry; nil when the user is not logged in.
    ///
    /// ```swift
    /// let header = ["Authorization": "Bearer \(user.accessToken ?? "")"]
    /// ```
    public var accessToken: String? { record.accessToken }

    /// When the access token expires, in milliseconds since 1970; nil without a token or an expiry.
    var tokenExpires: UInt64? {
        accessToken.flatMap { try? TokenPayload($0) }?.expiryMilliseconds
    }

    /// The token that renews access tokens; nil after a login by JWT and after a logout.
    ///
    /// ```swift
    /// let lastsBeyondTheToken = user.refreshToken != nil
    /// ```
    public var refreshToken: String? { record.refreshToken }

    /// Whether the user can sync.
    ///
    /// ```swift
    /// if user.state == .loggedOut { try await app.login(credentials: .emailPassword(email: email, password: password)) }
    /// ```
    public var state: UserState { record.state }

    /// Whether `state` is `loggedIn`.
    ///
    /// ```swift
    /// let ready = app.allUsers.values.filter(\.isLoggedIn)
    /// ```
    public var isLoggedIn: Bool { state == .loggedIn }

    /// The ways in which the user can log in.
    ///
    /// ```swift
    /// print(user.identities.map(\.providerType))    // ["local-userpass", "api-key"]
    /// ```
    public var identities: [UserIdentity] {
        record.identities.map { UserIdentity(providerType: $0.provider, identifier: $0.id) }
    }

    /// The user's profile, as the identity providers reported it to the server.
    ///
    /// ```swift
    /// print(user.profile.name ?? user.profile.email ?? user.id)
    /// ```
    public var profile: UserProfile { UserProfile(metadata: record.profile.mapValues { $0 }) }

    /// The data that the server's operator keeps for the user, as of the last login or `refreshCustomData`.
    ///
    /// ```swift
    /// if case .string(let team)? = user.customData["team"] { show(team) }
    /// ```
    public var customData: Document { record.customData.mapValues { $0 } }

    /// The user's API keys.
    ///
    /// ```swift
    /// let key = try await user.apiKeysAuth.createAPIKey(named: "laptop")
    /// ```
    public var apiKeysAuth: APIKeyAuth { APIKeyAuth(user: self) }

    /// Functions of the server, by name.
    ///
    /// ```swift
    /// let sum = try await user.functions.sum(1, 2, 3)
    /// ```
    public var functions: Functions { Functions(user: self) }

    /// The sessions of the user's open synced Realms.
    ///
    /// ```swift
    /// for session in user.allSessions { session.reconnect() }
    /// ```
    public var allSessions: [SyncSession] {
        drivers.map(SyncSession.init(driver:))
    }

    // MARK: - Leaving

    /// Logs the user out: ends the sessions, deletes the tokens and revokes the refresh token on the server. Files stay
    /// with their unsent writes, which are sent after the next login.
    ///
    /// Without a connection the user is logged out too, and the refresh token stays valid until it expires. An
    /// anonymous user cannot log in again and is removed.
    ///
    /// ```swift
    /// try await user.logOut()
    /// ```
    public func logOut() async throws {
        await leave(record.isAnonymous ? .removed : .loggedOut)
    }

    /// Logs out and calls back.
    ///
    /// ```swift
    /// user.logOut { error in print(error ?? "done") }
    /// ```
    @preconcurrency
    public func logOut(completion: @escaping @Sendable ((any Error)?) -> Void) {
        report(to: completion) { try await self.logOut() }
    }

    /// Logs out and removes the user from the app's list. Files stay.
    ///
    /// ```swift
    /// try await user.remove()
    /// ```
    public func remove() async throws {
        await leave(.removed)
    }

    /// Logs out, removes the user from the app's list and calls back.
    ///
    /// ```swift
    /// user.remove { error in print(error ?? "done") }
    /// ```
    @preconcurrency
    public func remove(completion: @escaping @Sendable ((any Error)?) -> Void) {
        report(to: completion) { try await self.remove() }
    }

    /// Deletes the user with all identities on the server, and removes the user from this device. Data that the user
    /// wrote stays in the database, and files stay on the device.
    ///
    /// ```swift
    /// try await user.delete()
    /// ```
    ///
    /// - Throws: `AppError` when the server refuses or cannot be reached. Nothing changes then.
    public func delete() async throws {
        _ = try await call("delete", Nothing(), as: Nothing.self)
        end(.removed)
    }

    /// Deletes the user on the server and calls back.
    ///
    /// ```swift
    /// user.delete { error in print(error ?? "done") }
    /// ```
    @preconcurrency
    public func delete(completion: @escaping @Sendable ((any Error)?) -> Void) {
        report(to: completion) { try await self.delete() }
    }

    private func leave(_ state: UserState) async {
        let token = record.refreshToken
        end(state)
        guard let token else { return }
        do {
            _ = try await app.accounts.call("logout", ["refreshToken": token], as: Nothing.self)
        } catch {
            app.syncManager.log(
                .info, "The server was not told that user '\(id)' has logged out: \(error) The token ends by itself.")
        }
    }

    private func end(_ state: UserState) {
        let drivers = session.withLock { login in
            login.record.accessToken = nil
            login.record.refreshToken = nil
            login.record.state = state
            return login.drivers.compactMap(\.driver)
        }
        for driver in drivers { driver.userLoggedOut() }
        app.save(self)
    }

    // MARK: - Identities

    /// Gives the user another way to log in.
    ///
    /// ```swift
    /// let user = try await app.login(credentials: .anonymous)
    /// try await app.emailPasswordAuth.registerUser(email: email, password: password)
    /// try await user.linkUser(credentials: .emailPassword(email: email, password: password))
    /// ```
    ///
    /// - Returns: The user, with the new identity.
    /// - Throws: `AppError` when the credentials are wrong or belong to somebody else already.
    @discardableResult
    public func linkUser(credentials: Credentials) async throws -> User {
        let answer: AccountAnswer = try await call("link", CredentialsRequest(credentials))
        take(answer)
        return self
    }

    /// Gives the user another way to log in, and calls back.
    ///
    /// ```swift
    /// user.linkUser(credentials: .emailPassword(email: email, password: password)) { result in print(result) }
    /// ```
    @preconcurrency
    public func linkUser(
        credentials: Credentials, _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
    ) {
        deliver(to: completion) { try await self.linkUser(credentials: credentials) }
    }

    /// Updates `customData`, the profile and the identities from the server, and returns `customData`, where the context
    /// asks for a document.
    ///
    /// ```swift
    /// let data: Document = try await user.refreshCustomData()
    /// ```
    ///
    /// - Throws: `AppError` when the server refuses or cannot be reached.
    @discardableResult
    @_disfavoredOverload
    public func refreshCustomData() async throws -> Document {
        take(try await call("profile", Nothing()))
        return customData
    }

    /// Updates `customData` from the server and calls back.
    ///
    /// ```swift
    /// user.refreshCustomData { (result: Result<Document, any Error>) in print((try? result.get().keys.count) ?? 0) }
    /// ```
    @_disfavoredOverload
    @preconcurrency
    public func refreshCustomData(_ completion: @escaping @Sendable (Result<Document, any Error>) -> Void) {
        deliver(to: completion) { try await self.refreshCustomData() as Document }
    }

    private func take(_ answer: AccountAnswer) {
        session.withLock { $0.record.take(answer) }
        app.save(self)
    }

    // MARK: - Calls in the user's name

    /// Calls the server with the access token, and once more with a new one when the old one has expired.
    func call<Answer: Decodable>(
        _ name: String, _ request: some Encodable & Sendable, as answer: Answer.Type = Answer.self
    ) async throws -> Answer {
        guard isLoggedIn, let token = accessToken else {
            throw AppError(.invalidSession, "The user '\(id)' is not logged in. Log in first.")
        }
        do {
            return try await app.accounts.call(name, request, token: token)
        } catch let error as AppError where error.code == .invalidSession {
            guard case .renewed = await renewToken(), let token = accessToken else { throw error }
            return try await app.accounts.call(name, request, token: token)
        }
    }

    /// The outcome of a renewal of the access token.
    enum Renewal: Sendable {
        case renewed
        /// The user has no refresh token or has logged out: the app must log the user in again.
        case impossible
        case failed(TransportFailure)
    }

    /// Gets a new access token with the refresh token. Concurrent callers share one request.
    func renewToken() async -> Renewal {
        let renewal = session.withLock { login in
            if let running = login.renewal { return running }
            let task = Task { await self.renewOnce() }
            login.renewal = task
            return task
        }
        return await renewal.value
    }

    private func renewOnce() async -> Renewal {
        defer { session.withLock { $0.renewal = nil } }
        guard let token = record.refreshToken else { return .impossible }
        do {
            let answer: AccountAnswer = try await app.accounts.call("refresh", ["refreshToken": token])
            let drivers = session.withLock { login -> [SyncDriver]? in
                // The user may have logged out or in meanwhile. Then this token belongs to an earlier login.
                guard login.record.refreshToken == token else { return nil }
                login.record.take(answer)
                return login.drivers.compactMap(\.driver)
            }
            if let drivers {
                app.save(self)
                // All sessions continue with the new token, whichever of them asked.
                for driver in drivers { driver.tokenRefreshed() }
            }
            return isLoggedIn ? .renewed : .impossible
        } catch let error as AppError {
            switch error.code {
            case .invalidSession, .userNotFound, .userDisabled:
                sessionRefused(token)
                return .failed(.refused(SyncFailure(.tokenInvalid, error.message)))
            case .httpRequestFailed where error.httpStatusCode == nil:
                return .failed(.unreachable(error.message))
            default:
                return .failed(.unintelligible(error.message))
            }
        } catch {
            return .failed(.unintelligible("\(error)"))
        }
    }

    /// Logs the user out, because the server refuses the refresh token. Sessions stop with the reason.
    private func sessionRefused(_ token: String) {
        session.withLock { login in
            guard login.record.refreshToken == token else { return }
            login.record.refreshToken = nil
            login.record.accessToken = nil
            login.record.state = .loggedOut
        }
        app.save(self)
    }

    // MARK: - For sessions

    func loggedIn(_ change: (inout UserRecord) -> Void) {
        let drivers = session.withLock { login in
            change(&login.record)
            login.record.state = .loggedIn
            return login.drivers.compactMap(\.driver)
        }
        app.save(self)
        for driver in drivers { driver.tokenChanged() }
    }

    func register(_ driver: SyncDriver) {
        session.withLock { login in
            login.drivers.removeAll { $0.driver == nil }
            login.drivers.append(WeakDriver(driver: driver))
        }
    }

    func serverMoved() {
        for driver in drivers { driver.serverMoved() }
    }

    private var drivers: [SyncDriver] {
        session.withLock { $0.drivers.compactMap(\.driver) }
    }
}

/// Whether a user can sync.
///
/// ```swift
/// let state: UserState = user.state
/// switch state {
/// case .loggedIn: print("can sync")
/// case .loggedOut: print("must log in")
/// case .removed: print("is gone from this device")
/// }
/// ```
public enum UserState: String, Codable, Sendable, Hashable {
    /// The user has logged out, or the server no longer accepts the user's tokens.
    case loggedOut
    /// The user has logged in.
    case loggedIn
    /// The user was removed from this device.
    case removed
}

/// One way in which a user can log in.
///
/// ```swift
/// for identity: UserIdentity in user.identities { print(identity.providerType, identity.identifier) }
/// let isKnown = user.identities.contains(UserIdentity(providerType: "local-userpass", identifier: email))
/// ```
public struct UserIdentity: Hashable, Sendable {
    /// The provider: `local-userpass`, `api-key`, `anon-user`, `custom-token`, `oauth2-apple` and so on.
    public let providerType: String
    /// The id of the user at the provider.
    public let identifier: String

    /// Creates an identity, to compare with others.
    public init(providerType: String, identifier: String) {
        self.providerType = providerType
        self.identifier = identifier
    }
}

/// A user's profile, as the identity providers reported it to the server.
///
/// ```swift
/// let profile: UserProfile = user.profile
/// print(profile.firstName ?? "", profile.lastName ?? "", profile.pictureURL ?? "", profile.birthday ?? "")
/// print(profile.gender ?? "", profile.minAge ?? "", profile.maxAge ?? "", profile.metadata.keys)
/// ```
public struct UserProfile: Hashable, Sendable {
    /// All values, under the providers' names.
    public let metadata: Document

    /// The full name.
    public var name: String? { text("name") }
    /// The e-mail address: that of the login with a password, or the one a provider reported.
    public var email: String? { text("email") }
    /// The URL of a picture of the user.
    public var pictureURL: String? { text("picture_url") ?? text("picture") }
    /// The given name.
    public var firstName: String? { text("first_name") ?? text("given_name") }
    /// The family name.
    public var lastName: String? { text("last_name") ?? text("family_name") }
    /// The gender, in the provider's words.
    public var gender: String? { text("gender") }
    /// The birthday, as the provider writes it.
    public var birthday: String? { text("birthday") ?? text("birthdate") }
    /// The lower bound of the user's age.
    public var minAge: String? { text("min_age") }
    /// The upper bound of the user's age.
    public var maxAge: String? { text("max_age") }

    private func text(_ name: String) -> String? { metadata[name]??.stringValue }
}

extension User: Hashable {
    /// Whether the two are one user of one app.
    ///
    /// ```swift
    /// let others = app.allUsers.values.filter { $0 != app.currentUser }
    /// ```
    public static func == (left: User, right: User) -> Bool { left === right }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension User: Identifiable {}
