import Causeway
import CausewayPrograms
import Foundation
import Testing

/// A real daemon in a folder of its own, and devices that speak to it over TLS. End it, or the daemon stays.
@MainActor
final class Bench {
    let server: SyncServer
    let folder: URL

    /// - Parameters:
    ///   - accounts: further sections of the server's configuration, as `accounts`.
    ///   - settings: further lines of its first database.
    init(_ name: String, others: [String] = [], accounts: String = "", settings: String = "") throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(name)-\(UUID().uuidString)")
        server = try SyncServer(
            program: Self.program("sync-server"), folder: folder.appendingPathComponent("server"), database: "items",
            others: others, sections: accounts, settings: settings)
        try server.start()
    }

    func end() {
        server.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// A program that was built beside the tests.
    static func program(_ name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
    }

    // MARK: - Devices

    /// - Parameter folder: where the app remembers its users; apps of different folders are different devices.
    func app(database: String? = nil, authority: String? = nil, folder: String? = nil) -> App {
        App(
            id: database ?? server.database,
            configuration: AppConfiguration(
                baseURL: server.url, trustRootsPath: authority ?? server.authority,
                rootDirectory: folder.map { self.folder.appendingPathComponent($0) } ?? self.folder))
    }

    func file(_ device: String) -> URL { folder.appendingPathComponent("\(device).realm") }

    /// The configuration of a device that subscribes to items from the beginning.
    func configuration(
        _ device: String, app: App? = nil, token: String? = nil, items predicate: String = "TRUEPREDICATE",
        types: [ObjectBase.Type] = [Item.self, Reading.self]
    ) async throws -> Realm.Configuration {
        let token = try token ?? server.token(user: "tester")
        let user = try await (app ?? self.app()).login(credentials: .jwt(token: token))
        var configuration = user.flexibleSyncConfiguration(initialSubscriptions: {
            $0.append(QuerySubscription<Item>(name: "items", where: predicate))
        })
        configuration.fileURL = file(device)
        configuration.objectTypes = types
        return configuration
    }

    /// An open Realm, whether or not the server can be reached.
    func open(_ device: String, app: App? = nil, token: String? = nil) async throws -> Realm {
        try Realm(configuration: try await configuration(device, app: app, token: token))
    }

    /// An open Realm that holds all items of the server.
    func device(_ name: String, app: App? = nil, token: String? = nil) async throws -> Realm {
        let realm = try await open(name, app: app, token: token)
        try await realm.downloaded()
        return realm
    }
}

extension Realm {
    /// Returns when everything written before is on the server.
    @MainActor
    func uploaded() async throws {
        let session = try #require(syncSession)
        try await within { try await session.wait(for: .upload) }
    }

    /// Returns when everything the server had is in this Realm's view.
    @MainActor
    func downloaded() async throws {
        let session = try #require(syncSession)
        try await within { try await session.wait(for: .download) }
        refresh()
    }

    /// Writes items with these ids, all in one transaction.
    @MainActor
    func writeItems(_ ids: ClosedRange<Int>) throws {
        try write {
            for id in ids { create(Item.self, value: ["id": id, "name": "item \(id)", "quantity": id]) }
        }
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

/// Throws instead of waiting for ever. The limit is for hangs, not for busy machines.
func within<Result: Sendable>(
    seconds: Int = 300, _ body: @escaping @MainActor @Sendable () async throws -> Result
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
