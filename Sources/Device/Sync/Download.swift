package import CausewayWire

/// What arrived and is not yet in the file.
///
/// A view change comes in parts; only its last part carries the checkpoint it leads to. Parts are collected until
/// then, in memory up to a bound and beyond it in the file's staging tree, and all of them become visible in one
/// transaction. Complete changes that pile up while one is being applied are applied together, in order.
///
/// A part may say that the server can resume after it. When the connection is cut, what is in memory up to the last
/// such part moves to the file too, and the next hello tells of it: `StagedChange`.
///
/// Credit goes back to the server when a part has been taken in. While the file is busy nothing is taken in, so the
/// queue is bounded by the credit the server has.
package struct Download: Hashable, Sendable {
    /// What the file is doing for us. It outlives a connection: a transaction cannot be called back.
    package private(set) var work = Work.none

    private var queue: [Item] = []
    /// Complete changes, waiting for the file.
    private var complete: [ViewChange] = []
    /// The parts so far of a change whose checkpoint has not come.
    private var parts: [ViewChunk] = []
    private var partsBytes = 0
    /// When the first of them came after which the server can resume.
    package private(set) var resumableSince: Moment?
    private var partsSpilled = 0
    /// Parts of a change that was cut, on their way to the file.
    private var saving: [ViewChunk] = []
    private var savingFrom = 0
    /// Whether the file failed to store something of this connection, so that later parts have no predecessor there.
    private var hasGap = false
    /// The progress of the arriving change, or of the last one, with what earlier sessions brought of it.
    private var objectsDone: UInt64 = 0
    private var objectsTotal: UInt64 = 0
    /// The same after the last part at which the server could resume.
    private var objectsResumable: UInt64 = 0
    /// What earlier sessions brought of it.
    private var objectsStaged: UInt64 = 0
    private var changesFinished: UInt64 = 0
    /// Marks that wait for the unfinished change, for the complete ones, and for those being applied.
    private var marksOpen: [UInt64] = []
    private var marksComplete: [UInt64] = []
    private var marksApplying: [UInt64] = []
    /// Bytes that were taken in and not yet credited to the server.
    private var consumed: UInt64 = 0

    package enum Work: Hashable, Sendable {
        case none
        case applying
        case spilling
        case digesting
        /// Lost changesets go back into the log, a refused one leaves it, or the file goes on as another client.
        case refilling
    }

    private struct Item: Hashable, Sendable {
        var message: DownloadMessage
        var bytes: Int
        var arrival: Moment
    }

    package enum Step: Hashable, Sendable {
        case apply([ViewChange])
        /// Moves these parts of an unfinished change to the staging tree; the first is number `from`.
        case spill([ViewChunk], from: Int)
        case marked(UInt64)
        /// Makes the digests that a resync wants.
        case digest(DigestQuestion)
        case queriesRefused(querySet: UInt64, SyncFailure)
    }

    package init() {}

    package mutating func received(_ message: DownloadMessage, bytes: Int, at now: Moment) {
        queue.append(Item(message: message, bytes: bytes, arrival: now))
    }

    /// Takes in what is queued while the file is free, and says what to do with it.
    package mutating func advance(stagingBytes: Int) -> [Step] {
        guard work == .none else { return [] }
        if mustSave {
            defer { saving = [] }
            work = .spilling
            return [.spill(saving, from: savingFrom)]
        }
        var steps: [Step] = []
        var taken = 0
        while true {
            if partsBytes > stagingBytes {
                // The staging tree holds one change at a time: complete ones go first.
                guard complete.isEmpty else { break }
                steps.append(.spill(parts, from: partsSpilled))
                partsSpilled += parts.count
                parts = []
                partsBytes = 0
                resumableSince = nil
                work = .spilling
                break
            }
            guard taken < queue.count else { break }
            let item = queue[taken]
            // The server asks about a file that has the complete changes: those are applied first.
            if case .digestsWanted = item.message, !complete.isEmpty { break }
            taken += 1
            consumed += UInt64(item.bytes)
            switch item.message {
            case .changes(let chunk):
                stage(chunk, bytes: item.bytes, at: item.arrival)
            case .mark(let id):
                if !isBetweenChanges {
                    marksOpen.append(id)
                } else if !complete.isEmpty {
                    marksComplete.append(id)
                } else {
                    steps.append(.marked(id))
                }
            case .queriesRefused(let querySet, let failure):
                steps.append(.queriesRefused(querySet: querySet, failure))
            case .digestsWanted(let question):
                steps.append(.digest(question))
                work = .digesting
            case .heartbeat, .end:
                break
            }
            if work == .digesting { break }
        }
        queue.removeFirst(taken)
        if work == .none, !complete.isEmpty {
            steps.append(.apply(complete))
            complete = []
            marksApplying = marksComplete
            marksComplete = []
            work = .applying
        }
        return steps
    }

    private var isBetweenChanges: Bool { parts.isEmpty && partsSpilled == 0 }

    private mutating func stage(_ chunk: ViewChunk, bytes: Int, at arrival: Moment) {
        let chunk = counted(chunk)
        if chunk.resume != nil, resumableSince == nil { resumableSince = arrival }
        parts.append(chunk)
        partsBytes += bytes
        if let checkpoint = chunk.checkpoint {
            complete.append(ViewChange(partsSpilled: partsSpilled, parts: parts, checkpoint: checkpoint))
            parts = []
            partsBytes = 0
            partsSpilled = 0
            resumableSince = nil
            objectsTotal = objectsDone
            objectsStaged = 0
            objectsResumable = 0
            changesFinished += 1
            marksComplete += marksOpen
            marksOpen = []
        }
    }

    /// A part whose counts include what earlier sessions brought of its change.
    private mutating func counted(_ chunk: ViewChunk) -> ViewChunk {
        if isBetweenChanges { (objectsDone, objectsResumable) = (0, 0) }
        var chunk = chunk
        chunk.objectsTotal += chunk.objectsTotal > 0 ? objectsStaged : 0
        // After the last part all of it is done. If the server does not count, at least the objects so far are.
        if chunk.objectsDone > 0 {
            chunk.objectsDone += objectsStaged
        } else {
            let least = objectsDone + UInt64(chunk.objectCount)
            chunk.objectsDone = chunk.checkpoint == nil ? least : max(chunk.objectsTotal, least)
        }
        objectsDone = max(objectsDone, chunk.objectsDone)
        objectsTotal = max(chunk.objectsTotal, objectsDone)
        if chunk.resume != nil { objectsResumable = objectsDone }
        return chunk
    }

    /// The new session resumes after parts that the file has.
    package mutating func resume(_ staged: StagedChange) {
        partsSpilled = staged.parts
        objectsStaged = staged.objectsDone
        objectsResumable = staged.objectsDone
        objectsDone = staged.objectsDone
        objectsTotal = max(staged.objectsTotal, staged.objectsDone)
    }

    /// The file is given something else to do. To be called while it does nothing.
    package mutating func refilling() {
        work = .refilling
    }

    /// The file is free again, after work that stored nothing of what arrived.
    package mutating func freed() {
        work = .none
    }

    package mutating func spilled() {
        work = .none
    }

    package mutating func digested() {
        work = .none
    }

    /// The file has what it was given; returns the marks this makes true.
    package mutating func applied() -> [UInt64] {
        work = .none
        defer { marksApplying = [] }
        return marksApplying
    }

    /// The file could not do its work, and nobody knows what it has stored.
    package mutating func fileFailed() {
        work = .none
        saving = []
        marksApplying = []
        hasGap = true
    }

    /// Whether parts of a change that was cut have still to be given to the file.
    package var mustSave: Bool { !saving.isEmpty }

    /// The connection is gone. Complete changes come again from the stored checkpoint, and so do the parts after the
    /// last one at which the server can resume.
    package mutating func disconnected() {
        var cut = Download()
        cut.work = work
        cut.saving = saving
        cut.savingFrom = savingFrom
        cut.changesFinished = changesFinished
        // The parts belong to the change that begins at the file's checkpoint.
        if !hasGap, complete.isEmpty, work == .none || work == .spilling {
            takeRest()
            let count = (parts.lastIndex { $0.resume != nil } ?? -1) + 1
            if count > 0 {
                cut.saving = Array(parts[..<count])
                cut.savingFrom = partsSpilled
            }
            cut.objectsDone = objectsResumable
            cut.objectsResumable = objectsResumable
        }
        // A session that was cut before anything came of it leaves the count where it was.
        cut.objectsTotal = isBetweenChanges && objectsResumable == 0 ? cut.objectsDone : objectsTotal
        self = cut
    }

    /// Takes in the parts that the file was too busy for, without the last one of their change.
    private mutating func takeRest() {
        for item in queue {
            guard case .changes(let chunk) = item.message else { continue }
            if chunk.checkpoint != nil { return }
            parts.append(counted(chunk))
        }
    }

    /// What to give back to the server now, if it is worth a call.
    package mutating func credit(atLeast threshold: UInt64) -> UInt64? {
        guard consumed >= threshold else { return nil }
        defer { consumed = 0 }
        return consumed
    }

    /// How far the change now arriving is; equal numbers when none is.
    package var progress: Progress {
        Progress(transferred: objectsDone, transferrable: objectsTotal, finished: changesFinished)
    }
}

/// All parts of one step from a checkpoint to the next.
package struct ViewChange: Hashable, Sendable {
    /// How many parts lie in the staging tree, before `parts`.
    package var partsSpilled: Int
    package var parts: [ViewChunk]
    package var checkpoint: Checkpoint

    package init(partsSpilled: Int, parts: [ViewChunk], checkpoint: Checkpoint) {
        self.partsSpilled = partsSpilled
        self.parts = parts
        self.checkpoint = checkpoint
    }
}

/// How much of what is known to be outstanding has been moved: entries of the log, or objects of a view change.
package struct Progress: Hashable, Sendable {
    package var transferred: UInt64
    package var transferrable: UInt64
    /// View changes that have come whole before. The numbers above are about the next one.
    package var finished: UInt64

    package init(transferred: UInt64, transferrable: UInt64, finished: UInt64 = 0) {
        self.transferred = transferred
        self.transferrable = transferrable
        self.finished = finished
    }

    package var isComplete: Bool { transferred >= transferrable }
}
