import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewaySeeds
import CausewaySync
import CausewaySyncedFile
import CausewayWire

// What the conversation gives to the file: one piece after the other, each of which may fail or end with the process.

extension DeviceProcess {
    func onFile(_ work: Conversation.Action) {
        fileWork.append(work)
        if !isFileBusy { workOn() }
    }

    private func workOn() {
        guard !fileWork.isEmpty else { return }
        isFileBusy = true
        let delay = world.isCalm ? 1 : UInt64(world.random.below(20))
        after(delay) { [self] in
            let life = life
            try perform(fileWork.removeFirst())
            guard life == self.life else { return }
            isFileBusy = false
            workOn()
        }
    }

    private func perform(_ work: Conversation.Action) throws {
        disk.begin(work)
        let outcome = file.perform(planted(work))
        if let divergence = disk.divergence { throw divergence }
        if disk.isProcessOver || world.crashesHere() { return crash() }
        if disk.hasCommitted, world.happens(percent: world.plan.fileErrorPercent / 2) {
            world.story.note("the file of device \(number) says that it failed, and has committed")
            return try failed(work)
        }
        if let failure = outcome.failure {
            world.story.note("the file of device \(number) fails: \(failure)")
            hasWorkLeft = true
        }
        for change in outcome.refused { try check(change) }
        if case .applied? = outcome.event, case .apply(let changes) = work { try checkApplied(changes) }
        if let event = outcome.event {
            tellStory(of: event)
            try handle(event)
        }
    }

    private func failed(_ work: Conversation.Action) throws {
        switch work {
        case .dropOneWay, .queriesRefused: hasWorkLeft = true
        case .setAside(let refused): try handle(.setAsideFailed(refused.lane, DiskFailure.full.description))
        default: try handle(.fileFailed(DiskFailure.full.description))
        }
    }

    /// The work with a mistake that the checks have to find.
    private func planted(_ work: Conversation.Action) -> Conversation.Action {
        guard case .apply(var changes) = work, world.mutation == .checkpointWithoutData else { return work }
        for index in changes.indices {
            changes[index].parts = changes[index].parts.map { ViewChunk(refused: $0.refused) }
        }
        return .apply(changes)
    }

    // MARK: - In front of each commit

    /// The disk fails, or the process ends, or what is committed is what may be.
    func willCommit(_ transaction: Transaction) throws {
        if world.crashesHere() { throw DiskFailure.processOver }
        if world.happens(percent: world.plan.fileErrorPercent) {
            world.story.note("the file of device \(number) fails in front of a commit")
            throw DiskFailure.full
        }
        if world.mutation == .evictionDeletes, case .apply? = disk.work {
            try replica.record(in: transaction, now: wallTime)
        }
        let state = try replica.state(in: transaction)
        if case .apply? = disk.work, !disk.hasCommitted {
            guard state.lastSequence == lastSequence else {
                throw DiskFailure.wrong("[I6] device \(number) made operations of what the server told it")
            }
            if world.story.isTold { disk.observed = "on device \(number): \(brief(transaction.changes))" }
        }
        // What lies in the quarantine, or was sent again out of it.
        let kept = try Replica.quarantined(in: transaction).reduce(0) { $0 + $1.operations.count }
        submittedCount += max(0, quarantinedCount - kept)
        if case .setAside? = disk.work { setAsideCount += max(0, kept - quarantinedCount) }
        quarantinedCount = kept
        if state.lastSequence > lastSequence || state.lastOneWay > lastOneWay {
            after(0) { [self] in try fileChanged() }
        }
        lastSequence = state.lastSequence
        lastOneWay = state.lastOneWay
    }

    // MARK: - Behind it

    private func check(_ change: QuarantinedChange) throws {
        world.story.note("device \(number) puts into the quarantine: \(change.reason)")
        // A restored server may not have the object again yet: the device that made it comes later. And what the rules
        // keep from being made, or the server took in no form, is not there for the changesets behind it.
        let isUnknown = change.code == SyncFailure.Code.objectUnknown.rawValue
        let isForbidden = change.code == SyncFailure.Code.permissionDenied.rawValue
        let isInvalid = change.code == SyncFailure.Code.operationInvalid.rawValue
        let ledger = world.ledger
        let (restores, wasRestricted, wasObstinate) = (
            ledger.restores, ledger.access.wasRestricted, ledger.obstinacy.wasSeen
        )
        guard
            isUnknown && (restores > 0 || wasRestricted || wasObstinate) || isForbidden && wasRestricted
                || isInvalid && wasObstinate
        else { throw Divergence("[I7] the server refuses something of device \(number): \(change.reason)") }
    }

    private func checkApplied(_ changes: [ViewChange]) throws {
        guard let checkpoint = changes.last?.checkpoint else { return }
        world.story.tell(
            .applied,
            "device \(number) is at \(checkpoint.version.rawValue), queries \(checkpoint.querySet), acknowledged "
                + "\(checkpoint.acknowledged)")
        if let observed = disk.observed { world.story.tell(.observed, observed) }
        if world.random.happens(percent: 30) { try world.checkSettled(self) }
    }

    private func tellStory(of event: Conversation.Event) {
        switch event {
        case .digested(_, let question, _):
            world.story.note("device \(number) says what it holds, answer \(question)")
        case .refilled(let committed):
            world.story.note("device \(number) will send again what the server lost after \(committed)")
        case .setAside(let lane): world.story.note("device \(number) has set something of \(lane) aside")
        default: break
        }
    }

    // MARK: - The app and its quarantine

    /// The app sends again what was refused, as far as it counts.
    func submitQuarantined(where counts: (QuarantinedChange) -> Bool) throws {
        guard isRunning else { return }
        for change in try file.quarantined() where counts(change) {
            disk.begin(nil)
            do {
                try file.submitQuarantined(change.number)
                world.story.note("the app of device \(number) submits again what was refused: \(change.reason)")
            } catch is StoreError {
                continue
            } catch DiskFailure.processOver {
                return crash()
            }
        }
        try fileChanged()
    }
}

/// Why a commit did not come to be.
enum DiskFailure: Error, CustomStringConvertible {
    case full
    /// The process ended in the middle of it.
    case processOver
    case wrong(String)

    var description: String {
        switch self {
        case .full: "The disk is full."
        case .processOver: "The process ended."
        case .wrong(let what): what
        }
    }
}

/// What befalls the commits of a device's file.
///
/// Unchecked: the world is on one thread.
final class DeviceDisk: @unchecked Sendable {
    /// What the file is at; nil for what the app does.
    private(set) var work: Conversation.Action?
    private(set) var hasCommitted = false
    private(set) var isProcessOver = false
    /// What is wrong whatever comes of it.
    private(set) var divergence: Divergence?
    var observed: String?
    private var decide: (Transaction) throws -> Void = { _ in }

    func use(_ decide: @escaping (Transaction) throws -> Void) {
        self.decide = decide
        begin(nil)
    }

    func begin(_ work: Conversation.Action?) {
        self.work = work
        hasCommitted = false
        isProcessOver = false
        observed = nil
    }

    var beforeCommit: @Sendable (Transaction) throws -> Void {
        { [self] transaction in
            do {
                try decide(transaction)
                hasCommitted = true
            } catch DiskFailure.full {
                throw StoreError(.outOfSpace, DiskFailure.full.description, path: "")
            } catch DiskFailure.processOver {
                isProcessOver = true
                throw DiskFailure.processOver
            } catch DiskFailure.wrong(let what) {
                divergence = Divergence(what)
                throw DiskFailure.wrong(what)
            }
        }
    }
}
