import CausewaySimulatedDisk
import CausewayStorage

/// One life of a storage on a simulated disk, by seed: transactions, snapshots, reopenings and troubles, with the
/// model beside it.
///
/// Two runs with one seed do the same, but for what the storage itself decides by chance or by the clock.
final class Workload {
    struct Failure: Error {
        var reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

    /// A snapshot that somebody holds, and what it has to go on showing.
    struct Held {
        var snapshot: any StorageSnapshot
        var fingerprint: Fingerprint
    }

    static let diskBytes = 32 << 20

    let seed: UInt64
    let plan: WorkloadPlan
    let disk: SimulatedDisk
    let options: StorageOptions
    var random: SeededRandom
    /// For what came later than the rest, so that old seeds replay what they did.
    var laterRandom: SeededRandom
    var data: RandomData
    var history = History()
    var contents = Contents()
    var version: UInt64 = 0
    var held: [Held] = []
    /// Nil only while it is being opened again.
    var storage: (any Storage)?
    /// What has to be seen to when the present step is over and nothing of it holds the storage any more.
    var aftermath: Aftermath?
    /// Losses of the disk from before the file was opened.
    private var lossesAtOpening = 0

    enum Aftermath {
        case failedSync, failedWrite
    }

    init(seed: UInt64, mutation: Mutation?) {
        self.seed = seed
        plan = WorkloadPlan(seed: seed)
        disk = SimulatedDisk(capacityBytes: Self.diskBytes, defect: mutation?.defect)
        options = Self.options(plan, mutation)
        random = SeededRandom(seed, 4)
        laterRandom = SeededRandom(seed, 6)
        data = RandomData(seed: seed, keys: plan.keys)
    }

    static func options(_ plan: WorkloadPlan, _ mutation: Mutation?) -> StorageOptions {
        var options = StorageOptions(
            mapSizeBytes: diskBytes, encryptionKey: plan.isEncrypted ? WorkloadPlan.encryptionKey : nil)
        // So little that decrypted pages go and come back within a workload.
        options.decryptedBytesMaximum = 64 << 10
        options.carriesChanges = plan.carriesChanges
        options.mutation = mutation?.storage
        return options
    }

    /// Runs to the end and closes the file. What it did is in ``history`` and the disk's log.
    func run() throws(Failure) {
        history.begin(contents, version: 0, at: 0)
        try open(mustShowNewest: false)
        history.becameDurable(0, at: disk.logPosition)
        disk.faults = plan.faults(seed: random.next())
        for _ in 0..<plan.steps { try step() }
        disk.faults = .none
        disk.overwritesNeedRoom = false
        try releaseAll()
        try close()
    }

    private func step() throws(Failure) {
        switch random.number(below: 100) {
        case 0..<64: try transact()
        case 64..<67: try abort()
        case 67..<75: try hold()
        case 75..<81: try release()
        case 81..<86: try synchronize()
        case 86..<90: try reopen()
        case 90..<94: try compact()
        case 94..<98: try losePower()
        default: try look()
        }
        if plan.hasOverlappingSyncs, aftermath == nil, laterRandom.happens(1, in: 8) { try overlapSyncs() }
        switch aftermath.take() {
        case .failedSync: try recoverFromFailedSync()
        case .failedWrite: try recoverFromFailedWrite()
        case nil: break
        }
        if plan.trouble == .fullDisk { turnRoom() }
    }

    /// The disk is nearly full for a while, and then somebody tidies up.
    private func turnRoom() {
        let isFull = random.happens(1, in: 3)
        disk.roomBytes = isFull ? disk.sizeBytes + random.number(below: 100_000) : disk.capacityBytes
        disk.overwritesNeedRoom = isFull && plan.overwritesNeedRoom
    }

    // MARK: - Opening and closing

    func openStorage() throws(Failure) -> any Storage {
        guard let storage else { throw Failure("the storage is closed") }
        return storage
    }

    /// - Parameter mustShowNewest: whether what is found has to be the newest state, or any that could be.
    private func open(mustShowNewest: Bool) throws(Failure) {
        let faults = disk.faults
        // Nobody promises that a file can be opened on a disk that fails.
        if plan.trouble != .nuisance { disk.faults = .none }
        defer { disk.faults = faults }
        let fingerprint: Fingerprint
        do {
            let opened = try PageStorage.open(file: disk.open(), path: "simulated", options: options)
            storage = opened
            fingerprint = try Fingerprint(of: opened.snapshot())
        } catch {
            throw Failure("the file cannot be opened again: \(error)")
        }
        if mustShowNewest {
            let expected = contents.fingerprint(version: version)
            guard fingerprint == expected else {
                throw Failure("the file was closed and opened: expected \(expected), found \(fingerprint)")
            }
        }
        guard let state = history.match(fingerprint, at: disk.logPosition) else {
            throw Failure("the file was opened again: \(history.describe(fingerprint, at: disk.logPosition))")
        }
        contents = history.states[state].contents
        version = fingerprint.version
        lossesAtOpening = disk.losses
    }

    func close() throws(Failure) {
        storage = nil
        // The storage's own threads may hold it for a moment longer.
        guard disk.waitUntilClosed() else { throw Failure("the storage was let go and did not close its file") }
    }

    private func reopen() throws(Failure) {
        try releaseAll()
        try close()
        // Closing may sync, and has nobody to tell that it could not.
        let isCertain = disk.losses == lossesAtOpening
        if !isCertain, random.happens(1, in: 2) { disk.dropCache() }
        try open(mustShowNewest: isCertain)
    }

    private func losePower() throws(Failure) {
        try releaseAll()
        try close()
        disk.losePower(seed: random.next())
        try open(mustShowNewest: false)
        if let state = history.match(contents.fingerprint(version: version), at: disk.logPosition) {
            history.wasFound(state, at: disk.logPosition)
        }
    }

    // MARK: - After failures

    /// After a failed sync nothing may be written before the file was opened again; and what it holds then is a state
    /// that was committed, or nearly.
    private func recoverFromFailedSync() throws(Failure) {
        if hasCommitted() { throw Failure("a sync failed, and a commit after it went through all the same") }
        try releaseAll()
        try close()
        // The kernel may go on showing what it never wrote, or read the disk again.
        if random.happens(1, in: 2) { disk.dropCache() }
        try open(mustShowNewest: false)
    }

    private func hasCommitted() -> Bool {
        do {
            let writer = try openStorage().write()
            writer.put(tree: 0, key: [1], value: [])
            _ = try writer.commit(.relaxed)
            return true
        } catch {
            return false
        }
    }

    /// What a failed write leaves is the state before it; or, if not even the storage knows, a file to be opened
    /// again.
    private func recoverFromFailedWrite() throws(Failure) {
        if (try? openStorage().snapshot()) != nil { return try look() }
        try releaseAll()
        try close()
        try open(mustShowNewest: false)
    }

    // MARK: - Snapshots

    private func hold() throws(Failure) {
        let storage = try openStorage()
        do {
            held.append(Held(snapshot: try storage.snapshot(), fingerprint: contents.fingerprint(version: version)))
        } catch {
            throw Failure("no snapshot could be taken: \(error)")
        }
    }

    private func release() throws(Failure) {
        guard !held.isEmpty else { return }
        try check(held.remove(at: random.number(below: held.count)))
    }

    func releaseAll() throws(Failure) {
        while let last = held.popLast() { try check(last) }
    }

    private func check(_ held: Held) throws(Failure) {
        let found: Fingerprint
        do {
            found = try Fingerprint(of: held.snapshot)
        } catch {
            throw Failure("a snapshot can no longer be read: \(error.reason)")
        }
        guard found == held.fingerprint else {
            throw Failure("a snapshot changed: it was \(held.fingerprint) and is \(found)")
        }
    }

    /// The newest state is what the model says.
    func look() throws(Failure) {
        let storage = try openStorage()
        let found: Fingerprint
        do {
            found = try Fingerprint(of: storage.snapshot())
        } catch {
            throw Failure("the newest state cannot be read: \(error)")
        }
        let expected = contents.fingerprint(version: version)
        guard found == expected else { throw Failure("expected \(expected), found \(found)") }
    }
}
