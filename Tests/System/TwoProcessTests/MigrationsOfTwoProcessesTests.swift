import CausewayMigrationSequences
import CausewayObjectStore
import CausewayPrograms
import CausewaySeeds
import Foundation
import Testing

/// A program in a process of its own.
private final class PeerProgram: MigratingProgram {
    private let folder: URL
    private var process: ChildProcess

    init(_ folder: URL) throws {
        self.folder = folder
        process = try Self.start(folder)
        try waitUntilOpen()
    }

    deinit {
        process.kill()
    }

    private static func start(_ folder: URL) throws -> ChildProcess {
        try ChildProcess(
            name: "CausewayMigrationPeer",
            program: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
                .appendingPathComponent("CausewayMigrationPeer").path,
            arguments: [folder.appendingPathComponent("shared").path], log: folder.appendingPathComponent("errors.txt"))
    }

    /// An answer says that the process has the file open, at the version of now.
    private func waitUntilOpen() throws {
        guard case .shown = try perform(.show([:])) else { throw MigrationFailure("the process does not answer") }
    }

    func perform(_ step: MigrationStep) throws -> MigrationAnswer {
        process.send(String(decoding: try JSONEncoder().encode(step), as: UTF8.self))
        guard let line = try process.nextLine() else {
            let errors = try? String(contentsOf: folder.appendingPathComponent("errors.txt"), encoding: .utf8)
            return .failed("the process ended: \(errors ?? "")")
        }
        return try JSONDecoder().decode(MigrationAnswer.self, from: Data(line.utf8))
    }

    func die() throws -> Bool {
        process.kill()
        process = try Self.start(folder)
        try waitUntilOpen()
        return true
    }
}

@Suite("Migrations of two processes with one file", .serialized)
struct MigrationsOfTwoProcessesTests {
    private static let seeds = SeedList.drawn(for: "process-migrations", count: 6)

    @Test(
        "each reads and writes what the model says, or is told that the classes have changed, also after one was killed",
        arguments: seeds)
    func randomMigrations(seed: UInt64) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try ObjectStore.open(path: folder.appendingPathComponent("shared").path)
        var sequence = try MigrationSequence(
            seed: seed, store, programs: [{ try StoreProgram(store) }, { try PeerProgram(folder) }])
        try sequence.run(steps: 80)
        #expect(sequence.movesMade > 0)
    }
}
