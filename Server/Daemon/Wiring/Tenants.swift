import Synchronization

/// The databases that are served: the one list of them. Whoever needs a database looks it up here at each request, because
/// databases come and go while the server runs.
///
/// A database that is dropped leaves the list first, so nothing new begins with it. It closes when what has begun is over;
/// see `Tenant.use`.
final class Tenants: Sendable {
    private let list: Mutex<[Tenant]>

    /// - Parameter tenants: in the order of the configuration.
    init(_ tenants: [Tenant] = []) {
        list = Mutex(tenants)
    }

    /// Compares names by their bytes, as URLs do.
    subscript(name: String) -> Tenant? {
        list.withLock { list in list.first { $0.name.utf8.elementsEqual(name.utf8) } }
    }

    var all: [Tenant] { list.withLock { $0 } }

    func add(_ tenant: Tenant) {
        list.withLock { $0.append(tenant) }
    }

    /// Nothing new begins with it from now on.
    func remove(_ tenant: Tenant) {
        list.withLock { list in list.removeAll { $0 === tenant } }
    }
}
