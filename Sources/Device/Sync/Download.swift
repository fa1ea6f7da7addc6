package import CausewayWire

/// What arrived and is not yet in the file.
///
/// A view change comes in parts; only its last part carries the checkpoint it leads to. Parts are collected until
/// then, in memory up to a bound and beyond it in the file's staging tree, and all of them become visible in one
/// transaction. Complete changes that pile up while one is being applied are applied together, in order.
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
    private var partsSpilled = 0
    private var objectsSeen: UInt64 = 0
    private var objectsTotal: UInt64 = 0
    /// Marks that stand behind the unfinished change, behind the complete ones, behind those being applied.
    private var marksOpen: [UInt64] = []
    private var marksComplete: [UInt64] = []
    private var marksApplying: [UInt64] = []
    /// Consumed and not yet told.
    private var consumed: UInt64 = 0

    package enum Work: Hashable, Sendable {
        case none
        case applying
        case spilling
        case digesting
        /// Changesets that the server has lost go back into the log, or one that it takes in no form leaves it.
        case refilling
    }

    private struct Item: Hashable, Sendable {
        var message: DownloadMessage
        var bytes: Int
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

    package mutating func received(_ message: DownloadMessage, bytes: Int) {
        queue.append(Item(message: message, bytes: bytes))
    }

    /// Takes in what is queued while the file is free, and says what to do with it.
    package mutating func advance(stagingBytes: Int) -> [Step] {
        guard work == .none else { return [] }
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
                work = .spilling
                break
            }
            guard taken < queue.count else { break }
            let item = queue[taken]
            // What is complete belongs to what the server asks about.
            if case .digestsWanted = item.message, !complete.isEmpty { break }
            taken += 1
            consumed += UInt64(item.bytes)
            switch item.message {
            case .changes(let chunk):
                stage(chunk, bytes: item.bytes)
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

    private mutating func stage(_ chunk: ViewChunk, bytes: Int) {
        if chunk.objectsTotal > 0 { objectsTotal = chunk.objectsTotal }
        objectsSeen += UInt64(chunk.objectCount)
        parts.append(chunk)
        partsBytes += bytes
        if let checkpoint = chunk.checkpoint {
            complete.append(ViewChange(partsSpilled: partsSpilled, parts: parts, checkpoint: checkpoint))
            parts = []
            partsBytes = 0
            partsSpilled = 0
            objectsSeen = 0
            objectsTotal = 0
            marksComplete += marksOpen
            marksOpen = []
        }
    }

    /// The file is given something else to do. To be called while it does nothing.
    package mutating func refilling() {
        work = .refilling
    }

    /// The file is free again; nothing that arrived is in it because of that.
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

    /// The connection is gone. What is complete or in the middle comes again from the stored checkpoint.
    package mutating func disconnected() {
        let work = work
        self = Download()
        self.work = work
    }

    /// What to give back to the server now, if it is worth a call.
    package mutating func credit(atLeast threshold: UInt64) -> UInt64? {
        guard consumed >= threshold else { return nil }
        defer { consumed = 0 }
        return consumed
    }

    /// How far the change now arriving is; equal numbers when none is.
    package var progress: Progress {
        Progress(transferred: objectsSeen, transferrable: max(objectsSeen, objectsTotal))
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

    package init(transferred: UInt64, transferrable: UInt64) {
        self.transferred = transferred
        self.transferrable = transferrable
    }

    package var isComplete: Bool { transferred >= transferrable }
}
