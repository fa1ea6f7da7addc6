import CausewayObjectStore
import CausewayStorage

extension Realm {
    /// Does what the block does in one transaction, suspended while it waits for other writers.
    ///
    /// ```swift
    /// try await realm.asyncWrite { realm.create(Todo.self, value: ["name": name]) }
    /// ```
    ///
    /// For Realms of an actor, the main actor included.
    ///
    /// - Returns: What the block returns.
    /// - Throws: The block's error after undoing everything; `CancellationError` when the task is cancelled before the
    ///   block began; `Realm.Error` when the commit fails.
    @discardableResult
    public func asyncWrite<Result>(
        _isolation: isolated (any Actor)? = #isolation, _ block: () throws -> Result
    ) async throws -> Result {
        instance.checkThread()
        if instance.isInWrite { misuse("The Realm is already in a write transaction") }
        guard instance.confinement.hasScheduler else {
            misuse("asyncWrite needs a Realm of an actor or a queue. Use write(_:) on a thread's Realm.")
        }
        try Task.checkCancellation()
        let store = instance.coordinator.store
        let reservation: WriteReservation = await withCheckedContinuation { continuation in
            store.reserveWrite { continuation.resume(returning: $0) }
        }
        // A reservation that is dropped lets the next writer go ahead.
        try Task.checkCancellation()
        try instance.beginWrite(using: reservation)
        let result: Result
        do {
            result = try block()
        } catch {
            if instance.isInWrite { instance.cancelWrite() }
            throw error
        }
        if instance.isInWrite { try instance.commitWrite() }
        return result
    }

    /// Moves to the newest version and delivers what observers are owed.
    ///
    /// - Returns: Whether there was a newer version.
    @discardableResult
    public func asyncRefresh(_isolation: isolated (any Actor)? = #isolation) async -> Bool {
        instance.refresh()
    }

    /// Calls the block in a write transaction soon, without waiting for other writers here.
    ///
    /// ```swift
    /// realm.writeAsync({ dog.age += 1 }, onComplete: { error in … })
    /// ```
    ///
    /// For Realms of the main queue, a queue or an actor; both blocks run there.
    public func writeAsync(_ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil) {
        instance.checkThread()
        let confinement = instance.confinement
        guard confinement.hasScheduler else {
            misuse("writeAsync needs a Realm of a queue or an actor. Use write(_:) on a thread's Realm.")
        }
        let pending = PendingWrite(instance, block, onComplete)
        instance.coordinator.store.reserveWrite { reservation in
            confinement.post { pending.run(using: reservation) }
        }
    }
}

/// A write block that waits for its turn.
///
/// Unchecked: made and run where the instance is confined to; in between it is only carried.
private final class PendingWrite: @unchecked Sendable {
    private let instance: RealmInstance
    private let block: () -> Void
    private let onComplete: (((any Error)?) -> Void)?

    init(_ instance: RealmInstance, _ block: @escaping () -> Void, _ onComplete: (((any Error)?) -> Void)?) {
        self.instance = instance
        self.block = block
        self.onComplete = onComplete
    }

    func run(using reservation: WriteReservation) {
        do {
            try instance.beginWrite(using: reservation)
            block()
            if instance.isInWrite { try instance.commitWrite() }
        } catch {
            onComplete?(error)
            return
        }
        onComplete?(nil)
    }
}
