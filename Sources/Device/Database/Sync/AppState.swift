import CausewaySync
import Foundation
import Synchronization

/// What all `App` values of one id and address share.
final class AppState: Sendable {
    let id: String
    let configuration: AppConfiguration
    let syncManager = SyncManager()

    /// Nil means HTTP/2 to the configuration's address.
    private let makeTransport: (@Sendable () -> any Transport)?
    private let users = Mutex(Users())

    private struct Users {
        var byID: [String: User] = [:]
        var current: String?
    }

    init(id: String, configuration: AppConfiguration, makeTransport: (@Sendable () -> any Transport)? = nil) {
        self.id = id
        self.configuration = configuration
        self.makeTransport = makeTransport
    }

    /// A way to the app's server, for one file.
    func transport() -> any Transport {
        makeTransport?() ?? httpTransport()
    }

    // MARK: - One per id and address

    private struct Identity: Hashable {
        var id: String
        var baseURL: String?
    }

    private static let known = Mutex<[Identity: AppState]>([:])

    static func shared(id: String, configuration: AppConfiguration) -> AppState {
        known.withLock { known in
            let identity = Identity(id: id, baseURL: configuration.baseURL)
            // A configuration that differs in something else is a new app: tests and tools change trust and folders.
            if let state = known[identity], state.configuration == configuration { return state }
            let state = AppState(id: id, configuration: configuration)
            known[identity] = state
            return state
        }
    }

    // MARK: - Users

    var currentUser: User? {
        users.withLock { users in users.current.flatMap { users.byID[$0] } }
    }

    var allUsers: [String: User] {
        users.withLock(\.byID)
    }

    func login(_ credentials: Credentials) throws -> User {
        let token =
            switch credentials {
            case .jwt(let token): token
            }
        let payload = try TokenPayload(token)
        let user = users.withLock { users in
            let user = users.byID[payload.subject] ?? User(id: payload.subject, app: self)
            users.byID[payload.subject] = user
            users.current = payload.subject
            return user
        }
        user.loggedIn(with: token)
        return user
    }

    func makeCurrent(_ user: User) {
        guard user.isLoggedIn, user.app === self else {
            misuse("Only a user that is logged in to the app can be made its current user.")
        }
        users.withLock { $0.current = user.id }
    }

    func loggedOut(_ user: User, removing: Bool) {
        users.withLock { users in
            if removing { users.byID[user.id] = nil }
            guard users.current == user.id else { return }
            users.current = users.byID.values.filter { $0.isLoggedIn && $0.id != user.id }.map(\.id).min()
        }
    }

    // MARK: - Files

    /// Where the file of a user's synced Realm lies unless the configuration says otherwise.
    func defaultFileURL(userID: String) -> URL {
        let root = configuration.rootDirectory ?? Self.dataFolder
        return
            root
            .appendingPathComponent("causeway", isDirectory: true)
            .appendingPathComponent(Self.fileName(id), isDirectory: true)
            .appendingPathComponent(Self.fileName(userID), isDirectory: true)
            .appendingPathComponent("synced.realm", isDirectory: false)
    }

    /// The user's folder for data by the XDG rules.
    private static var dataFolder: URL {
        if let path = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], path.hasPrefix("/") {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        return FileManager.default.homeDirectoryForCurrentUser
            .appendingPathComponent(".local", isDirectory: true)
            .appendingPathComponent("share", isDirectory: true)
    }

    /// An id as one component of a path: ids come from tokens, and none may climb out of its folder.
    private static func fileName(_ id: String) -> String {
        let name =
            id.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-_")))
            ?? ""
        // File systems end names at 255 bytes. What is cut off is told apart by a digest of the whole.
        guard name.utf8.count > 200 else { return name }
        let digest = id.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return name.prefix(180) + "-" + String(digest, radix: 16)
    }
}
