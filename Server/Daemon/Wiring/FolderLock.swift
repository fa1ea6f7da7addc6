import Foundation

/// A lock on a database folder, so that no second server serves it. The system releases it when the process ends,
/// however it ends.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    static let fileName = "server.lock"

    /// Locks the folder, and makes it when it is missing.
    init(_ folder: String) throws(CommandFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(
                "The folder \(folder) could not be made: \(error.localizedDescription). "
                    + "Make it for the server's user, or name another one in the configuration.")
        }
        let path = folder + "/" + Self.fileName
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(0o600))
        guard opened >= 0 else {
            throw CommandFailure(
                "\(path) could not be opened: \(String(cString: strerror(errno))). "
                    + "The folder must belong to the server's user.")
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            close(opened)
            throw CommandFailure(
                "Another server serves the folder \(folder). End it first, or name another folder in the configuration."
            )
        }
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }
}
