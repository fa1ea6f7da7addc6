import CausewaySimulatedDisk
import CausewayStorage

extension Workload {
    // MARK: - Transactions

    func transact() throws(Failure) {
        let durability: Durability =
            switch random.number(below: 10) {
            case 0..<5: .durable
            case 5..<8: .relaxed
            // Synced by `synchronize`, long before the window is over: a clock would make each run another.
            default: .grouped(within: .seconds(3600))
            }
        try transact(durability)
    }

    private func transact(_ durability: Durability) throws(Failure) {
        let changed = try writer()
        var next = contents
        change(changed, &next)
        try commit(changed, next, durability)
    }

    func abort() throws(Failure) {
        let writer = try writer()
        var unwanted = contents
        change(writer, &unwanted)
        if random.happens(1, in: 2) { writer.abort() }
    }

    private func writer() throws(Failure) -> any StorageWriter {
        let storage = try openStorage()
        do {
            return try storage.write()
        } catch {
            throw Failure("no transaction could be begun: \(error)")
        }
    }

    private func change(_ writer: any StorageWriter, _ contents: inout Contents) {
        let count = random.number(below: plan.changesMax + 1)
        // Now and then most of a tree goes at once, so that there is space to give back.
        let isClearing = random.happens(1, in: 12)
        for _ in 0..<count {
            switch isClearing ? 3 + random.number(below: 3) : random.number(below: 6) {
            case 0, 1, 2:
                let (tree, key, value) = (data.tree(), data.key(), data.value())
                writer.put(tree: tree, key: key, value: value)
                contents.put(tree: tree, key: key, value: value)
            case 3:
                let (tree, key) = (data.tree(), data.key())
                writer.remove(tree: tree, key: key)
                contents.remove(tree: tree, key: key)
            case 4 where !isClearing:
                let (place, bytes) = (data.place(), data.leaf())
                writer.replaceLeaf(place, bytes)
                contents.replaceLeaf(place, bytes)
            default:
                let place = data.place()
                writer.removeLeaf(column: place.column, number: place.number)
                contents.removeLeaf(place)
            }
        }
        if isClearing { clear(data.tree(), writer, &contents) }
    }

    private func clear(_ tree: UInt32, _ writer: any StorageWriter, _ contents: inout Contents) {
        // Sorted, because a dictionary has another order in each run.
        for key in (contents.trees[tree]?.keys.map { $0 } ?? []).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            writer.remove(tree: tree, key: key)
            contents.remove(tree: tree, key: key)
        }
    }

    private func commit(
        _ writer: any StorageWriter, _ next: Contents, _ durability: Durability
    ) throws(Failure) {
        let syncFailures = disk.failedSyncs
        history.begin(next, version: version + 1, at: disk.logPosition)
        let committed: any StorageSnapshot
        do {
            committed = try writer.commit(durability)
        } catch {
            try commitFailed(error, didSyncFail: disk.failedSyncs > syncFailures)
            return
        }
        if disk.failedSyncs > syncFailures { throw Failure("a sync failed, and the commit returned all the same") }
        version += 1
        contents = next
        if durability == .durable { history.becameDurable(history.newest, at: disk.logPosition) }
        guard committed.version == version else {
            throw Failure("commit answered version \(committed.version) instead of \(version)")
        }
        if random.happens(1, in: 4) { try look() }
    }

    private func commitFailed(_ error: StorageError, didSyncFail: Bool) throws(Failure) {
        switch plan.trouble {
        case .fullDisk where error.code == .outOfSpace:
            // Undone: neither now nor after a power loss may any of it be seen.
            history.undoNewest()
            try look()
        case .failingWrites where error.code == .io, .failingSyncs where error.code == .io:
            aftermath = didSyncFail ? .failedSync : .failedWrite
        default: throw Failure("a commit failed without a reason: \(error)")
        }
    }

    // MARK: - Syncs of two threads

    /// Another thread syncs what is there, and a durable commit comes while it does.
    func overlapSyncs() throws(Failure) {
        try transact(.relaxed)
        guard aftermath == nil else { return }
        let storage = try openStorage()
        let relaxed = history.newest
        let isLosing = laterRandom.happens(1, in: 2)
        let failures = disk.failedSyncs
        let hold = disk.holdNextSync(isLosing: isLosing)
        let syncing = SyncOfAnotherThread(storage)
        guard hold.waitUntilEntered() else { throw Failure("a sync was asked for and did not reach the disk") }
        try transact(.durable)
        let isSynced = syncing.wait() == nil
        if isSynced, isLosing { throw Failure("a sync succeeded, and some of what it covered was lost before") }
        if !isSynced, disk.failedSyncs == failures { throw Failure("a sync failed, and the disk knows nothing of it") }
        // The durable commit says more.
        if isSynced, aftermath != nil { history.becameDurable(relaxed, at: disk.logPosition) }
        if !isSynced { aftermath = .failedSync }
    }

    // MARK: - Upkeep

    func synchronize() throws(Failure) {
        let storage = try openStorage()
        let syncFailures = disk.failedSyncs
        do {
            try storage.synchronize()
        } catch {
            guard plan.trouble == .failingSyncs, disk.failedSyncs > syncFailures else {
                throw Failure("a sync failed without a reason: \(error)")
            }
            aftermath = .failedSync
            return
        }
        if disk.failedSyncs > syncFailures { throw Failure("a sync failed, and nobody was told") }
        if let newest = history.match(contents.fingerprint(version: version), at: disk.logPosition) {
            history.becameDurable(newest, at: disk.logPosition)
        }
    }

    /// Moves pages, and changes nothing that can be seen.
    func compact() throws(Failure) {
        let storage = try openStorage()
        let syncFailures = disk.failedSyncs
        do {
            try storage.compact()
        } catch {
            switch plan.trouble {
            case .fullDisk where error.code == .outOfSpace: break
            case .failingWrites where error.code == .io: aftermath = .failedWrite
            case .failingSyncs where error.code == .io && disk.failedSyncs > syncFailures: aftermath = .failedSync
            default: throw Failure("compacting failed without a reason: \(error)")
            }
        }
        if aftermath == nil { try look() }
    }
}
