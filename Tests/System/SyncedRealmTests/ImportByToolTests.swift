import Causeway
import CausewayPrograms
import Foundation
import Testing

/// The built `causeway` imports into the file of a synced Realm, which an app in this process has open.
@Suite("Imports into synced Realms by the tool", .serialized)
@MainActor
struct ImportByToolTests {
    private nonisolated static func tool(_ log: URL, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            name: "causeway",
            program: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
                .appendingPathComponent("causeway").path,
            arguments: arguments, log: log)
    }

    /// What the tool prints until it ends.
    private func output(of tool: ChildProcess) throws -> String {
        var lines: [String] = []
        while let line = try tool.nextLine() { lines.append(line) }
        return lines.joined(separator: "\n")
    }

    /// Writes as an app does until the tool has written something, and kills it then.
    ///
    /// - Returns: how many objects it has imported.
    private nonisolated static func kill(
        _ start: () throws -> ChildProcess, importingInto configuration: Realm.Configuration, _ count: Int
    ) throws -> Int {
        let realm = try Realm(configuration: configuration)
        let tool = try start()
        var own = 0
        while realm.objects(Person.self).isEmpty, tool.isRunning {
            own += 1
            try realm.write { realm.create(Chore.self, value: ["id": 1_000_000 + own, "title": "the app's own"]) }
            usleep(2_000)
        }
        tool.kill()
        realm.refresh()
        return realm.objects(Person.self).count + realm.objects(Chore.self).where { $0.id <= count }.count
    }

    @Test(
        "the app goes on writing; a tool that is killed leaves whole parts, and the next one brings the rest",
        arguments: [nil, Data(repeating: 7, count: 64)])
    func killed(key: Data?) async throws {
        let (bench, count) = (try Bench(), 8_000)
        var configuration = try await bench.configuration("a", initial: ChoreExport.all)
        configuration.encryptionKey = key
        let a = try Realm(configuration: configuration)
        let path = try #require(configuration.fileURL).path
        let copies = URL(fileURLWithPath: path).deletingLastPathComponent()
        var options: [String] = []
        if let key {
            options = ["--key-file", bench.folder.appendingPathComponent("key").path]
            try key.write(to: URL(fileURLWithPath: options[1]))
        }
        let export = try ChoreExport.write(count, to: bench.folder)
        let errors = bench.folder.appendingPathComponent("errors.txt")
        let start = { @Sendable [options] (existing: String) in
            try Self.tool(errors, ["import", path, "--from", export, "--existing", existing] + options)
        }

        // Away from the main actor, which other tests keep busy.
        let imported = try await Task.detached { [configuration] in
            try Self.kill({ try start("fail") }, importingInto: configuration, count)
        }.value
        a.refresh()
        #expect(imported > 0 && imported < 2 * count, "the tool was killed too early or too late: \(imported) objects")
        #expect(imported % 1_000 == 0)

        // The copy that it was about to import from is still there, and whoever comes next is told so.
        #expect(try output(of: start("replace")).isEmpty)
        #expect(try String(contentsOf: errors, encoding: .utf8).contains("Delete it if no other runs."))
        for file in try FileManager.default.contentsOfDirectory(at: copies, includingPropertiesForKeys: nil)
        where file.lastPathComponent.contains(".importing") { try FileManager.default.removeItem(at: file) }
        let report = try output(of: start("replace"))
        #expect(report.contains("\(imported)"), "\(report)")
        try a.write { a.delete(a.objects(Chore.self).where { $0.id > 1_000_000 }) }
        try await a.syncSession?.wait(for: .upload)
        try ChoreExport.check(a, count)
        let b = try Realm(configuration: try await bench.configuration("b", initial: ChoreExport.all))
        try await b.syncSession?.wait(for: .download)
        try ChoreExport.check(b, count)
        #expect(!FileManager.default.fileExists(atPath: path + ".importing"))
        await bench.end()
    }
}
