import CausewayModel
import CausewaySync
import Foundation
import Synchronization

/// The state that all `App` objects of one id and configuration share.
final class AppState: Sendable {
    let id: String
    /// The configuration at creation. It identifies the app in this process, even after its server has moved.
    private let original: AppConfiguration.Values
    private let present: Mutex<AppConfiguration.Values>
    let syncManager = SyncManager()

    /// Nil means HTTP/2 to the configuration's address.
    private let makeTransport: (@Sendable () -> any Transport)?
    private let users = Mutex(Users())
    private let accountCalls = Mutex<AccountCalls?>(nil)
    private let file: UserFile

    private struct Users {
        var byID: ExactDictionary<User> = [:]
        var current: String?
    }

    init(
        id: String, configuration: AppConfiguration.Values, makeTransport: (@Sendable () -> any Transport)? = nil
    ) {
        self.id = id
        original = configuration
        present = Mutex(configuration)
        self.makeTransport = makeTransport
        let name = "users-" + String(Self.digest(configuration.baseURL ?? ""), radix: 16) + ".causeway"
        file = UserFile(url: Self.folder(of: id, configuration).appendingPathComponent(name, isDirectory: false))
        let content = file.content()
        users.withLock { users in
            for record in content.users { users.byID[record.id] = User(record, app: self) }
            users.current = content.current
        }
    }

    /// The configuration at creation, with the current address of the server.
    var configuration: AppConfiguration.Values { present.withLock { $0 } }

    /// Changes the address of the server. Users, files and unsent writes stay.
    func serverMoved(to baseURL: String?) throws {
        var moved = configuration
        moved.baseURL = baseURL
        do throws(TransportFailure) {
            try checkAddress(of: moved)
        } catch {
            throw AppError(.invalidParameter, error.message)
        }
        present.withLock { $0 = moved }
        accountCalls.withLock { $0 = nil }
        for user in allUsers.values { user.serverMoved() }
    }

    /// A transport to the app's server, for one file.
    func transport() -> any Transport {
        makeTransport?() ?? networkTransport()
    }

    /// The calls that belong to no file. They share one connection.
    var accounts: AccountCalls {
        accountCalls.withLock { calls in
            if let calls { return calls }
            let made = configuration.transport.map { AccountCalls($0, app: self) } ?? AccountCalls(over: self)
            calls = made
            return made
        }
    }

    // MARK: - One per id and address

    private struct Identity: Hashable {
        var id: String
        var baseURL: String?
    }

    private static let known = Mutex<[Identity: AppState]>([:])

    static func shared(id: String, configuration: AppConfiguration.Values) -> AppState {
        known.withLock { known in
            let identity = Identity(id: id, baseURL: configuration.baseURL)
            // A configuration that differs in anything else makes a new app: tests and tools change trust and folders.
            if let state = known[identity], state.original == configuration { return state }
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
        // A Swift dictionary treats two Unicode spellings of a text as one key.
        Dictionary(users.withLock { $0.byID.map { ($0.key, $0.value) } }, uniquingKeysWith: { first, _ in first })
    }

    func login(_ credentials: Credentials) async throws -> User {
        switch credentials {
        case .jwt(let token):
            let payload = try TokenPayload(token)
            return loggedIn(payload.subject) { record in
                record.provider = "custom-token"
                record.accessToken = token
                record.refreshToken = nil
                record.identities = [.init(provider: "custom-token", id: payload.subject)]
            }
        case .anonymous:
            // A device has one anonymous user at a time: another login would leave the first one's data unreachable.
            if let known = allUsers.values.first(where: { $0.isLoggedIn && $0.record.isAnonymous }) {
                makeCurrent(known)
                return known
            }
        default: break
        }
        let answer: AccountAnswer = try await accounts.call("login", CredentialsRequest(credentials))
        return try loggedIn(answer)
    }

    private func loggedIn(_ answer: AccountAnswer) throws -> User {
        guard let token = answer.accessToken, try TokenPayload(token).subject.isSame(as: answer.userId) else {
            throw AppError(
                .invalidSession,
                "The server's answer to the login holds no token of the user it names. Check that device and server "
                    + "are of versions that belong together.")
        }
        return loggedIn(answer.userId) { $0.take(answer) }
    }

    private func loggedIn(_ id: String, _ change: (inout UserRecord) -> Void) -> User {
        let user = users.withLock { users in
            let user = users.byID[id] ?? User(UserRecord(id: id), app: self)
            users.byID[id] = user
            users.current = id
            return user
        }
        user.loggedIn(change)
        return user
    }

    func makeCurrent(_ user: User) {
        guard user.isLoggedIn, user.app === self else {
            misuse("Only a user that is logged in to the app can be made its current user.")
        }
        users.withLock { $0.current = user.id }
        save(user)
    }

    /// Stores the present state of a user, and who is the current user.
    func save(_ user: User) {
        let record = user.record
        let current = users.withLock { users in
            if record.state == .removed { users.byID[user.id] = nil }
            if record.state != .loggedIn, users.current?.isSame(as: user.id) == true {
                users.current = users.byID.values.filter { $0.isLoggedIn && !$0.id.isSame(as: user.id) }.map(\.id).min()
            }
            return users.current
        }
        if record.state == .removed {
            file.save([], removing: [user.id], current: current)
        } else {
            file.save([record], current: current)
        }
    }

    // MARK: - Places

    private static func folder(of id: String, _ configuration: AppConfiguration.Values) -> URL {
        (configuration.rootDirectory ?? dataFolder)
            .appendingPathComponent("causeway", isDirectory: true)
            .appendingPathComponent(fileName(id), isDirectory: true)
    }

    /// The place of a user's synced file. Each partition value, if there is one, has a file of its own.
    func defaultFileURL(userID: String, partition: AnyBSON? = nil) -> URL {
        var name = "synced"
        if let partition {
            let text = (try? JSONEncoder().encode(partition)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            name += "-" + Self.fileName(text)
        }
        return Self.folder(of: id, configuration)
            .appendingPathComponent(Self.fileName(userID), isDirectory: true)
            .appendingPathComponent(name + ".realm", isDirectory: false)
    }

    /// The user's XDG data folder.
    private static var dataFolder: URL {
        if let path = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], path.hasPrefix("/") {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        return FileManager.default.homeDirectoryForCurrentUser
            .appendingPathComponent(".local", isDirectory: true)
            .appendingPathComponent("share", isDirectory: true)
    }

    /// An id as one path component. Ids come from tokens, and no id may lead out of its folder.
    static func fileName(_ id: String) -> String {
        let name =
            id.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-_")))
            ?? ""
        // File systems limit names to 255 bytes. A digest of the whole id keeps shortened names apart.
        guard name.utf8.count > 200 else { return name }
        return name.prefix(180) + "-" + String(digest(id), radix: 16)
    }

    /// The FNV-1a hash of a text, for file names.
    private static func digest(_ text: String) -> UInt64 {
        text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
