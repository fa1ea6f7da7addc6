import Causeway
import CausewayPrograms
import Foundation
import Testing

@Suite("Backups of a server that runs", .serialized)
@MainActor
struct BackupTests {
    private func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// Waits until there is something of a backup.
    private func begun(_ folder: String) async throws {
        let deadline = Date().addingTimeInterval(60)
        while names(folder).isEmpty, Date() < deadline { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test("a server restored from one that was made while devices wrote goes on with all of them, and nothing is lost")
    func restored() async throws {
        let bench = try Bench("restored")
        defer { bench.end() }
        let (a, b) = (try await bench.device("A"), try await bench.device("B"))
        try a.writeItems(1...200)
        try await a.uploaded()
        // The backup is made while uploads come in.
        let server = bench.server
        let folder = bench.folder.appendingPathComponent("backups").path
        let making = try server.beginBackup(to: folder, megabytesPerSecond: 1)
        try await begun(folder)
        for id in 201...400 { try a.writeItems(id...id) }
        while try making.nextLine() != nil {}
        let backup = folder + "/" + (try #require(names(folder).first { $0.hasSuffix(".backup") }))
        try await a.uploaded()
        try await b.downloaded()
        try b.write {
            for item in b.objects(Item.self).where({ $0.id <= 100 }) { item.quantity += 1_000 }
            b.delete(try #require(b.object(ofType: Item.self, forPrimaryKey: 200)))
        }
        try await b.uploaded()
        try await a.downloaded()
        let before = content(a)
        #expect(before == content(b))
        #expect(try server.drill(backup).contains("class     Item:"))

        let refusal = #expect(throws: SyncServer.Failure.self) { try server.restore(from: backup, "--replace") }
        #expect(refusal?.description.contains("is being served") == true)
        #expect(server.stop() == 0)
        let other = #expect(throws: SyncServer.Failure.self) { try server.restore(from: backup) }
        #expect(other?.description.contains("--replace") == true)
        try server.restore(from: backup, "--replace")
        #expect(try server.count("Item") < 400)
        try server.start()
        for realm in [a, b] { realm.syncSession?.reconnect() }
        for _ in 0..<2 {
            for realm in [a, b] { try await realm.uploaded() }
            for realm in [a, b] { try await realm.downloaded() }
        }
        #expect(content(a) == before && content(b) == before)
        let c = try await bench.device("C")
        #expect(content(c) == before)
        #expect(try server.count("Item") == 399)
        try server.verify()
    }

    @Test("one that is killed leaves no file under its final name, and the next one removes what it left")
    func killed() async throws {
        let bench = try Bench("killed")
        defer { bench.end() }
        let a = try await bench.device("A")
        let filler = String(repeating: "x", count: 1_000)
        for part in 0..<8 {
            try a.write {
                for id in part * 1_000..<(part + 1) * 1_000 {
                    a.create(Item.self, value: ["id": id, "name": "\(id) \(filler)", "quantity": id])
                }
            }
        }
        try await a.uploaded()
        let folder = bench.folder.appendingPathComponent("backups").path
        let backup = try bench.server.beginBackup(to: folder, megabytesPerSecond: 1)
        try await begun(folder)
        backup.kill()
        let left = names(folder)
        #expect(left.count == 1 && left.allSatisfy { $0.hasPrefix(".") && $0.hasSuffix(".part") }, "\(left)")
        let whole = try bench.server.backUp(to: folder)
        #expect(names(folder) == [URL(fileURLWithPath: whole).lastPathComponent])
        #expect(try bench.server.drill(whole).contains("class     Item: 8000 objects"))
    }

    @Test("the server makes one by itself, of every database")
    func scheduled() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bench = try Bench(
            "scheduled", others: ["others"],
            accounts: "backups:\n  folder: \(folder.path)\n  everyHours: 24\n  keep: 2\n")
        defer { bench.end() }
        let deadline = Date().addingTimeInterval(60)
        while names(folder.path).count(where: { $0.hasSuffix(".backup") }) < 2, Date() < deadline {
            try await Task.sleep(for: .milliseconds(50))
        }
        let made = names(folder.path).filter { $0.hasSuffix(".backup") }
        #expect(made.map { String($0.prefix { $0 != "-" }) } == ["items", "others"])
        for name in made { #expect(try bench.server.drill(folder.path + "/" + name).contains("can be restored")) }
        #expect(bench.server.stop() == 0)
    }
}
