import CausewayEndpoint
import CausewayEnvironment
import CausewayFolders
import CausewayIdentity
import Foundation
import Logging
import Testing

@testable import CausewayDaemon

@Suite("Whose tokens each database takes")
struct TokenSourceTests {
    private static func keys(_ algorithm: SigningAlgorithm = .es256) throws -> DevelopmentKeys {
        try DevelopmentKeys.make(hosts: ["localhost"], days: 1, tokens: algorithm, now: Date())
    }

    private func text(_ keys: DevelopmentKeys, _ name: String) -> String {
        keys.files.first { $0.name == name }?.text ?? ""
    }

    /// The certificate and the token keys in a folder, with a configuration beside them.
    private func folder(_ keys: DevelopmentKeys, _ configuration: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        _ = try KeyFolder(folder.url.appending(path: "keys").path).write(keys.files)
        folder.write(
            "tls: {certificate: keys/server.pem, key: keys/server-key.pem}\n" + configuration, "sync-server.yaml")
        return folder
    }

    private func configuration(_ folder: TemporaryFolder) throws -> Configuration {
        try ConfigurationFile.read(folder.url.appending(path: "sync-server.yaml").path)
    }

    private func authenticator(_ folder: TemporaryFolder) async throws -> TokenAuthenticator {
        let configuration = try configuration(folder)
        let inspection = await Inspection(configuration, now: Date())
        return TokenAuthenticator(
            verifiers: TokenVerifiers(try inspection.verifiers(configuration)), clock: SystemClock())
    }

    private func token(_ keys: DevelopmentKeys, audience: String? = nil) async throws -> String {
        try await DevelopmentToken(user: "ada", audience: audience).signed(
            with: text(keys, DevelopmentKeys.Name.tokenPrivate), algorithm: .es256, source: "test",
            now: SystemClock().now())
    }

    private func isTaken(_ token: String, _ database: String, _ authenticator: TokenAuthenticator) -> Bool {
        (try? authenticator.identify(token, database, nil)) != nil
    }

    @Test("a token of one database is not good for another with audiences of its own")
    func audiences() async throws {
        let keys = try Self.keys()
        let folder = try folder(
            keys,
            """
            databases:
              - {name: a, folder: a, tokens: {audiences: a}}
              - {name: b, folder: b, tokens: {audiences: b}}
            tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}]}
            """)
        let authenticator = try await authenticator(folder)
        let (ofA, ofB) = (try await token(keys, audience: "a"), try await token(keys, audience: "b"))
        #expect(isTaken(ofA, "a", authenticator) && !isTaken(ofA, "b", authenticator))
        #expect(!isTaken(ofB, "a", authenticator) && isTaken(ofB, "b", authenticator))
        #expect(isTaken(ofA, "nothing", authenticator), "who holds a good token is told that there is no such database")
    }

    @Test("a database with keys of its own takes no token of the common ones, and one without takes those alone")
    func ownKeys() async throws {
        let (common, own) = (try Self.keys(), try Self.keys())
        let folder = try folder(
            common,
            """
            databases:
              - {name: a, folder: a}
              - {name: b, folder: b, tokens: {keys: [{file: own.pem, algorithm: ES256}]}}
            tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}]}
            """)
        folder.write(text(own, DevelopmentKeys.Name.tokenPublic), "own.pem")
        let authenticator = try await authenticator(folder)
        #expect(isTaken(try await token(common), "a", authenticator))
        #expect(!isTaken(try await token(common), "b", authenticator))
        #expect(!isTaken(try await token(own), "a", authenticator))
        #expect(isTaken(try await token(own), "b", authenticator))
    }

    @Test("databases that share their tokens are warned of, those with audiences of their own are not")
    func sharedTokens() async throws {
        func warnings(_ sections: (String, String)) async throws -> [String] {
            let folder = try folder(
                try Self.keys(),
                """
                databases:
                  - {name: a, folder: a\(sections.0)}
                  - {name: b, folder: b\(sections.1)}
                tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}], issuers: i, audiences: common}
                """)
            return await Inspection(try configuration(folder), now: Date()).warnings.map(\.key)
        }
        #expect(try await warnings(("", "")).contains("databases[1].tokens"))
        #expect(try await !warnings(("", ", tokens: {audiences: b}")).contains("databases[1].tokens"))
        #expect(
            try await warnings((", tokens: {audiences: [b, c]}", ", tokens: {audiences: b}")).contains(
                "databases[1].tokens"))
    }

    @Test("a common section that every database replaces is no reason for a warning")
    func unusedSection() async throws {
        for (own, isWarned) in [(", tokens: {audiences: a}", false), ("", true)] {
            let folder = try folder(
                try Self.keys(),
                """
                databases: [{name: a, folder: a\(own)}]
                tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}], issuers: i}
                """)
            let warnings = await Inspection(try configuration(folder), now: Date()).warnings.map(\.key)
            #expect(warnings.contains("tokens") == isWarned)
        }
    }

    @Test("without accounts each database needs a key")
    func missing() {
        let tls = "tls: {certificate: a, key: b}\n"
        for text in ["databases: [{name: a, folder: a}]", "databases: [{name: a, folder: a, tokens: {issuers: i}}]"] {
            let error = #expect(throws: ConfigurationError.self) { try Configuration.read(tls + text) }
            #expect(error?.problems.map(\.key) == ["tokens.keys"])
        }
        let own = "databases: [{name: a, folder: a, tokens: {keySet: jwks.json}}]"
        #expect(throws: Never.self) { try Configuration.read(tls + own) }
    }

    // MARK: - Read anew

    /// Collects what is logged.
    private struct Lines: LogHandler {
        let lines: Collected
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.add("\(event.level) \(event.message)") }
    }

    /// A daemon's part that reads keys and certificate anew, without a database.
    private struct ReloadBench {
        let authenticator: TokenAuthenticator
        let collected = Collected()
        let endpoint: Endpoint
        let reloading: Reloading

        init(_ folder: TemporaryFolder, _ configuration: Configuration) async throws {
            let inspection = await Inspection(configuration, now: Date())
            let verifiers = TokenVerifiers(try inspection.verifiers(configuration))
            authenticator = TokenAuthenticator(verifiers: verifiers, clock: SystemClock())
            let logger = Logger(label: "test") { [collected] _ in Lines(lines: collected) }
            endpoint = try Endpoint(
                configuration.endpoint(inspection), services: [:], authenticator: authenticator, clock: SystemClock(),
                logger: logger)
            reloading = Reloading(
                file: folder.url.appending(path: "sync-server.yaml").path, configuration: configuration,
                endpoint: endpoint, tenants: Tenants(), verifiers: verifiers, logger: logger,
                inForce: InForce(configuration, inspection))
        }
    }

    @Test(
        "keys and certificate are read anew: a good one takes effect, a bad one leaves the old, and the log says which")
    func reloading() async throws {
        let (first, second) = (try Self.keys(), try Self.keys())
        let folder = try folder(
            first,
            """
            databases: [{name: a, folder: a}]
            tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}]}
            """)
        let bench = try await ReloadBench(folder, configuration(folder))
        let (authenticator, collected) = (bench.authenticator, bench.collected)
        let configuration = bench.reloading.configuration
        let (old, new) = (try await token(first), try await token(second))
        #expect(isTaken(old, "a", authenticator) && !isTaken(new, "a", authenticator))

        let stamps = FileStamps(configuration.keyFiles)
        folder.write(text(second, DevelopmentKeys.Name.tokenPublic), "keys/token-public.pem")
        #expect(FileStamps(configuration.keyFiles) != stamps)
        var report = ReloadReport()
        await bench.reloading.takeKeys(configuration, &report)
        #expect(report["certificate"]?.outcome == .unchanged && report["tokenKeys"]?.outcome == .applied)
        #expect(!isTaken(old, "a", authenticator) && isTaken(new, "a", authenticator))
        #expect(collected.all == ["notice the token keys were read anew"])

        folder.write("none", "keys/token-public.pem")
        folder.write(text(second, DevelopmentKeys.Name.server), "keys/server.pem")
        report = ReloadReport()
        await bench.reloading.takeKeys(configuration, &report)
        #expect(report["certificate"]?.outcome == .refused && report["tokenKeys"]?.outcome == .refused)
        #expect(isTaken(new, "a", authenticator))
        #expect(collected.all.dropFirst(1).allSatisfy { $0.hasPrefix("error ") })
        #expect(collected.all.contains { $0.contains("the certificate stays as it was") && $0.contains("belong") })
        #expect(collected.all.contains { $0.contains("these token keys stay as they were") })
        await bench.endpoint.shutdown()
    }

    @Test("what the operator asks for and what a look at the files finds are read one after the other")
    func occasions() async throws {
        let (first, second) = (try Self.keys(), try Self.keys())
        func text(_ audience: String) -> String {
            """
            databases: [{name: a, folder: a}]
            tokens: {keys: [{file: \(audience).pem, algorithm: ES256}], audiences: \(audience)}
            """
        }
        let folder = try folder(first, text("old"))
        folder.write(self.text(first, DevelopmentKeys.Name.tokenPublic), "old.pem")
        folder.write(self.text(second, DevelopmentKeys.Name.tokenPublic), "new.pem")
        let bench = try await ReloadBench(folder, configuration(folder))
        let (authenticator, collected) = (bench.authenticator, bench.collected)
        let (old, new) = (try await token(first, audience: "old"), try await token(second, audience: "new"))
        #expect(isTaken(old, "a", authenticator))

        // A file of the old configuration has changed, and so has the configuration.
        folder.write(self.text(second, DevelopmentKeys.Name.tokenPublic) + "\n", "old.pem")
        folder.write(
            "tls: {certificate: keys/server.pem, key: keys/server-key.pem}\n" + text("new"), "sync-server.yaml")
        let (occasions, told) = AsyncStream.makeStream(of: ReloadDesk.Occasion.self)
        for occasion in [ReloadDesk.Occasion.looked, .asked(nil), .looked, .looked] { told.yield(occasion) }
        told.finish()
        await bench.reloading.follow(occasions)
        #expect(!isTaken(old, "a", authenticator) && isTaken(new, "a", authenticator))
        // Nothing has changed since the operator asked.
        #expect(collected.all.filter { $0.contains("token keys were read") }.count <= 2)
        await bench.endpoint.shutdown()
    }

    @Test("what waits for the next start is named")
    func waiting() throws {
        var new = Configuration()
        #expect(new.sectionsForNextStart(after: Configuration()) == [])
        new.tls.key = "other"
        new.tokens.issuers = ["i"]
        #expect(new.sectionsForNextStart(after: Configuration()) == [])
        new.listen.port = 1
        new.backups = .init(folder: "b")
        #expect(new.sectionsForNextStart(after: Configuration()) == ["listen", "backups"])
    }
}
