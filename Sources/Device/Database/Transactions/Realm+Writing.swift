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
        /// Stop: the object must be new.
        case error = 1
        /// Write the properties that differ.
        case modified = 3
        /// Write every property, changed or not.
        case all = 2
    }

    /// Does what the block does in one transaction: all of it, or nothing when the block throws.
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
    /// - Parameter tokens: Observations that are not told of this transaction.
    /// - Returns: What the block returns.
    /// - Throws: The block's error after undoing everything; `Realm.Error` when the commit fails, with the same effect.
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
    /// - Throws: `Realm.Error` when the commit fails; then everything is undone.
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
    /// Whether the Realm follows commits of others by itself where it has a queue or an actor to do so. True at first.
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

    /// Moves to the newest version now and delivers what observers are owed.
    ///
    /// ```swift
    /// if realm.refresh() { print("There was something new.") }
    /// ```
    ///
    /// A thread without a queue gets notifications here and at the start of its write transactions.
    ///
    /// A Realm whose classes another program has changed, by a migration to a newer schema version, stays at its version:
    /// what it shows remains right, its next write throws `Realm.Error.schemaMismatch`, and the logger gets one message.
    /// New classes, properties and indexes change nothing for it.
    ///
    /// - Returns: Whether there was a newer version.
    @discardableResult
    public func refresh() -> Bool {
        instance.refresh()
    }

    /// Lets go of the snapshot, so that the file need not keep it. Objects and results made so far are invalid.
    ///
    /// ```swift
    /// realm.invalidate()
    /// print(dog.isInvalidated)    // true
    /// ```
    public func invalidate() {
        instance.invalidate()
    }
}
