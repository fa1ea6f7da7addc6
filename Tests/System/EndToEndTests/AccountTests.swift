import Causeway
import CausewayPrograms
import Foundation
import Synchronization
import Testing

@Suite("Accounts of a real server, over TLS", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct AccountTests {
    private let email = "ann@example.org"
    private let password = "correct horse battery"

    private static let everything = """
        accounts:
          anonymous: true
          emailPassword: true
          userAPIKeys: true
        """

    private func open(_ bench: Bench, _ device: String, _ user: User) throws -> Realm {
        var configuration = user.flexibleSyncConfiguration(initialSubscriptions: {
            $0.append(QuerySubscription<Item>(name: "items"))
        })
        configuration.fileURL = bench.file(device)
        configuration.objectTypes = [Item.self, Reading.self]
        return try Realm(configuration: configuration)
    }

    @Test("register, log in, sync, outlive the access token without a word, log out")
    func life() async throws {
        let bench = try Bench("accounts", accounts: Self.everything + "\n  accessTokenSeconds: 20\n")
        defer { bench.end() }
        let app = bench.app()
        let troubles = Reports(of: app)
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
        let wrong = await #expect(throws: AppError.self) {
            try await app.login(credentials: .emailPassword(email: email, password: "wrong password"))
        }
        #expect(wrong?.code == .invalidPassword)
        let user = try await app.login(credentials: .emailPassword(email: email, password: password))
        let token = user.accessToken
        let realm = try open(bench, "A", user)
        try realm.writeItems(1...5)
        try await realm.uploaded()
        #expect(try bench.server.count("Item") == 5)

        // A second device of the same user is there all the time and hears of everything.
        let other = bench.app(folder: "other")
        let same = try await other.login(credentials: .emailPassword(email: email, password: password))
        #expect(same.id == user.id)
        let second = try open(bench, "B", same)
        var written = 5
        while user.accessToken == token {
            try await Task.sleep(for: .milliseconds(500))
            written += 1
            try realm.writeItems(written...written)
            try await realm.uploaded()
            try await second.downloaded()
            #expect(second.objects(Item.self).count == written)
        }
        #expect(troubles.messages == [])

        let refresh = user.refreshToken
        try await user.logOut()
        #expect(refresh != nil && user.accessToken == nil)
        #expect(realm.syncSession?.state == .invalid)
        try realm.writeItems(1_000...1_000)
        #expect(try await refusal(of: realm).code == .clientUser)
        try await app.login(credentials: .emailPassword(email: email, password: password))
        try await realm.uploaded()
        try await second.downloaded()
        #expect(content(second) == content(realm))
    }

    @Test("a user who is shut out loses the session when the access token ends")
    func shutOut() async throws {
        let bench = try Bench("shut-out", accounts: Self.everything + "\n  accessTokenSeconds: 2\n")
        defer { bench.end() }
        let app = bench.app()
        let troubles = Troubles(of: app)
        let user = try await app.login(credentials: .anonymous)
        let realm = try open(bench, "A", user)
        try realm.writeItems(1...3)
        try await realm.uploaded()
        try bench.server.accounts("disable", "--user", user.id)
        // On a busy machine a token of two seconds may be over before it is used: that is told too, and tried again.
        _ = try await troubles.next(.underlyingAuth, saying: "The login is over")
        #expect(!user.isLoggedIn)
        #expect(realm.objects(Item.self).count == 3)
        try bench.server.accounts("enable", "--user", user.id)
        #expect(try bench.server.accounts("list").contains(user.id))
    }

    @Test("keys of a user and of the operator log in; custom data reaches the app")
    func keys() async throws {
        let bench = try Bench("keys", accounts: Self.everything)
        defer { bench.end() }
        let app = bench.app()
        let user = try await app.login(credentials: .anonymous)
        let realm = try open(bench, "A", user)
        try realm.writeItems(1...3)
        try await realm.uploaded()
        let key = try #require(try await user.apiKeysAuth.createAPIKey(named: "laptop").key)
        let laptop = bench.app(folder: "laptop")
        let same = try await laptop.login(credentials: .userAPIKey(key))
        #expect(same.id == user.id)
        let copy = try open(bench, "B", same)
        try await copy.downloaded()
        #expect(copy.objects(Item.self).count == 3)

        let serverKey = try bench.server.accounts("server-key", "--name", "ingest")
        let program = try await bench.app(folder: "program").login(credentials: .serverAPIKey(serverKey))
        #expect(program.id != user.id && program.profile.name == "ingest")
        try bench.server.accounts("custom-data", "--user", user.id, "--json", #"{"team":"north"}"#)
        #expect(try await user.refreshCustomData() == ["team": "north"])
    }

    @Test("a token of one database's accounts is worth nothing in another database")
    func databasesApart() async throws {
        let bench = try Bench("apart", others: ["spares"], accounts: Self.everything)
        defer { bench.end() }
        let user = try await bench.app().login(credentials: .anonymous)
        let spares = bench.app(database: "spares")
        let stranger = try await spares.login(credentials: .jwt(token: try #require(user.accessToken)))
        let realm = try open(bench, "A", stranger)
        try realm.writeItems(1...3)
        #expect(try await refusal(of: realm).code == .underlyingAuth)
        // JWTs of the configured issuer go on working beside the accounts.
        let device = try await bench.device("B")
        try device.writeItems(1...2)
        try await device.uploaded()
        #expect(try bench.server.count("Item") == 2)
    }

    @Test("a server without accounts says so")
    func noAccounts() async throws {
        let bench = try Bench("no-accounts")
        defer { bench.end() }
        for credentials: Credentials in [.anonymous, .emailPassword(email: email, password: password)] {
            let error = await #expect(throws: AppError.self) { try await bench.app().login(credentials: credentials) }
            #expect(error?.code == .authProviderNotFound)
        }
        bench.server.kill()
        let error = await #expect(throws: AppError.self) { try await bench.app().login(credentials: .anonymous) }
        #expect(error?.code == .httpRequestFailed && error?.httpStatusCode == nil)
    }

    @Test("a program that starts again is still logged in and goes on syncing, also after the server was killed")
    func restart() async throws {
        let bench = try Bench("restart", accounts: Self.everything)
        defer { bench.end() }
        func peer() throws -> ChildProcess {
            try ChildProcess(
                name: "peer", program: Bench.program("CausewayAppPeer"),
                arguments: [
                    bench.server.database, bench.server.url, bench.server.authority,
                    bench.folder.appendingPathComponent("peer").path,
                ], log: bench.folder.appendingPathComponent("peer.log"))
        }
        func ask(_ peer: ChildProcess, _ line: String) throws -> String {
            peer.send(line)
            return try #require(try peer.nextLine())
        }
        try await bench.app().emailPasswordAuth.registerUser(email: email, password: password)
        let first = try peer()
        #expect(try ask(first, "who") == "nobody")
        #expect(try ask(first, "login \(email) wrong") == "refused invalidPassword")
        #expect(try ask(first, "login \(email) correct") == "refused invalidPassword")
        let user = try ask(first, "anonymous")
        #expect(user.hasPrefix("user "))
        #expect(try ask(first, "add 1") == "added")
        first.kill()

        bench.server.kill()
        try bench.server.start()
        let second = try peer()
        #expect(try ask(second, "who") == "\(user) loggedIn")
        #expect(try ask(second, "anonymous") == user)
        #expect(try ask(second, "add 2") == "added")
        #expect(try ask(second, "count") == "count 2")
        #expect(try ask(second, "logout") == "done")
        second.kill()

        let third = try peer()
        defer { third.kill() }
        #expect(try ask(third, "who") == "nobody")
        #expect(try ask(third, "anonymous") != user)
    }

    @Test("functions are programs of the operator's, called in every form, and one says who somebody is")
    func functions() async throws {
        let scripts = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scripts) }
        func function(_ name: String, _ text: String) throws -> String {
            let script = scripts.appendingPathComponent(name)
            try "#!/bin/sh\n\(text)\n".write(to: script, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
            return "    - name: \(name)\n      program: [\(script.path)]\n"
        }
        let functions = try [
            function("echo", "cat"),
            function("fails", "cat > /dev/null; echo 'There is no such dog.'; exit 3"),
            function("says", "echo 'not JSON'"),
            function("nothing", "true"),
            function(
                "whoIs",
                """
                read call
                case "$call" in *wolf*) echo 'Wolves stay outside.'; exit 1;; esac
                echo "$call" | sed 's/.*"name":"\\([a-z]*\\)".*/{"id":"dog-\\1","name":"\\1"}/'
                """),
        ]
        let bench = try Bench(
            "functions",
            accounts: Self.everything + "\n  loginFunction: whoIs\n  functions:\n" + functions.joined())
        defer { bench.end() }
        let app = bench.app()
        let user = try await app.login(credentials: .function(payload: ["name": "rex"]))
        #expect(user.profile.name == "rex" && user.identities.map(\.identifier) == ["dog-rex"])
        #expect(
            try await bench.app(folder: "other").login(credentials: .function(payload: ["name": "rex"])).id == user.id)
        let refused = await #expect(throws: AppError.self) {
            try await app.login(credentials: .function(payload: ["name": "wolf"]))
        }
        #expect(refused?.code == .authError && refused?.message == "Wolves stay outside.")
        let unclear = await #expect(throws: AppError.self) { try await app.login(credentials: .function(payload: [:])) }
        #expect(unclear?.code == .internalServerError)

        let call = try #require(try await user.functions.echo(1, "two").documentValue)
        #expect(call["user"] == .string(user.id) && call["function"] == "echo" && call["database"] == "items")
        #expect(call["arguments"]??.arrayValue?.first??.asInt() == 1)
        #expect(call["arguments"]??.arrayValue?.last??.stringValue == "two")
        let told: AnyBSON = try await withCheckedThrowingContinuation { continuation in
            user.functions.echo([true]) { (result: Result<AnyBSON, any Error>) in continuation.resume(with: result) }
        }
        #expect(told.documentValue?["arguments"]??.arrayValue?.first??.boolValue == true)
        #expect(try await user.functions.nothing() == .null)

        let failed = await #expect(throws: AppError.self) { try await user.functions.fails() }
        #expect(failed?.code == .functionExecutionError && failed?.message == "There is no such dog.")
        let said = await #expect(throws: AppError.self) { try await user.functions.says() }
        #expect(said?.code == .functionExecutionError && said?.message.contains("'says' failed") == true)
        let unknown = await #expect(throws: AppError.self) { try await user.functions.sing() }
        #expect(unknown?.code == .functionNotFound)

        let realm = try open(bench, "A", user)
        try realm.writeItems(1...3)
        try await realm.uploaded()
        #expect(try bench.server.count("Item") == 3)
        try bench.server.accounts("disable", "--user", user.id)
        let disabled = await #expect(throws: AppError.self) { try await user.functions.echo() }
        #expect(disabled?.code == .userDisabled)
    }

    @Test("an app goes on with its server at another address")
    func moved() async throws {
        let bench = try Bench("moved", accounts: Self.everything)
        defer { bench.end() }
        let app = bench.app()
        let user = try await app.login(credentials: .anonymous)
        let realm = try open(bench, "A", user)
        try realm.writeItems(1...3)
        try await realm.uploaded()
        bench.server.kill()
        try bench.server.move()
        try bench.server.start()
        try realm.writeItems(4...5)
        await #expect(throws: AppError.self) { try await app.updateBaseUrl(to: "no address") }
        #expect(app.baseUrl != bench.server.url)
        try await app.updateBaseUrl(to: bench.server.url)
        #expect(app.baseUrl == bench.server.url && app.configuration.baseURL == bench.server.url)
        try await realm.uploaded()
        try await realm.downloaded()
        #expect(try bench.server.count("Item") == 5)
        // Calls go there too, and the app is still the same.
        #expect(try await user.refreshCustomData() == [:])
        #expect(app.currentUser == user && realm.syncSession?.connectionState == .connected)
    }

    @Test("the operator's program gets messages and decides")
    func program() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-mail-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (script, mail) = (folder.appendingPathComponent("mail"), folder.appendingPathComponent("messages"))
        try "#!/bin/sh\ncat >> \(mail.path)\n".write(to: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
        let bench = try Bench(
            "program",
            accounts: Self.everything
                + "\n  confirmation: message\n  passwordReset: program\n  program: [\(script.path)]\n")
        defer { bench.end() }
        let app = bench.app()
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
        var text = ""
        while !text.hasSuffix("\n") {
            try await Task.sleep(for: .milliseconds(20))
            text = (try? String(contentsOf: mail, encoding: .utf8)) ?? ""
        }
        let message = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        #expect(message["kind"] == "confirm" && message["email"] == email && message["database"] == "items")
        try await app.emailPasswordAuth.confirmUser(
            try #require(message["token"]), tokenId: try #require(message["tokenId"]))
        try await app.login(credentials: .emailPassword(email: email, password: password))
        // The program ends with zero, which is a yes.
        try await app.emailPasswordAuth.callResetPasswordFunction(
            email: email, password: "another password", args: ["rex"])
        try await app.login(credentials: .emailPassword(email: email, password: "another password"))
    }
}

/// What the sessions of an app reported.
final class Reports: Sendable {
    private let errors = Mutex<[String]>([])

    var messages: [String] { errors.withLock { $0 } }

    init(of app: App) {
        app.syncManager.errorHandler = { [weak self] error, _ in self?.errors.withLock { $0.append("\(error)") } }
    }
}
