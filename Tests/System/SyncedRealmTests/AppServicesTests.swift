import Causeway
import CausewayEnvironment
import CausewayIdentity
import Foundation
import Synchronization
import Testing

/// An app whose account calls are answered by a server's accounts in this process.
final class AppServices: NetworkTransport {
    let folder: URL
    let accounts: Accounts
    let clock = MovableClock()
    private let mailbox = Mailbox()
    private let state = Mutex(State())

    private struct State {
        var isCut = false
        var requests: [NetworkRequest] = []
    }

    init(_ change: (inout AccountRules) -> Void = { _ in }) async throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-app-services-\(UInt64.random(in: 0 ... .max))", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var rules = AccountRules()
        rules.anonymous = true
        rules.emailPassword = true
        rules.userAPIKeys = true
        rules.passwordCost = PasswordHash.Cost(rounds: 16, blockSize: 8, parallelism: 1)
        change(&rules)
        accounts = try await Accounts.open(
            folder: folder.path, database: "flights", rules: rules, messenger: mailbox, clock: clock)
    }

    func end() {
        accounts.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The app of one device: what a program finds that starts there.
    func app(_ device: String = "device") -> App {
        let configuration = AppConfiguration(
            baseURL: "https://\(device).example.org", transport: self,
            // Another setting is another app: so each call of this function is another start of the program.
            defaultRequestTimeoutMS: UInt.random(in: 1_000...1_000_000),
            rootDirectory: folder.appendingPathComponent(device))
        return App(id: "flights", configuration: configuration)
    }

    var messages: [AccountMessage] { mailbox.messages.withLock { $0 } }
    var requests: [NetworkRequest] { state.withLock(\.requests) }

    var isCut: Bool {
        get { state.withLock(\.isCut) }
        set { state.withLock { $0.isCut = newValue } }
    }

    func send(_ request: NetworkRequest) async throws -> NetworkResponse {
        let isCut = state.withLock { state in
            state.requests.append(request)
            return state.isCut
        }
        if isCut { throw CutNetwork(sent: String(decoding: request.body, as: UTF8.self)) }
        let parts = request.url.split(separator: "/")
        let token = request.headers["authorization"].map { String($0.dropFirst("Bearer ".count)) }
        let reply = await accounts.answer(
            String(parts[parts.count - 1]), body: [UInt8](request.body), token: token, peer: "device")
        await accounts.settled()
        return NetworkResponse(statusCode: reply.status, body: Data(reply.body))
    }

    /// An error that says too much, as an app's own may.
    struct CutNetwork: Error { let sent: String }

    final class MovableClock: WallClock {
        private let ahead = Mutex<UInt64>(0)

        func now() -> UInt64 { SystemClock().now() + ahead.withLock { $0 } }

        func pass(seconds: UInt64) { ahead.withLock { $0 += seconds * 1_000 } }
    }

    final class Mailbox: AccountMessenger {
        let messages = Mutex<[AccountMessage]>([])

        func send(_ message: AccountMessage) { messages.withLock { $0.append(message) } }

        func decide(_ question: AccountQuestion) async -> AccountDecision { .yes }

        func report(_ trouble: String) { Issue.record("\(trouble)") }
    }
}

@Suite("App services against a server's accounts in one process", .serialized)
struct AppServicesTests {
    private let email = "ann@example.org"
    private let password = "correct horse battery"

    private func error(_ body: () async throws -> Void) async -> AppError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? AppError
        }
    }

    @Test("a registered user logs in, has identities and a profile, and is the current one")
    func emailPassword() async throws {
        let services = try await AppServices()
        defer { services.end() }
        let app = services.app()
        #expect(app.currentUser == nil)
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
        let user = try await app.login(credentials: .emailPassword(email: email, password: password))
        #expect(user.isLoggedIn && user.state == .loggedIn)
        #expect(app.currentUser == user && app.allUsers == [user.id: user])
        #expect(user.identities == [UserIdentity(providerType: "local-userpass", identifier: email)])
        #expect(user.profile.email == email && user.profile.name == nil)
        #expect(user.accessToken != nil && user.refreshToken != nil)
        #expect(user.customData.isEmpty)

        let wrong = await error {
            try await app.login(credentials: .emailPassword(email: email, password: "wrong password"))
        }
        #expect(wrong?.code == .invalidPassword && wrong?.httpStatusCode == 401)
        let taken = await error { try await app.emailPasswordAuth.registerUser(email: email, password: password) }
        #expect(taken?.code == .accountNameInUse)
        // Users catch by code.
        do {
            try await app.emailPasswordAuth.registerUser(email: email, password: password)
            Issue.record("a taken address is refused")
        } catch AppError.accountNameInUse {
        }
    }

    @Test("users are still logged in when the program starts again; who logged out is not, and who was removed is gone")
    func persistence() async throws {
        let services = try await AppServices()
        defer { services.end() }
        let first = services.app()
        try await first.emailPasswordAuth.registerUser(email: email, password: password)
        let ann = try await first.login(credentials: .emailPassword(email: email, password: password))
        let nobody = try await first.login(credentials: .anonymous)
        first.switch(to: ann)

        let second = services.app()
        #expect(second != first)
        #expect(second.currentUser?.id == ann.id)
        #expect(second.currentUser?.accessToken == ann.accessToken)
        #expect(second.currentUser?.profile.email == email)
        #expect(Set(second.allUsers.keys) == [ann.id, nobody.id])
        try await second.currentUser?.refreshCustomData()
        try await second.currentUser?.logOut()
        #expect(second.currentUser?.id == nobody.id)
        #expect(second.allUsers[ann.id]?.state == .loggedOut)

        let third = services.app()
        #expect(third.currentUser?.id == nobody.id)
        #expect(third.allUsers[ann.id]?.state == .loggedOut)
        #expect(third.allUsers[ann.id]?.refreshToken == nil)
        try await third.currentUser?.logOut()
        let fourth = services.app()
        #expect(fourth.currentUser == nil)
        #expect(Array(fourth.allUsers.keys) == [ann.id])
        try await fourth.allUsers[ann.id]?.remove()
        #expect(services.app().allUsers.isEmpty)
        // Only the file's owner may read what lies in it.
        let folder = services.folder.appendingPathComponent("device/causeway/flights")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("users-") }
        #expect(!files.isEmpty)
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(file).path)
            #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0, "\(file)")
        }
    }

    @Test("an anonymous login on a device that has an anonymous user is that user; after logging out it is another")
    func anonymous() async throws {
        let services = try await AppServices()
        defer { services.end() }
        let app = services.app()
        let first = try await app.login(credentials: .anonymous)
        #expect(try await app.login(credentials: .anonymous) == first)
        #expect(services.requests.count == 1)
        try await first.logOut()
        #expect(first.state == .removed && app.allUsers.isEmpty && app.currentUser == nil)
        #expect(try await app.login(credentials: .anonymous).id != first.id)
    }

    @Test("an access token that expired is renewed by the call that needs it; a login that is over logs out")
    func renewal() async throws {
        let services = try await AppServices()
        defer { services.end() }
        let app = services.app()
        let user = try await app.login(credentials: .anonymous)
        let token = user.accessToken
        services.clock.pass(seconds: 3_600)
        try await user.refreshCustomData()
        #expect(user.accessToken != nil && user.accessToken != token)
        let calls = services.requests.map { $0.url.split(separator: "/").last }
        #expect(calls == ["login", "profile", "refresh", "profile"])
        // However many calls find it expired, it is renewed once.
        services.clock.pass(seconds: 3_600)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await user.refreshCustomData() } }
            try await group.waitForAll()
        }
        services.clock.pass(seconds: 61 * 86_400)
        let over = await error { try await user.refreshCustomData() }
        #expect(over?.code == .invalidSession)
        #expect(user.state == .loggedOut && user.accessToken == nil)
    }

    @Test("without a network a call says so, and logging out logs out all the same")
    func offline() async throws {
        let services = try await AppServices()
        defer { services.end() }
        let app = services.app()
        let user = try await app.login(credentials: .anonymous)
        let refresh = user.refreshToken
        services.isCut = true
        let failure = await error { try await user.refreshCustomData() }
        #expect(failure?.code == .httpRequestFailed && failure?.httpStatusCode == nil)
        let failed = await error { try await user.delete() }
        #expect(failed?.code == .httpRequestFailed)
        #expect(user.isLoggedIn && user.refreshToken == refresh)
        try await user.logOut()
        #expect(!user.isLoggedIn && user.refreshToken == nil)
    }

    @Test("a user links an address, makes keys that log in as the same user, and deletes itself")
    func linkingAndKeys() async throws {
        let services = try await AppServices()
        defer { services.end() }
        let app = services.app()
        let user = try await app.login(credentials: .anonymous)
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
        let linked = try await user.linkUser(credentials: .emailPassword(email: email, password: password))
        #expect(linked == user)
        #expect(user.identities.map(\.providerType) == ["anon-user", "local-userpass"])

        let key = try await user.apiKeysAuth.createAPIKey(named: "laptop")
        #expect(key.name == "laptop" && !key.disabled)
        let text = try #require(key.key)
        let other = services.app("other device")
        #expect(try await other.login(credentials: .userAPIKey(text)).id == user.id)
        let fetched = try await user.apiKeysAuth.fetchAPIKey(key.objectId)
        #expect(fetched.objectId == key.objectId && fetched.key == nil)
        #expect(try await user.apiKeysAuth.fetchAPIKeys() == [fetched])
        let twice = await error { _ = try await user.apiKeysAuth.createAPIKey(named: "laptop") }
        #expect(twice?.code == .apiKeyAlreadyExists)
        try await user.apiKeysAuth.disableAPIKey(key.objectId)
        #expect(try await user.apiKeysAuth.fetchAPIKey(key.objectId).disabled)
        let disabled = await error { try await other.login(credentials: .serverAPIKey(text)) }
        #expect(disabled?.code == .authError)
        try await user.apiKeysAuth.enableAPIKey(key.objectId)
        try await other.login(credentials: .userAPIKey(text))
        try await user.apiKeysAuth.deleteAPIKey(key.objectId)
        let gone = await error { _ = try await user.apiKeysAuth.fetchAPIKey(key.objectId) }
        #expect(gone?.code == .valueNotFound)

        try await user.delete()
        #expect(user.state == .removed && app.allUsers.isEmpty)
        let deleted = await error {
            try await app.login(credentials: .emailPassword(email: email, password: password))
        }
        #expect(deleted?.code == .invalidPassword)
        let unusable = await error { try await user.refreshCustomData() }
        #expect(unusable?.code == .invalidSession)
    }

    @Test("addresses are confirmed and passwords set anew with what the messages hold")
    func messages() async throws {
        let services = try await AppServices { rules in
            rules.confirmation = .message
            rules.passwordReset = .message
        }
        defer { services.end() }
        let app = services.app()
        let auth = app.emailPasswordAuth
        try await auth.registerUser(email: email, password: password)
        let credentials = Credentials.emailPassword(email: email, password: password)
        let unconfirmed = await error { try await app.login(credentials: credentials) }
        #expect(unconfirmed?.code == .authError)
        try await auth.resendConfirmationEmail(email)
        let message = try #require(services.messages.last)
        try await auth.confirmUser(try #require(message.token), tokenId: try #require(message.tokenId))
        try await app.login(credentials: credentials)
        try await auth.sendResetPasswordEmail(email)
        let reset = try #require(services.messages.last)
        try await auth.resetPassword(
            to: "another password", token: try #require(reset.token), tokenId: try #require(reset.tokenId))
        let old = await error { try await app.login(credentials: credentials) }
        #expect(old?.code == .invalidPassword)
        try await app.login(credentials: .emailPassword(email: email, password: "another password"))
        let custom = await error {
            try await auth.callResetPasswordFunction(email: email, password: password, args: ["rex", 3])
        }
        #expect(custom?.code == .authProviderNotFound)
        let retry = await error { try await auth.retryCustomConfirmation(email) }
        #expect(retry?.code == .authProviderNotFound)
    }

    @Test("ways that the server does not have are refused by name")
    func unavailable() async throws {
        let services = try await AppServices()
        defer { services.end() }
        let app = services.app()
        for credentials: Credentials in [
            .apple(idToken: "t"), .google(serverAuthCode: "c"), .googleId(token: "t"), .facebook(accessToken: "t"),
            .function(payload: ["a": 1]),
        ] {
            let refused = await error { try await app.login(credentials: credentials) }
            #expect(refused?.code == .authProviderNotFound, "\(credentials)")
            #expect(refused?.message.contains("no provider configured for") == true, "\(credentials)")
        }
        let user = try await app.login(credentials: .anonymous)
        let function = await error { _ = try await user.functions.sum(1, 2, "three", .null) }
        #expect(function?.code == .functionNotFound)
    }

    @Test("every call has a form with a callback")
    func callbacks() async throws {
        let services = try await AppServices()
        defer { services.end() }
        let app = services.app()
        let registered: (any Error)? = await withCheckedContinuation { continuation in
            app.emailPasswordAuth.registerUser(email: email, password: password) { continuation.resume(returning: $0) }
        }
        #expect(registered == nil)
        let result: Result<User, any Error> = await withCheckedContinuation { continuation in
            app.login(credentials: .emailPassword(email: email, password: password)) {
                continuation.resume(returning: $0)
            }
        }
        let user = try result.get()
        let key: Result<UserAPIKey, any Error> = await withCheckedContinuation { continuation in
            user.apiKeysAuth.createAPIKey(named: "k") { continuation.resume(returning: $0) }
        }
        #expect(try key.get().key != nil)
        let named: (String?, (any Error)?) = await withCheckedContinuation { continuation in
            user.apiKeysAuth.fetchAPIKeys { keys, error in continuation.resume(returning: (keys?.first?.name, error)) }
        }
        #expect(named.0 == "k" && named.1 == nil)
        let again: (String?, (any Error)?) = await withCheckedContinuation { continuation in
            user.apiKeysAuth.createAPIKey(named: "k") { key, error in continuation.resume(returning: (key?.key, error))
            }
        }
        #expect(again.0 == nil && (again.1 as? AppError)?.code == .apiKeyAlreadyExists)
        let id = try key.get().objectId
        let fetched: String? = await withCheckedContinuation { continuation in
            user.apiKeysAuth.fetchAPIKey(id) { key, _ in continuation.resume(returning: key?.name) }
        }
        #expect(fetched == "k")
        let data: [AnyHashable: Any] = try await user.refreshCustomData()
        #expect(data.isEmpty)
        let summed: (any Error)? = await withCheckedContinuation { continuation in
            let sum: Functions.Function = user.functions.sum
            sum([1, 2]) { _, error in continuation.resume(returning: error) }
        }
        #expect((summed as? AppError)?.code == .functionNotFound)
        let left: (any Error)? = await withCheckedContinuation { continuation in
            user.logOut { continuation.resume(returning: $0) }
        }
        #expect(left == nil && !user.isLoggedIn)
    }

    @Test("calls are logged at level debug, without what they hold")
    func loggedCalls() async {
        await #expect(processExitsWith: .success) {
            let services = try await AppServices()
            defer { services.end() }
            let lines = Mutex<[String]>([])
            Logger.shared = Logger(level: .debug) { level, category, message in
                if category.rawValue == Category.app.rawValue { lines.withLock { $0.append("\(level) \(message)") } }
            }
            let app = services.app()
            let secret = "secret-of-the-test"
            _ = try? await app.login(credentials: .emailPassword(email: "a@example.com", password: secret))
            try await app.login(credentials: .anonymous)
            services.isCut = true
            _ = try? await app.login(credentials: .emailPassword(email: "a@example.com", password: secret))
            let heard = lines.withLock { $0 }
            #expect(heard.contains { $0.hasPrefix("debug App: call '") && $0.contains("was refused with status") })
            #expect(heard.contains { $0.hasPrefix("debug App: call '") && $0.hasSuffix("was answered") })
            #expect(heard.contains { $0.hasSuffix("got no answer: httpRequestFailed") })
            #expect(!heard.contains { $0.contains(secret) })
        }
    }

    @Test("an app's headers go along with every call")
    func headers() async throws {
        let services = try await AppServices()
        defer { services.end() }
        let app = services.app()
        app.syncManager.customRequestHeaders = ["x-tenant": "north"]
        app.syncManager.userAgent = "gate-display/3"
        try await app.login(credentials: .anonymous)
        let request = try #require(services.requests.last)
        #expect(request.headers["x-tenant"] == "north")
        #expect(request.headers["user-agent"] == "gate-display/3")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.url == "https://device.example.org/v1/flights/auth/login")
        #expect(request.timeoutMilliseconds == app.configuration.defaultRequestTimeoutMS)
    }
}
