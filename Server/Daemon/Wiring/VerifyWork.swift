import CausewayBackup
import CausewayEnvironment
import CausewayIdentity
import CausewayObjectStore
import CausewayStore
import CausewayStoreEmbedded
import Foundation
import Synchronization

/// Verifies databases while they are served, one at a time: each on a thread of its own, whose priority stays low. It reads
/// the newest version, as `sync-server verify` does, and writes nothing.
final class VerifyWork: Sendable {
    enum Step: String, CaseIterable, Hashable, Sendable {
        /// Pages with their checksums, and objects with indexes and links.
        case objects
        /// What the server keeps beside the objects.
        case record
        case accounts
    }

    /// The one that is under way.
    struct Running: Hashable, Sendable {
        var database: String
        /// The opening of the database: another one of its name is another database.
        var opening: ObjectIdentifier
        /// In milliseconds since 1970.
        var since: UInt64
        var step: Step
        /// From 0 to 1, of this step.
        var done: Double
    }

    /// How the last one of a database ended.
    struct Outcome: Hashable, Sendable {
        /// When it began, in milliseconds since 1970.
        var time: UInt64
        var seconds: Double
        /// Of all classes, hidden ones included.
        var objects = 0
        /// A bounded number of sentences.
        var problems: [String] = []
        /// How many there are, those without a sentence included.
        var problemCount = 0
        /// Why it could not be verified to its end; nil where it could.
        var failure: String?
    }

    private let clock: any WallClock
    private let state = Mutex<Running?>(nil)

    init(clock: any WallClock = SystemClock()) {
        self.clock = clock
    }

    var running: Running? { state.withLock { $0 } }

    /// Begins to verify a database; false when another verification is under way.
    ///
    /// - Parameters:
    ///   - opening: of an object that `ended` holds, so that it is no other's meanwhile.
    ///   - ended: told how it ended, on the thread of the work, while it still counts as running.
    func begin(
        _ database: Backup.Source, of opening: ObjectIdentifier, ended: @escaping @Sendable (Outcome) -> Void
    ) -> Bool {
        let time = clock.now()
        let hasBegun = state.withLock { running in
            guard running == nil else { return false }
            running = Running(
                database: database.name, opening: opening, since: time, step: .objects, done: 0)
            return true
        }
        guard hasBegun else { return false }
        Thread.detachNewThread { [self] in
            LowPriority.takeForThisThread()
            let start = ContinuousClock.now
            var outcome = verify(database.folder)
            (outcome.time, outcome.seconds) = (time, start.duration(to: .now) / .seconds(1))
            ended(outcome)
            state.withLock { $0 = nil }
        }
        return true
    }

    private func tell(_ step: Step, _ done: Double) {
        state.withLock { running in
            running?.step = step
            running?.done = done
        }
    }

    // MARK: - The work

    private func verify(_ folder: String) -> Outcome {
        var outcome = Outcome(time: 0, seconds: 0)
        do {
            let objects = try open(DatabaseFolder(folder).objectsPath)
            let content = try objects.verify { tell(.objects, $0) }
            outcome.objects = content.objects
            outcome.note(content.problems, content.problemCount)
            if content.isSound {
                let record = try StoreEmbedded.verify(objects) { tell(.record, $0) }
                outcome.note(record.problems, record.problemCount)
            }
            let accounts = folder + "/" + Accounts.fileName
            guard FileManager.default.fileExists(atPath: accounts) else { return outcome }
            let users = try open(accounts).verify { tell(.accounts, $0) }
            outcome.note(users.problems.map { "Accounts: " + $0 }, users.problemCount)
        } catch let error as StoreError {
            outcome.failure = error.message
        } catch let error as StoreFailure {
            outcome.failure = error.message
        } catch {
            outcome.failure = "\(error)"
        }
        return outcome
    }

    /// The file that the server uses. It is not closed here: it closes when nobody has it any more.
    private func open(_ path: String) throws(StoreError) -> ObjectStore {
        var options = ObjectStore.Options()
        options.readOnly = true
        return try ObjectStore.open(path: path, options: options)
    }
}

extension VerifyWork.Outcome {
    var isSound: Bool { problemCount == 0 && failure == nil }

    fileprivate mutating func note(_ sentences: [String], _ count: Int) {
        problems += sentences
        problemCount += count
    }
}
