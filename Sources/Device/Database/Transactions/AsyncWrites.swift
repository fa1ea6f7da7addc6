import CausewayObjectStore
import CausewayStorage

/// The writes of one Realm that wait for their turn, and the commits that are on their way to the disk.
///
/// Everything here happens where the Realm lives; only a `WriteTurnRequest` is touched elsewhere. There is one request
/// at a time, however many writes wait. A blocking `Realm.write(_:)` takes over the turn that was requested. Queueing
/// behind it would deadlock, because the waiting block can only run when this place is free.
final class AsyncWrites {
    private enum Work {
        case block((WriteReservation) -> Void)
        case task(TurnWaiter)
    }

    // Owned by the instance.
    private unowned let instance: RealmInstance
    private var waiting: [(id: AsyncTransactionId, work: Work)] = []
    private var request: WriteTurnRequest?
    private var lastID: AsyncTransactionId = 0
    private var commits: [AsyncTransactionId: (((any Error)?) -> Void)?] = [:]

    init(_ instance: RealmInstance) {
        self.instance = instance
    }

    /// Whether something waits for its turn or for the disk.
    var isBusy: Bool { !waiting.isEmpty || !commits.isEmpty }

    func nextID() -> AsyncTransactionId {
        lastID &+= 1
        return lastID
    }

    // MARK: - Waiting for a turn

    /// Calls the block with a turn to write, later. The block must use it at once.
    func enqueue(_ id: AsyncTransactionId, _ block: @escaping (WriteReservation) -> Void) {
        waiting.append((id, .block(block)))
        askForTurn()
    }

    /// Suspends until it is the caller's turn.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; its place in the queue is given up then.
    func turn(isolation: isolated (any Actor)? = #isolation) async throws -> WriteReservation {
        var wasFirst = false
        while true {
            let waiter = TurnWaiter()
            let entry = (nextID(), Work.task(waiter))
            if wasFirst { waiting.insert(entry, at: 0) } else { waiting.append(entry) }
            askForTurn()
            await waiter.wait()
            if Task.isCancelled {
                waiting.removeAll { $0.id == entry.0 }
                // The turn may have been granted for this task alone: pass it on.
                if request?.isGranted == true { useTurn() }
                throw CancellationError()
            }
            if let reservation = request?.take() {
                turnTaken()
                return reservation
            }
            // A blocking write of this place took the turn in between.
            wasFirst = true
        }
    }

    /// Takes the requested turn for a blocking write; nil when none was requested.
    func takeOver() -> WriteReservation? {
        guard let request else { return nil }
        let reservation = request.waitAndTake()
        turnTaken()
        return reservation
    }

    private func askForTurn() {
        guard request == nil, !waiting.isEmpty else { return }
        let asked = WriteTurnRequest()
        request = asked
        let place = instance.confinement
        // A Realm stays open while it has something to write.
        let instance = Transferred(instance)
        instance.value.coordinator.store.reserveWrite { reservation in
            asked.grant(reservation)
            place.post { instance.value.asyncWrites?.turnCame(asked) }
        }
    }

    private func turnCame(_ granted: WriteTurnRequest) {
        if granted === request { useTurn() }
    }

    private func turnTaken() {
        request = nil
        askForTurn()
    }

    /// Gives the granted turn to the first write that waits, or releases it when none does.
    private func useTurn() {
        while let next = waiting.first {
            waiting.removeFirst()
            switch next.work {
            case .task(let waiter):
                // The task takes the turn when it runs.
                if waiter.resume() { return }
            case .block(let block):
                guard let reservation = request?.take() else { return }
                request = nil
                block(reservation)
                askForTurn()
                return
            }
        }
        _ = request?.take()
        request = nil
    }

    // MARK: - Commits on their way to the disk

    /// Calls back when a version is on the disk, unless that is cancelled.
    func whenDurable(_ version: UInt64, _ id: AsyncTransactionId, _ onComplete: (((any Error)?) -> Void)?) {
        let store = instance.coordinator.store
        let place = instance.confinement
        let fileURL = instance.configuration.fileURL
        let instance = Transferred(instance)
        commits[id] = .some(onComplete)
        Task {
            var failure: Realm.Error?
            do throws(StoreError) {
                try await store.whenDurable(version)
            } catch {
                failure = Realm.Error(error, fileURL: fileURL)
            }
            place.post { [failure] in instance.value.asyncWrites?.commitEnded(id, failure) }
        }
    }

    /// Calls back later with the error of a failed commit.
    func failed(_ error: any Error, _ id: AsyncTransactionId, _ onComplete: (((any Error)?) -> Void)?) {
        commits[id] = .some(onComplete)
        let instance = Transferred(instance)
        instance.value.confinement.post { instance.value.asyncWrites?.commitEnded(id, error) }
    }

    private func commitEnded(_ id: AsyncTransactionId, _ error: (any Error)?) {
        guard let onComplete = commits.removeValue(forKey: id) else { return }
        onComplete?(error)
    }

    // MARK: - Cancelling

    /// Cancels a block that has not begun, or only the callback of a commit.
    func cancel(_ id: AsyncTransactionId) {
        waiting.removeAll { $0.id == id }
        if commits[id] != nil { commits[id] = .some(nil) }
    }
}
