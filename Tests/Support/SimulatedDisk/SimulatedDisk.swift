import CausewayEnvironment
import Glibc
import Synchronization

/// A disk with one file, in memory. What is written is seen at once by everybody who has the file open or mapped, as
/// with the kernel's page cache; what of it a power loss leaves is worked out from the log.
package final class SimulatedDisk: Sendable {
    /// How a disk lies about its syncs. A checker that does not notice checks nothing.
    package enum Defect: String, Sendable, CaseIterable {
        /// A sync does nothing and says it did.
        case skipSync = "skip-sync"
        /// A sync keeps the headers, the first four pages, and may lose the rest.
        case headersOnly = "headers-only"
    }

    package static let defaultCapacityBytes = 64 << 20
    static let headerBytes = 4 * DiskMemory.pageBytes
    private static let sectorBytes = 512

    private struct State {
        var log = DiskLog()
        var faults = FaultInjector(.none)
        /// Beyond this length there is no room on the disk.
        var roomBytes: Int
        var openFiles = 0
        var failedSyncs = 0
        /// How often some of what was not synced was lost.
        var losses = 0
        /// Of these, those that no open file has to be told of any more when it is opened.
        var toldLosses = 0
        var overwritesNeedRoom = false
        /// Armed for the next sync.
        var nextHold: SyncHold?
        /// A sync is in it.
        var hold: SyncHold?
        var changes = 0
    }

    private let state: Mutex<State>
    private let isRecorded: Bool
    private let defect: Defect?
    /// Guarded by the lock of `state`.
    private let memory: DiskMemory

    /// An empty disk.
    package init(capacityBytes: Int = defaultCapacityBytes, defect: Defect? = nil) {
        let memory = DiskMemory(capacityBytes: capacityBytes)
        self.memory = memory
        self.defect = defect
        isRecorded = true
        state = Mutex(State(roomBytes: capacityBytes))
    }

    /// A disk as a power loss left it; it keeps no log.
    init(holding memory: DiskMemory) {
        self.memory = memory
        defect = nil
        isRecorded = false
        state = Mutex(State(roomBytes: memory.capacityBytes))
    }

    package var capacityBytes: Int { memory.capacityBytes }

    /// Another handle of the one file.
    package func open() -> SimulatedFile {
        let toldLosses = state.withLock { state in
            state.openFiles += 1
            return state.toldLosses
        }
        return SimulatedFile(self, toldLosses: toldLosses)
    }

    func fileClosed() {
        state.withLock { $0.openFiles -= 1 }
    }

    /// Waits until nobody has the file open. False when that takes unreasonably long.
    package func waitUntilClosed() -> Bool {
        for _ in 0..<100_000 {
            if state.withLock({ $0.openFiles == 0 }) { return true }
            usleep(100)
        }
        return false
    }

    /// What goes wrong from now on.
    package var faults: FaultPlan {
        get { state.withLock { $0.faults.plan } }
        set { state.withLock { $0.faults.plan = newValue } }
    }

    /// How many calls that a fault can hit there were so far.
    package var callCount: Int { state.withLock { $0.faults.callCount } }

    /// A smaller disk than its capacity: beyond this there is no room.
    package var roomBytes: Int {
        get { state.withLock { $0.roomBytes } }
        set { state.withLock { $0.roomBytes = newValue } }
    }

    /// Whether a full disk may refuse to write where something was written before, as file systems do that copy what
    /// they change. It does then at every second call, and now and then in the middle.
    package var overwritesNeedRoom: Bool {
        get { state.withLock { $0.overwritesNeedRoom } }
        set { state.withLock { $0.overwritesNeedRoom = newValue } }
    }

    package var sizeBytes: Int { size() }

    /// How many calls changed the file so far.
    package var changes: Int { state.withLock { $0.changes } }

    /// How many syncs failed so far.
    package var failedSyncs: Int { state.withLock { $0.failedSyncs } }

    /// How often some of what was written was lost so far. Whoever syncs is told once for each open file.
    package var losses: Int { state.withLock { $0.losses } }

    package var log: DiskLog { state.withLock { $0.log } }
    package var logPosition: Int { state.withLock { $0.log.operations.count } }

    // MARK: - Power

    /// The power fails and comes back: the file is what the disk has, chosen by the seed from all that is possible.
    /// Nobody may have the file open.
    package func losePower(seed: UInt64) {
        state.withLock { state in
            state.log.add(.settle(seed: seed))
            state.toldLosses = state.losses
            reload(&state)
        }
    }

    /// The kernel drops what it kept of the file and need not write any more. Only after a failed sync this makes a
    /// difference: then what was lost shows.
    package func dropCache() {
        state.withLock { reload(&$0) }
    }

    private func reload(_ state: inout State) {
        let replay = CrashReplay(state.log, capacityBytes: memory.capacityBytes)
        replay.advance(to: state.log.operations.count)
        replay.applyPending(to: replay.survivors)
        memory.replaceAll(with: replay.survivors)
    }

    // MARK: - What a file does

    var base: UnsafeRawPointer { UnsafeRawPointer(memory.base) }
    var addressableBytes: Int { memory.addressableBytes }

    func size() -> Int { state.withLock { _ in memory.sizeBytes } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        state.withLock { state in
            var count = max(0, min(buffer.count, memory.sizeBytes - offset))
            switch state.faults.next(.read) {
            case .interrupted: return -Int(EINTR)
            case .failed: return -Int(EIO)
            case .partial where count > 1: count = 1 + state.faults.number(below: count - 1)
            default: break
            }
            guard count > 0, let target = buffer.baseAddress else { return 0 }
            memcpy(target, memory.base + offset, count)
            return count
        }
    }

    func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int) -> Int {
        state.withLock { state in
            let wanted = pieces.reduce(0) { $0 + $1.count }
            var allowed = wanted
            switch state.faults.next(.write) {
            case .interrupted: return -Int(EINTR)
            case .failed: return -Int(EIO)
            case .outOfSpace: return -Int(ENOSPC)
            case .partial where wanted > 1: allowed = 1 + state.faults.number(below: wanted - 1)
            default: break
            }
            // A full disk takes what still fits, and nothing the next time.
            allowed = min(allowed, max(state.roomBytes, memory.sizeBytes) - offset)
            if state.overwritesNeedRoom, state.faults.number(below: 2) == 0 {
                allowed = min(allowed, Self.sectorBytes * state.faults.number(below: 4))
            }
            guard allowed > 0 || wanted == 0 else { return -Int(ENOSPC) }
            if offset < Self.headerBytes { state.hold?.headerWasWritten() }
            state.changes += 1
            grow(&state, to: offset + allowed)
            var done = 0
            for piece in pieces where done < allowed {
                let part = UnsafeRawBufferPointer(rebasing: piece.prefix(allowed - done))
                guard let start = part.baseAddress else { continue }
                memory.write(start, count: part.count, at: offset + done)
                if isRecorded { state.log.addWrite(part, at: offset + done) }
                done += part.count
            }
            if isRecorded, state.faults.losesWriteBack() { lose(&state) }
            return done
        }
    }

    private func grow(_ state: inout State, to size: Int) {
        guard size > memory.sizeBytes else { return }
        memory.resize(to: size)
        if isRecorded { state.log.add(.resize(to: size)) }
    }

    /// - Parameter isTold: given the disk's losses, notes that the open file knows of all of them now, and answers
    ///   whether there was one that it did not know of.
    func synchronize(_ isTold: (_ losses: Int) -> Bool) -> Int {
        if let hold = state.withLock({ $0.nextHold.take() }) { return synchronize(in: hold, isTold) }
        return state.withLock { state in
            state.hold?.wasOverlapped()
            switch state.faults.next(.synchronize) {
            case .interrupted: return -Int(EINTR)
            case .failed: return failSync(&state, EIO, isTold)
            case .outOfSpace: return failSync(&state, ENOSPC, isTold)
            default: break
            }
            guard isRecorded else { return 0 }
            switch defect {
            case nil: state.log.add(.synchronize)
            case .headersOnly: state.log.add(.synchronizeFirst(bytes: Self.headerBytes))
            case .skipSync: break
            }
            return tell(&state, EIO, isTold)
        }
    }

    /// The kernel tried, and takes the pages for clean now, whatever became of them.
    private func failSync(_ state: inout State, _ errorNumber: Int32, _ isTold: (_ losses: Int) -> Bool) -> Int {
        lose(&state)
        return tell(&state, errorNumber, isTold)
    }

    private func lose(_ state: inout State) {
        state.losses += 1
        if isRecorded { state.log.add(.settle(seed: state.faults.seed())) }
    }

    /// Each open file learns once that something was lost, from whichever of its syncs asks first.
    private func tell(_ state: inout State, _ errorNumber: Int32, _ isTold: (_ losses: Int) -> Bool) -> Int {
        guard isTold(state.losses) else { return 0 }
        state.toldLosses = state.losses
        state.failedSyncs += 1
        return -Int(errorNumber)
    }

    // MARK: - Syncs that overlap

    /// Makes the next sync last until another sync came meanwhile, or until somebody who writes a header and is free to
    /// sync would have synced.
    ///
    /// - Parameter isLosing: whether it loses something. Whoever of the two asks first is told.
    package func holdNextSync(isLosing: Bool) -> SyncHold {
        let hold = SyncHold(isLosing: isLosing)
        state.withLock { $0.nextHold = hold }
        return hold
    }

    private func synchronize(in hold: SyncHold, _ isTold: (_ losses: Int) -> Bool) -> Int {
        state.withLock { state in
            if hold.isLosing { lose(&state) } else { state.log.add(.synchronize) }
            state.hold = hold
        }
        hold.wait()
        return state.withLock { state in
            state.hold = nil
            return tell(&state, EIO, isTold)
        }
    }

    /// - Parameter mayShorten: whether a length below the present one is taken, or passed over.
    func resize(to size: Int, mayShorten: Bool) -> Int {
        state.withLock { state in
            switch state.faults.next(.resize) {
            case .interrupted: return -Int(EINTR)
            case .failed: return -Int(EIO)
            case .outOfSpace: return -Int(ENOSPC)
            default: break
            }
            if size != memory.sizeBytes { state.changes += 1 }
            if size > memory.sizeBytes {
                // Reserving makes all of the room or none. A longer file without room would be possible, but
                // nobody could tell it from a full disk at the next write.
                guard size <= state.roomBytes else { return -Int(ENOSPC) }
                grow(&state, to: size)
            } else if mayShorten, size < memory.sizeBytes {
                memory.resize(to: size)
                if isRecorded { state.log.add(.resize(to: size)) }
            }
            return 0
        }
    }
}
