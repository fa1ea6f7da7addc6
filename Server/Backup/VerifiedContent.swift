import CausewayObjectStore
import CausewayStore
import CausewayStoreEmbedded
import Foundation

/// The files of a copy, read completely: storage, objects, and what the record keeps beside them.
struct VerifiedContent {
    var record: RecordReport
    var files: [BackupFile] = []
    /// Of all classes, hidden ones included.
    var objects = 0

    /// Reads a folder that nobody else uses. Throws `unsound` when anything contradicts.
    ///
    /// - Parameter refusal: makes a sentence of the first problem.
    static func read(
        _ folder: String, _ pace: BackupPace, _ progress: (BackupProgress) -> Void, refusal: (String) -> String
    ) throws(BackupError) -> VerifiedContent {
        var content = VerifiedContent(record: RecordReport())
        for file in BackupFile.inOrder {
            let path = folder + "/" + file.rawValue
            guard FileManager.default.fileExists(atPath: path) else { continue }
            content.files.append(file)
            let problem = try content.take(file, path, pace, progress)
            if let problem { throw BackupError(.unsound, refusal("\(file.rawValue): \(problem)")) }
            // A copy has no other users, and its lock file means nothing to the next one.
            unlink(path + "-lock")
        }
        return content
    }

    /// - Returns: the first problem that was found.
    private mutating func take(
        _ file: BackupFile, _ path: String, _ pace: BackupPace, _ progress: (BackupProgress) -> Void
    ) throws(BackupError) -> String? {
        // The storage's check is the longer one, by far.
        let share = file == .objects ? 0.7 : 1
        var problems: [String]
        do {
            var options = ObjectStore.Options()
            options.readOnly = true
            let store = try ObjectStore.open(path: path, options: options)
            defer { store.close() }
            let report = try store.verify {
                progress(BackupProgress(step: .verifying, file: file.rawValue, done: $0 * share))
            }
            try pace.throwIfAbandoned()
            problems = report.problems
            if file == .objects { objects = report.objects }
            if file == .objects, report.isSound {
                record = try StoreEmbedded.verify(store) {
                    progress(BackupProgress(step: .verifying, file: file.rawValue, done: share + (1 - share) * $0))
                }
                problems = record.epoch == 0 ? ["No server has opened this file."] : record.problems
            }
        } catch let error as BackupError {
            throw error
        } catch let error as StoreError {
            problems = [error.message]
        } catch let error as StoreFailure {
            problems = [error.message]
        } catch {
            problems = ["\(error)"]
        }
        try pace.throwIfAbandoned()
        return problems.first
    }
}
