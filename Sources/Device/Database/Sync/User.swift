import Synchronization

/// Somebody who logged in to an app on this device.
public final class User: Sendable {
    /// The token's `sub`.
    public let id: String
    let app: AppState

    private let session = Mutex(Login())

    private struct Login {
        var token: String?
        var state = UserState.loggedOut
        var drivers: [WeakDriver] = []
    }

    private struct WeakDriver {
        weak var driver: SyncDriver?
    }

    init(id: String, app: AppState) {
        self.id = id
        self.app = app
    }

    /// The token of the present login.
    public var accessToken: String? { session.withLock(\.token) }

    public var state: UserState { session.withLock(\.state) }

    public var isLoggedIn: Bool { state == .loggedIn }

    /// The sessions of the user's synced Realms that are open.
    public var allSessions: [SyncSession] {
        drivers.map(SyncSession.init(driver:))
    }

    /// Ends the user's sessions and forgets the token. Files stay, with everything not yet uploaded in them; it is
    /// sent after the next login.
    public func logOut() async throws {
        end(.loggedOut)
    }

    /// Ends the user's sessions, forgets the token and calls back.
    public func logOut(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
        end(.loggedOut)
        completion(nil)
    }

    /// Logs out and removes the user from the app's list. Files stay.
    public func remove() async throws {
        end(.removed)
    }

    private func end(_ state: UserState) {
        let drivers = session.withLock { login in
            login.token = nil
            login.state = state
            return login.drivers.compactMap(\.driver)
        }
        for driver in drivers { driver.userLoggedOut() }
        app.loggedOut(self, removing: state == .removed)
    }

    // MARK: - For sessions

    func loggedIn(with token: String) {
        let drivers = session.withLock { login in
            login.token = token
            login.state = .loggedIn
            return login.drivers.compactMap(\.driver)
        }
        for driver in drivers { driver.tokenChanged() }
    }

    func register(_ driver: SyncDriver) {
        session.withLock { login in
            login.drivers.removeAll { $0.driver == nil }
            login.drivers.append(WeakDriver(driver: driver))
        }
    }

    private var drivers: [SyncDriver] {
        session.withLock { $0.drivers.compactMap(\.driver) }
    }
}

/// Whether a user can sync.
public enum UserState: Sendable, Hashable {
    case loggedOut
    case loggedIn
    case removed
}

extension User: Hashable {
    public static func == (left: User, right: User) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension User: Identifiable {}
