import CausewayBackup
import Foundation

/// Prints how far a command is, a line for each tenth, where somebody watches: a script that reads the output gets the
/// outcome alone.
final class ShownProgress {
    private let name: String
    private let isShown: Bool
    private var last: (step: BackupProgress.Step, file: String, tenths: Int)?

    /// - Parameter isShown: whether standard output is a terminal.
    init(_ name: String, isShown: Bool = ShownProgress.isTerminal) {
        self.name = name
        self.isShown = isShown
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    func show(_ progress: BackupProgress) {
        guard isShown else { return }
        let now = (step: progress.step, file: progress.file, tenths: min(10, Int(progress.done * 10)))
        if let last, last == now { return }
        last = now
        let line = "\(name): \(now.step.rawValue) \(now.file), \(now.tenths * 10) %\n"
        try? FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
    }

    /// With one digit behind the point.
    static func seconds(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
