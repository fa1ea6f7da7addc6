import CausewayAdmin
import CausewayEndpoint
import CausewayEnvironment
import CausewayIdentity
import CausewaySession
import CausewayStore
import Logging

/// What the routes of the admin API work with. Each part of the server adds its routes in an `AdminRoutes+….swift` beside
/// this file.
struct AdminDesk: Sendable {
    let tenants: Tenants
    /// The path of the configuration.
    let file: String
    let inForce: InForce
    let reloads: ReloadDesk
    /// Nil where the configuration has no section `backups`.
    let scheduled: ScheduledBackups?
    /// Nil where the configuration has no section `journal`.
    let presence: NodePresence?
    /// Of databases that calls add and drop.
    let files = DatabaseFiles()
    let live: LiveEvents
    let verifying = VerifyWork()
    let telemetry: Telemetry
    let clock: any WallClock
    let logger: Logger
    /// Who verifies the tokens that administrators ask about.
    let verifiers: TokenVerifiers

    /// Who the callers of a database are: for questions about what they may do.
    func callers(of tenant: Tenant) -> CallerDirectory {
        CallerDirectory(
            verifier: verifiers[tenant.name], accounts: tenant.accounts, now: { [clock] in clock.now() })
    }

    /// Milliseconds since 1970.
    func now() -> UInt64 { clock.now() }

    /// Works with the database that a request names in its path. It stays open until the work is done.
    func use<Value>(
        _ request: AdminRequest, _ body: (Tenant) async throws(AdminError) -> Value
    ) async throws(AdminError) -> Value {
        try await use(request["database"], body)
    }

    /// Works with the database of a name. It stays open until the work is done.
    func use<Value>(
        _ name: String, _ body: (Tenant) async throws(AdminError) -> Value
    ) async throws(AdminError) -> Value {
        guard let tenant = tenants[name], tenant.uses.begin() else { throw notServed(name) }
        defer { tenant.uses.end() }
        return try await body(tenant)
    }

    /// Why there is no database of a name to work with.
    func notServed(_ name: String) -> AdminError {
        tenants.outage(of: name).map { AdminError(.databaseNotOpen, $0.reason) } ?? .databaseUnknown(name)
    }

    /// Reads the newest state of a database, on a thread for calls: no device waits for it. One piece of work, which
    /// should be short.
    func read<Value: Sendable>(
        _ tenant: Tenant, _ body: @escaping @Sendable (any StoreSnapshot) throws(StoreFailure) -> Value
    ) async throws(AdminError) -> Value {
        let conversations = tenant.conversations
        return try await work(tenant) { () throws(StoreFailure) in try body(conversations.snapshot()) }
    }

    /// Does a short piece of work with a database, on a thread for calls.
    func work<Value: Sendable>(
        _ tenant: Tenant, _ body: @escaping @Sendable () throws(StoreFailure) -> Value
    ) async throws(AdminError) -> Value {
        do throws(StoreFailure) {
            return try await tenant.conversations.work(for: nil, body)
        } catch {
            throw AdminError(error)
        }
    }
}

extension AdminError {
    static func databaseUnknown(_ name: String) -> AdminError {
        AdminError(
            .databaseUnknown,
            "This server has no database “\(name.prefix(64))”. GET /admin/v1/databases lists what it has.")
    }

    /// What a database answers. The caller is an administrator, who may know why.
    init(_ failure: StoreFailure) {
        let code: Code =
            switch failure.code {
            case .busy, .closed, .interrupted: .serverBusy
            case .conflict: .conflict
            default: .serverFault
            }
        self.init(code, failure.message)
    }
}
