import CausewayAdmin
import CausewayEndpoint
import CausewayEnvironment
import CausewayFolders
import CausewayHTTP
import CausewayIdentity
import CausewayJSON
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayWire
import Foundation
import Logging
import Testing

@testable import CausewayDaemon

/// The admin API over databases that are open in this process, with a configuration in a folder of its own. End it.
struct AdminBench {
    let folder: TemporaryFolder
    let tenants = Tenants()
    let telemetry: Telemetry
    let log = RecentLog()
    let live: LiveEvents
    let devices: AdminDevices
    private let endpoint: Endpoint
    let service: AdminService
    private let following: Task<Void, Never>
    private let reloads = ReloadDesk()

    static let token = String(repeating: "t", count: AdminAccess.tokenBytesMin)
    static let least = """
        tls: {certificate: keys/server.pem, key: keys/server-key.pem}
        tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}]}
        databases: [{name: flights, folder: flights}]
        databasesFolder: databases.d
        backups: {folder: backups}

        """

    init(_ text: String = least) async throws {
        folder = try TemporaryFolder(waitsForDisk: false)
        let keys = try DevelopmentKeys.make(hosts: ["localhost"], days: 1, tokens: .es256, now: Date())
        _ = try KeyFolder(folder.url.appending(path: "keys").path).write(keys.files)
        folder.write(text, "sync-server.yaml")
        let file = folder.url.appending(path: "sync-server.yaml").path
        let configuration = try ConfigurationFile.read(file)
        let inspection = await Inspection(configuration, now: Date())
        #expect(inspection.problems == [])
        let (logger, clock) = (Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, SystemClock())
        telemetry = Telemetry(configuration.log, logger: logger)
        let verifiers = TokenVerifiers(try inspection.verifiers(configuration))
        let opening = TenantOpening(
            configuration, verifiers: verifiers, clock: clock, telemetry: telemetry, logger: logger)
        for database in configuration.databases {
            tenants.add(
                try await opening.open(
                    database, limits: configuration.limits, accounts: configuration.accounts,
                    providers: inspection.providers))
        }
        let authenticator = TokenAuthenticator(verifiers: verifiers, tenants: tenants, clock: clock)
        devices = AdminDevices(
            tenants: tenants, authenticator: authenticator,
            key: try #require(keys.files.first { $0.name == DevelopmentKeys.Name.tokenPrivate }).text)
        endpoint = try Endpoint(
            configuration.endpoint(inspection), directory: tenants, authenticator: authenticator, clock: clock,
            logger: logger)
        let inForce = InForce(configuration, inspection)
        let reloading = Reloading(
            file: file, configuration: configuration, endpoint: endpoint, tenants: tenants, verifiers: verifiers,
            logger: logger, telemetry: telemetry,
            databases: DatabaseChanges(
                tenants: tenants, opening: opening, accounts: nil, inForce: inForce, watch: { _ in },
                telemetry: telemetry, logger: logger),
            desk: reloads, inForce: inForce)
        following = Task { [reloads] in await reloading.follow(reloads.occasions) }
        let scheduled = configuration.backups.map {
            ScheduledBackups(work: BackupWork($0, clock: clock), databases: { [] }, clock: clock, logger: logger)
        }
        live = LiveEvents(tenants, log: log)
        service = AdminService(
            .api(
                AdminDesk(
                    tenants: tenants, file: file, inForce: inForce, reloads: reloads, scheduled: scheduled,
                    presence: nil,
                    live: live, telemetry: telemetry, clock: clock, logger: logger, verifiers: verifiers)),
            access: AdminAccess(token: Self.token, isPeerVerified: false, isMonitoringOpen: true, isLocal: true))
    }

    /// Runs a test with a bench, and ends the bench after it.
    static func run(_ text: String = least, _ body: (AdminBench) async throws -> Void) async throws {
        let bench = try await AdminBench(text)
        do {
            try await body(bench)
        } catch {
            await bench.end()
            throw error
        }
        await bench.end()
    }

    func end() async {
        reloads.end()
        await following.value
        await endpoint.shutdown()
        for tenant in tenants.all { tenant.close() }
    }

    // MARK: - Calls

    /// - Parameter path: behind `/admin/v1/`.
    func call(_ method: String, _ path: String, _ body: String = "") async throws -> (status: Int, json: JSON) {
        let answer = try await answer(method, path, body)
        guard case .whole(let bytes) = answer.body else { throw Streamed() }
        return (answer.status, try JSONReader.read(bytes))
    }

    private struct Streamed: Error {}

    /// - Parameter path: behind `/admin/v1/`.
    func answer(
        _ method: String, _ path: String, _ body: String = "", headers: [String: String] = [:]
    ) async throws -> HTTPAnswer {
        let all = ["authorization": "Bearer \(Self.token)", "host": "localhost"].merging(headers) { $1 }
        let head = try #require(
            HTTPHead(
                method: method, target: "/admin/v1/" + path, headers: all.map { .init($0.key, $0.value) }))
        switch service.admit(head) {
        case .refused(let answer): return answer
        case .body: return await service.answer(HTTPRequest(head, body: Array(body.utf8)))
        }
    }

    /// Expects a refusal.
    func expect(
        _ status: Int, _ code: String, _ method: String, _ path: String, _ body: String = "",
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await call(method, path, body)
        #expect(answer.status == status, "\(answer.json)", sourceLocation: location)
        #expect(answer.json["code"]?.string == code, sourceLocation: location)
        #expect(answer.json["message"]?.string?.isEmpty == false, sourceLocation: location)
    }

    /// Expects success, and returns the answer.
    @discardableResult
    func get(
        _ method: String, _ path: String, _ body: String = "", status: Int = 200,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> JSON {
        let answer = try await call(method, path, body)
        #expect(answer.status == status, "\(answer.json)", sourceLocation: location)
        return answer.json
    }
}

extension HTTPAnswer {
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Devices of an `AdminBench`, without what lies between them and the server.
struct AdminDevices: Sendable {
    let tenants: Tenants
    let authenticator: TokenAuthenticator
    /// In PEM form; tokens are signed with it.
    let key: String

    func token(of user: String) async throws -> String {
        try await DevelopmentToken(user: user).signed(
            with: key, algorithm: .es256, source: "test", now: SystemClock().now())
    }

    /// The caller as the endpoint knows them.
    func caller(_ user: String, of database: String) async throws -> KnownCaller {
        try authenticator.caller(for: try await token(of: user), database: database)
    }

    /// Says hello.
    @discardableResult
    func open(
        _ database: String, client: UInt64, user: String, wanting queries: QuerySet = .empty
    ) async throws -> Welcome {
        let caller = try await caller(user, of: database)
        guard let service = tenants.service(of: database) else { throw SyncFailure.dropped }
        return try await service.open(Self.hello(client, wanting: queries), by: caller)
    }

    static func hello(_ client: UInt64, wanting queries: QuerySet = .empty) -> Hello {
        Hello(
            client: ClientID(client), protocolVersions: WireProtocol.versions,
            schema: Schema([
                ClassSchema(name: "Flight", properties: [Property(name: "row", type: .int, isPrimaryKey: true)])
            ]), checkpoint: .nothing, held: .empty, wanted: queries)
    }
}
