/// Follows the log of a disk from its beginning and makes disks as a power loss leaves them.
///
/// It keeps what survives at the present point of the log, and beside it the same once more to put one outcome of what
/// may survive on top; after each image only the difference is undone.
///
/// Used by one thread at a time.
package final class CrashReplay {
    package let log: DiskLog
    /// How many of the log's operations were done when the power fails.
    package private(set) var position = 0
    let survivors: DiskMemory
    private var pending = PendingWrites()
    private var image: DiskMemory

    package init(_ log: DiskLog, capacityBytes: Int) {
        self.log = log
        survivors = DiskMemory(capacityBytes: capacityBytes)
        image = DiskMemory(capacityBytes: capacityBytes)
    }

    /// Writes and changes of length that a power loss here may keep or lose.
    package var isUncertain: Bool { !pending.isEmpty }

    // MARK: - Moving on

    package func advance(to end: Int) {
        precondition(end >= position && end <= log.operations.count, "A replay moves forward only.")
        while position < end {
            follow(log.operations[position])
            position += 1
        }
    }

    private func follow(_ operation: DiskLog.Operation) {
        switch operation {
        case .write(let offset, let count, let start): pending.addWrite(offset: offset, count: count, start: start)
        case .resize(let size): pending.addResize(to: size)
        case .synchronize: settle(.everything(of: pending))
        case .synchronizeFirst(let limit): pending.applyFirst(limit, bytes: log.bytes, to: survivors)
        case .settle(let seed):
            var random = SeededRandom(seed: seed)
            settle(.sampled(&random, of: pending))
        }
    }

    private func settle(_ outcome: CrashOutcome) {
        pending.apply(outcome, bytes: log.bytes, to: survivors)
        pending.removeAll()
    }

    /// What a process sees that goes on: everything that survives and, on top of it, what is not synced yet.
    func applyPending(to memory: DiskMemory) {
        pending.apply(.everything(of: pending), bytes: log.bytes, to: memory)
    }

    // MARK: - Images

    /// How many images to make at this point: all there are if they are no more than `limit`, or a sample.
    package func imageCount(limit: Int, sample: Int) -> Int {
        if pending.isEmpty { return 1 }
        return CrashOutcome.enumeratedCount(of: pending, limit: limit) ?? sample
    }

    /// A disk as it may be found after a power loss at this point. It is to be let go before the next one is made;
    /// one that is still in use costs a copy of the whole disk.
    package func image(_ index: Int, limit: Int, seed: UInt64) -> SimulatedDisk {
        if isKnownUniquelyReferenced(&image) {
            image.follow(survivors)
        } else {
            image = DiskMemory(capacityBytes: survivors.capacityBytes)
            image.copyAll(of: survivors)
        }
        let outcome: CrashOutcome
        if CrashOutcome.enumeratedCount(of: pending, limit: limit) != nil {
            outcome = .enumerated(index, of: pending)
        } else {
            var random = SeededRandom(seed, UInt64(position), UInt64(index))
            outcome = .sampled(&random, of: pending)
        }
        pending.apply(outcome, bytes: log.bytes, to: image)
        return SimulatedDisk(holding: image)
    }
}
