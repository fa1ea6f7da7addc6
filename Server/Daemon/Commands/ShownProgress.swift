import CausewayBackup
import Foundation

/// Prints how far a command is, a line for each tenth, where somebody watches: a script that reads the output gets the
/// outcome alone.
final class ShownProgress {
    private let name: String
    private let isShown: Bool
    private var last: (work: String, tenths: Int)?

    /// - Parameter isShown: whether standard output is a terminal.
    init(_ name: String, isShown: Bool = ShownProgress.isTerminal) {
        self.name = name
        self.isShown = isShown
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    func show(_ progress: BackupProgress) { show("\(progress.step.rawValue) \(progress.file)", progress.done) }

    /// - Parameters:
    ///   - work: what is being done.
    ///   - done: the part of it that is done, from 0 to 1.
    func show(_ work: String, _ done: Double) {
        guard isShown else { return }
        let now = (work: work, tenths: min(10, Int(done * 10)))
        if let last, last == now { return }
        last = now
        try? FileHandle.standardOutput.write(contentsOf: Data("\(name): \(work), \(now.tenths * 10) %\n".utf8))
    }

    /// With one digit behind the point.
    static func seconds(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
