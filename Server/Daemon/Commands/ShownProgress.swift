import CausewayBackup
import Foundation

/// Prints how far a command is, a line for each tenth.
final class ShownProgress {
    private let name: String
    private var last: (step: BackupProgress.Step, file: String, tenths: Int)?

    init(_ name: String) {
        self.name = name
    }

    func show(_ progress: BackupProgress) {
        let now = (step: progress.step, file: progress.file, tenths: min(10, Int(progress.done * 10)))
        if let last, last == now { return }
        last = now
        let line = "\(name): \(now.step.rawValue) \(now.file), \(now.tenths * 10) %\n"
        // At once, also into a pipe: `print` would keep it.
        try? FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
    }

    /// With one digit behind the point.
    static func seconds(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
