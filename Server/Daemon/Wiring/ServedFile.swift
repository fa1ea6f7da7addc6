import CausewayStorage

/// The file of objects that a server has open. Whoever removes it, or puts another one in its place, does not stop the server:
/// it goes on with the file that nobody can find any more, and what is written is lost at its end.
struct ServedFile: Sendable {
    let path: String
    private let opened: FileIdentity?

    /// - Parameter path: of a file that is open.
    init(_ path: String) {
        self.path = path
        opened = FileIdentity(path: path)
    }

    /// Whether the path still leads to the file that is open. Costs one look at the path.
    var isThere: Bool { opened == nil || FileIdentity(path: path) == opened }

    /// What the operator is to do.
    var whenGone: String {
        "\(path) was removed or replaced while the server has it open, and what is written now is lost when the server ends. "
            + "Before you end it, save the open file: ls -l /proc/PID/fd names it as deleted, cp /proc/PID/fd/NUMBER copies it"
    }
}
