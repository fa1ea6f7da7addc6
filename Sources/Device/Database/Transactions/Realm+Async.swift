import CausewayObjectStore
import CausewayStorage

/// Identifies a write that waits for its turn or for the disk. See `Realm.cancelAsyncWrite(_:)`.
///
/// ```swift
/// let id: AsyncTransactionId = realm.writeAsync { dog.age += 1 }
/// try realm.cancelAsyncWrite(id)
/// ```
public typealias AsyncTransactionId = UInt32

extension Realm {
    /// Runs the block in one write transaction, and suspends while it waits for other writers and for the disk.
    ///
    /// ```swift
    /// try await realm.asyncWrite { realm.create(ToDo.self, value: ["name": "Walk the dog"]) }
    /// ```
    ///
    /// For Realms of an actor, the main actor included. Other work on the actor goes on meanwhile.
    ///
    /// - Returns: What the block returns.
    /// - Throws: The block's error, after everything is rolled back; `CancellationError`, at once, when the task is
    ///   cancelled before the block begins; `Realm.Error` when the commit fails.
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

    /// Moves to the newest version and notifies observers.
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

    /// Runs the block in a write transaction later, and commits it. The call does not wait for other writers.
    ///
    /// ```swift
    /// realm.writeAsync({ dog.age += 1 }, onComplete: { error in report(error) })
    /// ```
    ///
    /// For Realms of the main queue, a queue or an actor, and on a thread from within its run loop. Both blocks run
    /// there, and the Realm stays open until then. The block may end the transaction itself, with `commitWrite()`,
    /// `commitAsyncWrite()` or `cancelWrite()`.
    ///
    /// - Parameter onComplete: Called with nil when the changes are on the disk, or with the `Realm.Error` that
    ///   prevented it.
    /// - Returns: An identifier for `cancelAsyncWrite(_:)`.
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

    /// Runs the block in a write transaction later. The call does not wait for other writers.
    ///
    /// ```swift
    /// realm.beginAsyncWrite {
    ///     dog.age += 1
    ///     realm.commitAsyncWrite { error in report(error) }
    /// }
    /// ```
    ///
    /// The block ends the transaction itself. What it has not committed when it returns is rolled back.
    ///
    /// - Returns: An identifier for `cancelAsyncWrite(_:)`.
    @discardableResult
    public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
        instance.enqueueWrite("beginAsyncWrite") { instance, _, begun in
            if case .failure(let error) = begun { misuse("The write transaction could not begin: \(error)") }
            asyncWriteBlock()
            if instance.isInWrite { instance.cancelWrite() }
        }
    }

    /// Commits the write transaction: its changes are visible at once, and durable later.
    ///
    /// ```swift
    /// realm.beginWrite()
    /// dog.age += 1
    /// realm.commitAsyncWrite { error in report(error) }
    /// ```
    ///
    /// Until the callback, a power loss may lose the whole transaction, but never a part of it. The end of the process
    /// loses nothing. A synced Realm waits for the disk in this call: the server must not learn of a transaction that
    /// the device could still lose.
    ///
    /// - Parameters:
    ///   - allowGrouping: Whether one fsync may serve this commit and others that follow within 10 milliseconds.
    ///   - onComplete: Called where the Realm lives: with nil when the changes are on the disk, else with the error.
    /// - Returns: An identifier for `cancelAsyncWrite(_:)`, which then cancels only the callback.
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

    /// Cancels a write whose block has not been called. For a commit under way, it cancels only the callback.
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

    /// The durability of a commit that nobody waits for. A local file is synced to the disk later. The server hears of
    /// the commits of a synced file, so these are durable at once.
    func backgroundDurability(isGrouped: Bool) -> Durability {
        if coordinator.participant != nil { return .durable }
        return .grouped(within: isGrouped ? Self.groupingWindow : .zero)
    }

    /// Calls a body when it is its turn: in a write transaction, or with the error that prevented one.
    fileprivate func enqueueWrite(
        _ name: String, _ body: @escaping (RealmInstance, AsyncTransactionId, Result<Void, any Error>) -> Void
    ) -> AsyncTransactionId {
        checkThread()
        guard confinement.willRunWork else {
            misuse(
                "Cannot schedule async transaction. Make sure you are running from inside a run loop. \(name) needs one, "
                    + "or a Realm of a queue or an actor. Use write(_:) on other threads.")
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
