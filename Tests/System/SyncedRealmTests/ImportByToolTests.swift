import Causeway
import CausewayPrograms
import Foundation
import Testing

/// The built `causeway` imports into the file of a synced Realm, which an app in this process has open.
@Suite("Imports into synced Realms by the tool", .serialized)
@MainActor
struct ImportByToolTests {
    private func tool(_ bench: Bench, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            name: "causeway",
            program: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
                .appendingPathComponent("causeway").path,
            arguments: arguments, log: bench.folder.appendingPathComponent("errors.txt"))
    }

    /// What the tool prints until it ends.
    private func output(of tool: ChildProcess) throws -> String {
        var lines: [String] = []
        while let line = try tool.nextLine() { lines.append(line) }
        return lines.joined(separator: "\n")
    }

    @Test(
        "the app goes on writing; a tool that is killed leaves whole parts, and the next one brings the rest",
        arguments: [nil, Data(repeating: 7, count: 64)])
    func killed(key: Data?) async throws {
        let (bench, count) = (try Bench(), 4_000)
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
        func start(_ existing: String) throws -> ChildProcess {
            try tool(bench, ["import", path, "--from", export, "--existing", existing] + options)
        }

        let first = try start("fail")
        var own = 0
        while a.objects(Person.self).isEmpty, first.isRunning {
            own += 1
            try a.write { a.create(Chore.self, value: ["id": 1_000_000 + own, "title": "the app's own"]) }
            try await Task.sleep(for: .milliseconds(2))
        }
        first.kill()
        a.refresh()
        let imported = a.objects(Person.self).count + a.objects(Chore.self).where { $0.id <= count }.count
        #expect(imported > 0 && imported < 2 * count, "the tool was killed too early or too late: \(imported) objects")
        #expect(imported % 1_000 == 0)

        // The copy that it was about to import from is still there, and whoever comes next is told so.
        let errors = bench.folder.appendingPathComponent("errors.txt")
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
