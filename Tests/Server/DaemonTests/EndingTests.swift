import CausewayEndpoint
import CausewayEnvironment
import CausewayFolders
import CausewayIdentity
import CausewayLimits
import CausewaySession
import CausewayWire
import Foundation
import Logging
import Testing

@testable import CausewayDaemon

@Suite("What is done before the server has ended")
struct EndingTests {
    private struct Nobody: Authenticator {
        func caller(for token: String, database: String) throws(SyncFailure) -> KnownCaller {
            throw .tokenExpired
        }
    }

    @Test("the messages that answers have promised are sent")
    func promisedMessages() async throws {
        let folder = try TemporaryFolder()
        let keys = try DevelopmentKeys.make(hosts: [], days: 1, tokens: .es256, now: Date())
        func text(_ name: String) throws -> String { try #require(keys.files.first { $0.name == name }).text }
        let logger = Logger(label: "test")
        let endpoint = try Endpoint(
            Endpoint.Configuration(
                host: "127.0.0.1", port: 0, certificateChain: try text(DevelopmentKeys.Name.server),
                privateKey: try text(DevelopmentKeys.Name.serverKey), limits: EndpointLimits()),
            services: [:], authenticator: Nobody(), clock: SystemClock(), logger: logger)
        var rules = AccountRules()
        rules.emailPassword = true
        rules.confirmation = .message
        rules.passwordCost = PasswordHash.Cost(rounds: 16, blockSize: 8, parallelism: 1)
        let sent = folder.url.appending(path: "sent").path
        let accounts = try await Accounts.open(
            folder: folder.path, database: "a", rules: rules,
            messenger: ProgramMessenger(command: ["/bin/sh", "-c", "cat >> '\(sent)'"], logger: logger),
            clock: SystemClock())
        for name in ["ann", "ben", "cyd"] {
            let body = #"{"email":"\#(name)@example.org","password":"correct horse battery"}"#
            let reply = await accounts.answer("register", body: Array(body.utf8), token: nil, peer: "10.0.0.1")
            #expect(reply.status == 200)
        }
        let database = Configuration.Database(name: "a", folder: folder.path)
        let store = try TenantOpening.openStore(of: database, Configuration.Limits())
        let tenant = try Tenant(
            database, try FolderLock(folder.path), store, limits: Configuration.Limits(), rates: .unlimited,
            accounts: accounts, clock: SystemClock(), logger: logger)
        await Serving(endpoint: endpoint, tenants: Tenants([tenant]), logger: logger).end()
        let messages = try String(contentsOfFile: sent, encoding: .utf8)
        for name in ["ann", "ben", "cyd"] { #expect(messages.contains("\(name)@example.org")) }
    }
}
