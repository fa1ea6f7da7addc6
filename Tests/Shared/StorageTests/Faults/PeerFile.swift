import CausewayFolders
import CausewayPrograms
import CausewayStorage
import CausewayStorageOracle
import Foundation
import Testing

/// A file that this process shares with peers: programs of their own, which keep it adding up.
struct PeerFile {
    let folder: TemporaryFolder
    let isEncrypted: Bool
    let path: String
    private let log: String

    init(isEncrypted: Bool) throws {
        folder = try TemporaryFolder()
        self.isEncrypted = isEncrypted
        path = folder.file("shared.realm")
        log = folder.file("log")
    }

    func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            name: arguments[0], program: Self.peer,
            arguments: [path] + arguments + (isEncrypted ? ["encrypted"] : []), log: URL(fileURLWithPath: log))
    }

    /// What the peers complained of.
    var complaints: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    func line(of child: ChildProcess) throws -> String { try child.nextLine() ?? "ended" }

    func open(mapSizeBytes: Int = 1 << 30, maximumVersions: Int? = nil) throws -> any Storage {
        try StorageRegistry.shared.open(
            path: path,
            options: StorageOptions(
                mapSizeBytes: mapSizeBytes, encryptionKey: isEncrypted ? StorageBackend.key : nil,
                maximumVersions: maximumVersions))
    }

    /// Programs stand beside the tests.
    private static let peer = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("CausewayStoragePeer").path
}
