import CausewaySimulatedDisk
import CausewayStorage
import CausewayStorageOracle

/// A fixed small life of a storage on a simulated disk, of which one call goes wrong.
///
/// The fault hits one call only, so whatever failed must succeed when it is tried again: at once if the storage goes
/// on, or after reopening if it says that it does not.
final class FaultRun {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private enum Step {
        case commit(Durability)
        /// Removes most of what is there.
        case clear
        case abort
        case synchronize
        case compact
        case hold
        case reopen
    }

    private static let steps: [Step] = [
        .commit(.durable), .commit(.relaxed), .hold, .commit(.grouped(within: .seconds(3600))), .synchronize,
        .abort, .commit(.relaxed), .reopen, .commit(.durable), .hold, .commit(.durable), .clear, .compact,
        .commit(.relaxed), .commit(.relaxed), .reopen, .reopen, .commit(.relaxed), .synchronize,
    ]

    private static let capacityBytes = 4 << 20

    let disk = SimulatedDisk(capacityBytes: capacityBytes)
    let notes = CallNotes()
    private let options: StorageOptions
    private let fault: FaultPlan.Fault?
    /// Whether the kernel reads the disk again after a failed sync, or goes on showing what it could not write.
    private let dropsCache: Bool
    private var storage: (any Storage)?
    /// What every version holds; a version that was lost in a way that is allowed is taken off again.
    private(set) var states = [Contents()]
    private var durableVersion = 0
    private var held: (snapshot: any StorageSnapshot, version: Int)?
    private var syncFailuresSeen = 0
    private(set) var errors: [StorageError] = []
    /// How often the storage went on after an error, and how often it had to be opened again.
    private(set) var goings = 0
    private(set) var reopenings = 0

    init(isEncrypted: Bool, plan: FaultPlan = .none, fault: FaultPlan.Fault? = nil, dropsCache: Bool = false) {
        options = StorageOptions(
            mapSizeBytes: Self.capacityBytes, encryptionKey: isEncrypted ? StorageBackend.key : nil)
        self.fault = fault
        self.dropsCache = dropsCache
        disk.faults = plan
    }

    func run() throws {
        try attempt { try open() }
        for step in Self.steps { try attempt { try perform(step) } }
        try attempt { try perform(.reopen) }
        try verify()
        held = nil
        try close()
    }

    private func verify() throws {
        var report = try opened().verify { _, _ in }
        // What could not be read is reported as that; the next time it can be.
        if !report.isSound, fault == .failed, report.problems.allSatisfy({ $0.contains("the disk failed") }) {
            report = try opened().verify { _, _ in }
        }
        guard report.isSound else { throw Failure(description: "verify reports \(report.problems)") }
    }

    // MARK: - Steps

    private func opened() throws -> any Storage {
        guard let storage else { throw Failure(description: "the storage is closed") }
        return storage
    }

    private func perform(_ step: Step) throws {
        switch step {
        case .commit(let durability):
            try commit(durability) { SmallChanges.make(states.count, in: $0, &$1) }
        case .clear:
            try commit(.durable) { SmallChanges.clear(upTo: states.count, in: $0, &$1) }
        case .abort:
            let writer = try opened().write()
            var unwanted = states[states.count - 1]
            SmallChanges.make(77, in: writer, &unwanted)
            try expect(unwanted, writer, "the writer")
            writer.abort()
        case .synchronize:
            try opened().synchronize()
            durableVersion = states.count - 1
        case .compact: try opened().compact()
        case .hold: held = (try opened().snapshot(), states.count - 1)
        case .reopen:
            try checkHeld()
            held = nil
            try close()
            try open()
        }
        try checkHeld()
        try checkNewest(try opened().snapshot())
    }

    private func commit(_ durability: Durability, _ change: (any StorageWriter, inout Contents) -> Void) throws {
        let writer = try opened().write()
        var next = states[states.count - 1]
        change(writer, &next)
        let failures = disk.failedSyncs
        let committed = try writer.commit(durability)
        guard disk.failedSyncs == failures else { throw Failure(description: "a sync failed and commit returned") }
        states.append(next)
        if durability == .durable { durableVersion = states.count - 1 }
        guard Int(committed.version) == states.count - 1 else {
            throw Failure(description: "commit \(states.count - 1) answers version \(committed.version)")
        }
    }

    private func close() throws {
        storage = nil
        guard disk.waitUntilClosed() else { throw Failure(description: "the storage did not close its file") }
        if dropsCache, disk.failedSyncs > syncFailuresSeen { disk.dropCache() }
    }

    /// Opens the file and finds the newest state, or after a failure one that is not older than what was promised.
    private func open() throws {
        let hasFailed = disk.failedSyncs > syncFailuresSeen
        let opened = try PageStorage.open(
            file: NotedFile(disk.open(), notes), path: "simulated", options: options)
        let snapshot = try opened.snapshot()
        syncFailuresSeen = disk.failedSyncs
        let version = Int(snapshot.version)
        let oldest = hasFailed ? durableVersion : states.count - 1
        guard (oldest..<states.count).contains(version) else {
            throw Failure(
                description: "found version \(version) of \(states.count - 1), and \(durableVersion) was promised")
        }
        states.removeSubrange((version + 1)...)
        storage = opened
    }

    // MARK: - Checks

    private func expect(_ contents: Contents, _ reader: any StorageReader, _ who: String) throws {
        let comparison = contents.compare(with: reader)
        guard comparison.isEqual else {
            // What could not be read has to be told; the attempt at large sees to it.
            if comparison.wrong.isEmpty, let damage = reader.damage { throw damage }
            throw Failure(description: "\(who): \(comparison.wrong) \(comparison.missing)")
        }
    }

    private func checkNewest(_ snapshot: any StorageSnapshot) throws {
        guard Int(snapshot.version) == states.count - 1 else {
            throw Failure(description: "the newest version is \(snapshot.version) instead of \(states.count - 1)")
        }
        try expect(states[states.count - 1], snapshot, "the newest state")
    }

    private func checkHeld() throws {
        guard let held else { return }
        try expect(states[held.version], held.snapshot, "a held snapshot")
    }

    // MARK: - When it fails

    private func attempt(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as StorageError {
            try judge(error)
            errors.append(error)
            try recover()
            do {
                try body()
            } catch let error as StorageError {
                throw Failure(description: "tried again after the fault: \(error)")
            }
        }
    }

    private func judge(_ error: StorageError) throws {
        let isExpected =
            switch fault {
            case .outOfSpace:
                // Only what was undone may be tried again.
                error.code == (error.message.contains("try again") ? .outOfSpace : .io)
            case .failed: error.code == .io
            default: false
            }
        guard isExpected, errors.isEmpty, error.message.hasSuffix(".") else {
            throw Failure(description: "an error that nothing explains: \(error)")
        }
    }

    private func recover() throws {
        if let storage, let snapshot = try? storage.snapshot() {
            try checkHeld()
            try checkNewest(snapshot)
            goings += 1
            return
        }
        if let storage, (try? storage.write()) != nil {
            throw Failure(description: "no snapshot can be taken, and a write can be begun all the same")
        }
        if let held {
            let comparison = states[held.version].compare(with: held.snapshot)
            guard comparison.wrong.isEmpty, comparison.missing.isEmpty || held.snapshot.damage != nil else {
                throw Failure(description: "a held snapshot changed: \(comparison)")
            }
        }
        held = nil
        try close()
        // Where a fault kept the file from being opened or closed, the step opens it.
        reopenings += 1
        do {
            try open()
        } catch let error as StorageError {
            throw Failure(description: "cannot be opened again: \(error)")
        }
    }
}
