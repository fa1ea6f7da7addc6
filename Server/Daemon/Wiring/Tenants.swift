import CausewayEndpoint
import CausewayModel
import Synchronization

/// The databases that are served: the one list of them. Whoever needs a database looks it up here at each request, because
/// databases come and go while the server runs.
///
/// A database that is dropped leaves the list first, so nothing new begins with it. It closes when what has begun is over;
/// see `Tenant.drop`.
final class Tenants: Sendable {
    private struct List {
        /// In the order in which they came.
        var all: [Tenant] = []
        var byName: ExactDictionary<Tenant> = [:]
    }

    private let list = Mutex(List())

    /// - Parameter tenants: in the order of the configuration.
    init(_ tenants: [Tenant] = []) {
        for tenant in tenants { add(tenant) }
    }

    subscript(name: String) -> Tenant? { list.withLock { $0.byName[name] } }

    var all: [Tenant] { list.withLock { $0.all } }

    func add(_ tenant: Tenant) {
        list.withLock { list in
            list.all.append(tenant)
            list.byName[tenant.name] = tenant
        }
    }

    /// Nothing new begins with it from now on.
    func remove(_ tenant: Tenant) {
        list.withLock { list in
            list.all.removeAll { $0 === tenant }
            if list.byName[tenant.name] === tenant { list.byName[tenant.name] = nil }
        }
    }
}

extension Tenants: SyncDirectory {
    func service(of database: String) -> (any SyncService)? { self[database].map(TenantService.init) }

    func accounts(of database: String) -> (any AccountService)? {
        guard let tenant = self[database], let accounts = tenant.accounts else { return nil }
        return AccountCounter(accounts: accounts, uses: tenant.uses)
    }

    var services: [any SyncService] { all.map(TenantService.init) }
}
