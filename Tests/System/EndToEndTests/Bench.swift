import Causeway
import CausewayPrograms
import Foundation

/// A real daemon in a folder of its own, and devices that speak to it over TLS. Gone when it is released.
@MainActor
final class Bench {
    let server: SyncServer
    let folder: URL

    init(_ name: String) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(name)-\(UUID().uuidString)")
        server = try SyncServer(
            program: Self.program("sync-server"), folder: folder.appendingPathComponent("server"), database: "items")
        try server.start()
    }

    deinit {
        server.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// A program that was built beside the tests.
    static func program(_ name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
    }

    func app(database: String? = nil, authority: String? = nil) -> App {
        App(
            id: database ?? server.database,
            configuration: AppConfiguration(baseURL: server.url, trustRootsPath: authority ?? server.authority))
    }

    func configuration(_ device: String, app: App? = nil, token: String? = nil) async throws -> Realm.Configuration {
        let token = try token ?? server.token(user: "tester")
        let user = try await (app ?? self.app()).login(credentials: .jwt(token: token))
        var configuration = user.flexibleSyncConfiguration()
        configuration.fileURL = folder.appendingPathComponent("\(device).realm")
        configuration.objectTypes = [Item.self, Reading.self]
        return configuration
    }

    /// An open Realm that subscribes to every item.
    func device(_ name: String) async throws -> Realm {
        let realm = try Realm(configuration: try await configuration(name))
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Item>(name: "items", where: "TRUEPREDICATE"))
        }
        return realm
    }
}

/// What a device holds, as text that two devices can be compared by.
@MainActor
func content(_ realm: Realm) -> String {
    realm.refresh()
    return realm.objects(Item.self).sorted(byKeyPath: "id").map { item in
        let parts = item.parts.map { "\($0.id)" }.joined(separator: ",")
        return "\(item.id) \(item.name) \(item.quantity) next=\(item.next?.id ?? -1) parts=[\(parts)]"
    }.joined(separator: "\n")
}

/// Throws instead of waiting for ever.
func within<Result: Sendable>(
    seconds: Int, _ body: @escaping @MainActor @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: .seconds(seconds))
            throw Late(seconds: seconds)
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw Late(seconds: seconds) }
        return result
    }
}

struct Late: Error {
    let seconds: Int
}
