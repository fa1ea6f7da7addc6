extension Realm {
    /// What to do when an object's primary key exists already.
    ///
    /// ```swift
    /// func save(_ dog: Dog, _ policy: Realm.UpdatePolicy) throws {
    ///     try realm.write { realm.add(dog, update: policy) }
    /// }
    /// try save(rex, .error)       // the first time
    /// try save(rex, .modified)    // from then on
    /// try save(rex, .all)         // what is the same, too
    /// ```
    public enum UpdatePolicy: Int, Sendable {
        /// Stops the program: the object must be new.
        case error = 1
        /// Write the properties that differ.
        case modified = 3
        /// Write every property, changed or not.
        case all = 2
    }

    /// Runs the block in one write transaction. If the block throws, everything is rolled back.
    ///
    /// ```swift
    /// try realm.write {
    ///     dog.age += 1
    ///     realm.add(toy)
    /// }
    /// ```
    ///
    /// The call waits for other writers of the file and moves the Realm to the newest version first. When it returns
    /// the changes are on disk. Opening a second transaction inside the block stops the program.
    ///
    /// - Parameter tokens: Observations that are not notified of this transaction.
    /// - Returns: What the block returns.
    /// - Throws: The block's error; `Realm.Error` when the transaction cannot begin or the commit fails. Everything is
    ///   rolled back.
    /// - Complexity: The block's own, and one durable commit.
    @discardableResult
    public func write<Result>(
        withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
    ) throws -> Result {
        try instance.beginWrite()
        let result: Result
        do {
            result = try block()
        } catch {
            if instance.isInWrite { instance.cancelWrite() }
            throw error
        }
        if instance.isInWrite { try instance.commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Begins a transaction that `commitWrite()` or `cancelWrite()` ends. Prefer `write(_:)`.
    ///
    /// ```swift
    /// realm.beginWrite()
    /// dog.age += 1
    /// if dog.age < 30 { try realm.commitWrite() } else { realm.cancelWrite() }
    /// ```
    ///
    /// A transaction that cannot begin stops the program, where `write(_:)` throws.
    public func beginWrite() {
        do {
            try instance.beginWrite()
        } catch {
            misuse("The write transaction could not begin: \(error)")
        }
    }

    /// Makes everything since `beginWrite()` durable and visible to others.
    ///
    /// ```swift
    /// realm.beginWrite()
    /// dog.age += 1
    /// try realm.commitWrite(withoutNotifying: [token!])
    /// ```
    ///
    /// - Throws: `Realm.Error` when the commit fails. Everything is rolled back.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        try instance.commitWrite(withoutNotifying: tokens)
    }

    /// Undoes everything since `beginWrite()`. Objects added since then are invalid.
    ///
    /// ```swift
    /// realm.beginWrite()
    /// dog.age += 1
    /// realm.cancelWrite()    // as old as before
    /// ```
    public func cancelWrite() {
        instance.cancelWrite()
    }

    /// Whether a write transaction is open on this Realm.
    ///
    /// ```swift
    /// if !realm.isInWriteTransaction { realm.beginWrite() }
    /// ```
    public var isInWriteTransaction: Bool {
        instance.checkThread()
        return instance.isInWrite
    }
}

// MARK: - Moving between versions

extension Realm {
    /// Whether the Realm moves to new commits by itself, where it has a queue, an actor or a run loop. True by default.
    ///
    /// ```swift
    /// realm.autorefresh = false
    /// realm.refresh()    // now, and not before
    /// ```
    public var autorefresh: Bool {
        get { instance.autorefresh && !instance.isFrozen }
        nonmutating set {
            instance.checkThread()
            if newValue, instance.isFrozen { misuse("Auto-refresh cannot be enabled for frozen Realms.") }
            instance.autorefresh = newValue
        }
    }

    /// Moves to the newest version now and notifies observers.
    ///
    /// ```swift
    /// if realm.refresh() { print("There was something new.") }
    /// ```
    ///
    /// On a thread without a run loop, observers are notified only here and when a write transaction begins.
    ///
    /// If another program migrates the file to a newer schema version, this Realm stays at its version: what it shows
    /// remains right, its next write throws `Realm.Error.schemaMismatch`, and the logger gets one message. New classes,
    /// properties and indexes do not affect it.
    ///
    /// - Returns: Whether there was a newer version.
    @discardableResult
    public func refresh() -> Bool {
        instance.refresh()
    }

    /// Releases the snapshot, so that the file need not keep it. Objects and results made so far become invalid.
    ///
    /// ```swift
    /// realm.invalidate()
    /// print(dog.isInvalidated)    // true
    /// ```
    public func invalidate() {
        instance.invalidate()
    }
}
