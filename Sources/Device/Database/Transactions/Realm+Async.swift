import CausewayObjectStore
import CausewayStorage

/// Names a write that waits for its turn or for the disk, to cancel it. See `Realm.cancelAsyncWrite(_:)`.
///
/// ```swift
/// let id: AsyncTransactionId = realm.writeAsync { dog.age += 1 }
/// try realm.cancelAsyncWrite(id)
/// ```
public typealias AsyncTransactionId = UInt32

extension Realm {
    /// Does what the block does in one transaction, suspended while it waits for other writers and for the disk.
    ///
    /// ```swift
    /// try await realm.asyncWrite { realm.create(ToDo.self, value: ["name": "Walk the dog"]) }
    /// ```
    ///
    /// For Realms of an actor, the main actor included. Others on the actor go on while it waits.
    ///
    /// - Returns: What the block returns.
    /// - Throws: The block's error after undoing everything; `CancellationError` when the task is cancelled before the
    ///   block began, however long it would have waited; `Realm.Error` when the commit fails.
    @discardableResult
    public func asyncWrite<Result>(
        _isolation: isolated (any Actor)? = #isolation, _ block: () throws -> Result
    ) async throws -> Result {
        instance.checkThread()
        if instance.isInWrite { misuse("The Realm is already in a write transaction") }
        guard instance.confinement.hasScheduler else {
            misuse("asyncWrite needs a Realm of an actor or a queue. Use write(_:) on a thread's Realm.")
        }
        instance.checkWritesAllowed()
        try Task.checkCancellation()
        let reservation = try await instance.waitingWrites.turn()
        try instance.beginWrite(using: reservation)
        let result: Result
        do {
            result = try block()
        } catch {
            if instance.isInWrite { instance.cancelWrite() }
            throw error
        }
        guard instance.isInWrite else { return result }
        let version = try instance.commitWrite(instance.backgroundDurability(isGrouped: false))
        do {
            try await instance.coordinator.store.whenDurable(version)
        } catch {
            throw Error(error, fileURL: configuration.fileURL)
        }
        return result
    }

    /// Moves to the newest version and delivers what observers are owed.
    ///
    /// ```swift
    /// await realm.asyncRefresh()
    /// ```
    ///
    /// - Returns: Whether there was a newer version.
    @discardableResult
    public func asyncRefresh(_isolation: isolated (any Actor)? = #isolation) async -> Bool {
        instance.refresh()
    }

    // MARK: - With callbacks

    /// Calls the block in a write transaction soon, without waiting for other writers here, and commits it.
    ///
    /// ```swift
    /// realm.writeAsync({ dog.age += 1 }, onComplete: { error in report(error) })
    /// ```
    ///
    /// For Realms of the main queue, a queue or an actor, and on a thread from within its run loop. Both blocks run there,
    /// and the Realm stays open until then. The block may end the transaction itself, with `commitWrite()`,
    /// `commitAsyncWrite()` or `cancelWrite()`.
    ///
    /// - Parameter onComplete: Called when the changes are on the disk, or with the reason why not: a `Realm.Error`.
    /// - Returns: A name for `cancelAsyncWrite(_:)`.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        instance.enqueueWrite("writeAsync") { instance, id, begun in
            guard case .success = begun else {
                if case .failure(let error) = begun { onComplete?(error) }
                return
            }
            block()
            if instance.isInWrite {
                instance.commitInBackground(id, isGrouped: false, onComplete)
            } else {
                onComplete?(nil)
            }
        }
    }

    /// Calls the block in a write transaction soon, without waiting for other writers here.
    ///
    /// ```swift
    /// realm.beginAsyncWrite {
    ///     dog.age += 1
    ///     realm.commitAsyncWrite { error in report(error) }
    /// }
    /// ```
    ///
    /// The block ends the transaction itself. What it does not commit is undone when it returns.
    ///
    /// - Returns: A name for `cancelAsyncWrite(_:)`.
    @discardableResult
    public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
        instance.enqueueWrite("beginAsyncWrite") { instance, _, begun in
            if case .failure(let error) = begun { misuse("The write transaction could not begin: \(error)") }
            asyncWriteBlock()
            if instance.isInWrite { instance.cancelWrite() }
        }
    }

    /// Makes everything since the transaction began visible at once, and durable without waiting for the disk here.
    ///
    /// ```swift
    /// realm.beginWrite()
    /// dog.age += 1
    /// realm.commitAsyncWrite { error in report(error) }
    /// ```
    ///
    /// Until the block was called, a machine that loses its power may lose the transaction, never a part of it; a process
    /// that ends does not. A synced Realm waits for the disk here all the same: the server must not hear of a transaction
    /// that the device could forget.
    ///
    /// - Parameters:
    ///   - allowGrouping: Whether the disk may be asked once for this commit and others that follow within a few
    ///     milliseconds.
    ///   - onComplete: Called where the Realm lives, when the changes are on the disk or with the reason why not.
    /// - Returns: A name for `cancelAsyncWrite(_:)`, which then only forgets the block.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        instance.checkThread()
        guard instance.isInWrite else { misuse("Can't commit a non-existing write transaction") }
        let id = instance.waitingWrites.nextID()
        instance.commitInBackground(id, isGrouped: allowGrouping, onComplete)
        return id
    }

    /// Cancels a write whose block has not been called; of a commit that is on its way, only the call of its block.
    ///
    /// ```swift
    /// let id = realm.writeAsync { dog.age += 1 }
    /// try realm.cancelAsyncWrite(id)
    /// ```
    ///
    /// - Throws: Nothing today; apps that were written for RealmSwift have a `try` here.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        instance.checkThread()
        instance.asyncWrites?.cancel(asyncTransactionId)
    }

    /// Whether writes wait for their turn, or commits for the disk.
    ///
    /// ```swift
    /// if realm.isPerformingAsynchronousWriteOperations { log("Please wait until everything is saved.") }
    /// ```
    public var isPerformingAsynchronousWriteOperations: Bool {
        instance.checkThread()
        return instance.asyncWrites?.isBusy ?? false
    }
}

extension RealmInstance {
    /// How long a commit that may be grouped waits for others.
    private static let groupingWindow = Duration.milliseconds(10)

    var waitingWrites: AsyncWrites {
        if let asyncWrites { return asyncWrites }
        let writes = AsyncWrites(self)
        asyncWrites = writes
        return writes
    }

    /// When a commit counts as done that nobody waits for: at once, and on the disk later. The server hears of the commits
    /// of a synced file, so they are on the disk before anything else.
    func backgroundDurability(isGrouped: Bool) -> Durability {
        if coordinator.participant != nil { return .durable }
        return .grouped(within: isGrouped ? Self.groupingWindow : .zero)
    }

    /// Calls a body in a write transaction, or with the reason why there is none, when it is its turn.
    fileprivate func enqueueWrite(
        _ name: String, _ body: @escaping (RealmInstance, AsyncTransactionId, Result<Void, any Error>) -> Void
    ) -> AsyncTransactionId {
        checkThread()
        guard confinement.willRunWork else {
            misuse(
                "\(name) needs a Realm of a queue or an actor, or to be called from within a run loop. Use write(_:) on "
                    + "other threads.")
        }
        checkWritesAllowed()
        let id = waitingWrites.nextID()
        waitingWrites.enqueue(id) { [unowned self] turn in
            body(self, id, Result { try beginWrite(using: turn) })
        }
        return id
    }

    fileprivate func commitInBackground(
        _ id: AsyncTransactionId, isGrouped: Bool, _ onComplete: (((any Error)?) -> Void)?
    ) {
        do {
            waitingWrites.whenDurable(try commitWrite(backgroundDurability(isGrouped: isGrouped)), id, onComplete)
        } catch {
            waitingWrites.failed(error, id, onComplete)
        }
    }
}
