import CausewayPrograms
import Foundation

extension [Int] {
    /// Without repetitions: an element counts where it comes first.
    var firsts: [Int] {
        var seen: Set<Int> = []
        return filter { seen.insert($0).inserted }
    }
}

/// Where the server carries data on to.
@MainActor
final class CarrierPlace {
    let apiPort: Int
    private let receiverPort: Int
    private let folder: URL
    private let postgreSQL: PostgreSQLServer
    private var receiver: ChildProcess?

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-place-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        (apiPort, receiverPort) = (try SyncServer.freePort(), try SyncServer.freePort())
        postgreSQL = try PostgreSQLServer()
        try postgreSQL.connection.write(
            to: folder.appendingPathComponent("connection"), atomically: true, encoding: .utf8)
        try "0123456789abcdef0123".write(to: folder.appendingPathComponent("secret"), atomically: true, encoding: .utf8)
        try startReceiver()
    }

    var settings: String {
        let target = "url: \"http://127.0.0.1:\(receiverPort)/\", secretFile: \(folder.path)/secret"
        return """
            sinks:
              - {name: files, type: files, folder: \(folder.path)/lines}
              - {name: table, type: postgresql, connectionFile: \(folder.path)/connection}
              - {name: push, type: webhook, \(target)}
            webhooks:
              - {name: items, \(target), classes: [Item], batchEvents: 7}
            """
    }

    func end() {
        receiver?.kill()
        postgreSQL.end()
        try? FileManager.default.removeItem(at: folder)
    }

    func restartPostgreSQL() throws {
        postgreSQL.kill()
        try postgreSQL.start()
    }

    func restartReceiver() throws {
        receiver?.kill()
        try startReceiver()
    }

    private func startReceiver() throws {
        receiver = try ChildProcess(
            name: "receiver", program: try Bench.program("CausewayHookReceiver"),
            arguments: ["--port", "\(receiverPort)", "--file", folder.path + "/received"],
            log: folder.appendingPathComponent("receiver.log"))
        guard try receiver?.nextLine() == "ready" else {
            throw SyncServer.Failure(description: "the receiver did not start")
        }
    }

    // MARK: - What has arrived

    func tableRows() throws -> Int {
        let exists = try postgreSQL.query("SELECT to_regclass('public.\"Reading\"') IS NOT NULL") == ["t"]
        return exists ? try tableIDs().count : 0
    }

    func tableIDs() throws -> [Int] {
        try postgreSQL.query("SELECT id FROM \"Reading\" ORDER BY causeway_sequence").compactMap { Int($0) }
    }

    func lineIDs() throws -> [Int] {
        let lines = folder.appendingPathComponent("lines")
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: lines.path)) ?? []).sorted()
        return try names.filter { $0.hasSuffix(".ndjson") }.flatMap { name in
            try objects(lines.appendingPathComponent(name)).compactMap {
                ($0["object"] as? [String: Any])?["id"] as? Int
            }
        }
    }

    func readingIDs() throws -> [Int] {
        try received("rows").compactMap { ($0["object"] as? [String: Any])?["id"] as? Int }
    }

    func itemIDs() throws -> [Int] { try received("events").compactMap { $0["key"] as? Int } }

    private func received(_ list: String) throws -> [[String: Any]] {
        try objects(folder.appendingPathComponent("received")).flatMap { $0[list] as? [[String: Any]] ?? [] }
    }

    /// The last line may be cut off.
    private func objects(_ file: URL) throws -> [[String: Any]] {
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
        }
    }
}
