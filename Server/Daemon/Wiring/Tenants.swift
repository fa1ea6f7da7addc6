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
        /// In the order in which they were met.
        var outages: [Outage] = []
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
            list.outages.removeAll { $0.name == tenant.name }
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

// MARK: - Databases that could not be opened

extension Tenants {
    var outages: [Outage] { list.withLock { $0.outages } }

    func outage(of name: String) -> Outage? {
        list.withLock { list in list.byName[name] == nil ? list.outages.first { $0.name == name } : nil }
    }

    /// Takes the place of an earlier one, whose time it keeps.
    func note(_ outage: Outage) {
        list.withLock { list in
            guard let index = list.outages.firstIndex(where: { $0.name == outage.name }) else {
                list.outages.append(outage)
                return
            }
            list.outages[index].reason = outage.reason
            list.outages[index].folder = outage.folder
            list.outages[index].isShort = outage.isShort
        }
    }

    func forgetOutage(of name: String) { list.withLock { $0.outages.removeAll { $0.name == name } } }
}

extension Tenants: SyncDirectory {
    func service(of database: String) -> (any SyncService)? { self[database].map(TenantService.init) }

    func accounts(of database: String) -> (any AccountService)? {
        if outage(of: database) != nil { return AccountsNotOpen() }
        guard let tenant = self[database], let accounts = tenant.accounts else { return nil }
        return AccountCounter(accounts: accounts, uses: tenant.uses)
    }

    var services: [any SyncService] { all.map(TenantService.init) }
}
