import CausewayObjectStore

/// What an app wrote to a Realm, to be undone and redone.
///
/// ```swift
/// realm.undo.isRecording = true
/// try realm.write {
///     dog.name = "Rex"
///     realm.undo.actionName = "Rename Dog"
/// }
/// try realm.undo.undo()    // the old name again
/// try realm.undo.redo()    // Rex
/// ```
///
/// Each write transaction of this Realm is one step; ``group(named:_:)`` makes one of several. What other threads,
/// processes and devices write is never undone, and neither is what this Realm writes while it does not record. Undo takes
/// back only what nobody has changed since:
///
/// - A property gets its old value only if nobody else has set it since.
/// - An element that was added to a list is removed wherever it is now, and one that was removed comes back where it was.
///   Text works the same way. Places are followed through everybody's recorded edits; contents are never compared.
/// - A set and a map are undone element by element and key by key, and a counter by the opposite amount.
/// - An object that was created is deleted, unless others have changed it or link to it. One that was deleted is created
///   again with its values, and links lead to it again.
///
/// Undo and redo are ordinary write transactions: they sync, and observers are notified of them. The history is kept in
/// memory, with the Realm. All values of ``Realm`` at one place share one.
public struct UndoHistory {
    let instance: RealmInstance

    /// How many steps are kept unless ``limit`` says otherwise.
    ///
    /// ```swift
    /// realm.undo.limit = UndoHistory.defaultLimit * 2
    /// ```
    public static let defaultLimit = 100

    /// The most objects that one step can create, change and delete together. A step that changes more cannot be undone:
    /// ``undo()`` throws, and goes on with the step before when it is called again.
    ///
    /// ```swift
    /// // An import of so many rows cannot be undone, so nothing of it is remembered.
    /// let imported = realm.objects(Dog.self).count
    /// realm.undo.isRecording = imported <= UndoHistory.rowsMax
    /// ```
    public static let rowsMax = 100_000

    /// The memory, roughly, that a history may take. The oldest steps are forgotten first. A single step that replaces or
    /// deletes more cannot be undone.
    ///
    /// ```swift
    /// print("at most \(UndoHistory.bytesMax >> 20) MB")
    /// ```
    public static let bytesMax = 64 << 20

    private var log: UndoLog {
        instance.checkThread()
        if let log = instance.undoLog { return log }
        if instance.isFrozen { misuse("A frozen Realm has no undo history: nothing is written to it.") }
        if instance.configuration.readOnly {
            misuse("A read-only Realm has no undo history: nothing is written to it.")
        }
        let log = UndoLog()
        instance.undoLog = log
        return log
    }

    /// Whether write transactions are recorded. False at first, and then writes cost nothing more than without undo.
    ///
    /// ```swift
    /// realm.undo.isRecording = true
    /// ```
    ///
    /// Set it to false for writes that the user should not undo, such as an import. Earlier steps are kept, and these
    /// writes count as those of others. It counts when a transaction commits. Migrations are never recorded, and frozen and
    /// read-only Realms have no history.
    ///
    /// From the first time on, commits to this file also note where they edit lists and texts, in all processes, until all
    /// of them have closed the file.
    ///
    /// - Complexity: Recording a write costs O(edits), with the values that they replaced. Where a list or text was edited
    ///   in many places since the oldest step, each edit also searches them.
    public var isRecording: Bool {
        get { log.isRecording }
        nonmutating set {
            if newValue { instance.coordinator.store.tellPlaces() }
            log.isRecording = newValue
        }
    }

    /// The most steps that are kept. The oldest are forgotten first.
    ///
    /// ```swift
    /// realm.undo.limit = 20
    /// ```
    public var limit: Int {
        get { log.limit }
        nonmutating set {
            if newValue < 1 { misuse("The limit of an undo history is at least 1, not \(newValue).") }
            log.limit = newValue
        }
    }

    /// The name of the step that the open or the next write transaction makes. A write that is rolled back takes its name
    /// along.
    ///
    /// ```swift
    /// try realm.write {
    ///     dog.age += 1
    ///     realm.undo.actionName = "Birthday"
    /// }
    /// print(realm.undo.undoActionName ?? "")    // Birthday
    /// ```
    public var actionName: String? {
        get { log.nextName }
        nonmutating set { log.nextName = newValue }
    }

    /// Whether there is a step to undo.
    ///
    /// ```swift
    /// if realm.undo.canUndo { try realm.undo.undo() }
    /// ```
    public var canUndo: Bool { !log.undoable.isEmpty }

    /// Whether there is a step to redo. A new write of the app forgets the steps that could be redone.
    ///
    /// ```swift
    /// if realm.undo.canRedo { try realm.undo.redo() }
    /// ```
    public var canRedo: Bool { !log.redoable.isEmpty }

    /// The name of the step that ``undo()`` would undo; nil if it has none.
    ///
    /// ```swift
    /// print("Undo \(realm.undo.undoActionName ?? "")")
    /// ```
    public var undoActionName: String? { log.undoable.last?.name }

    /// The name of the step that ``redo()`` would redo; nil if it has none.
    ///
    /// ```swift
    /// print("Redo \(realm.undo.redoActionName ?? "")")
    /// ```
    public var redoActionName: String? { log.redoable.last?.name }

    /// How many steps can be undone.
    ///
    /// ```swift
    /// print("\(realm.undo.undoCount) of \(realm.undo.limit) steps")
    /// ```
    public var undoCount: Int { log.undoable.count }

    /// How many steps can be redone.
    ///
    /// ```swift
    /// print(realm.undo.redoCount)
    /// ```
    public var redoCount: Int { log.redoable.count }

    /// Undoes the newest step, in a write transaction.
    ///
    /// ```swift
    /// try realm.undo.undo()
    /// ```
    ///
    /// - Returns: Whether anything was changed. False if there is no step, or if others have changed everything since that
    ///   it wrote.
    /// - Throws: `Realm.Error`, and nothing is changed.
    ///   - The transaction cannot begin, or the commit fails. The step is kept.
    ///   - Code `fail` while a write or a group is open. The step is kept.
    ///   - Code `fail` for a step that cannot be taken back: its write was too large, or others' edits could not be
    ///     followed. The step is dropped.
    @discardableResult
    public func undo() throws -> Bool {
        try log.takeBack(.undo, in: instance)
    }

    /// Does again what ``undo()`` took back, in a write transaction.
    ///
    /// ```swift
    /// try realm.undo.undo()
    /// try realm.undo.redo()
    /// ```
    ///
    /// - Returns: Whether anything was changed.
    /// - Throws: As ``undo()``.
    @discardableResult
    public func redo() throws -> Bool {
        try log.takeBack(.redo, in: instance)
    }

    /// Makes one step of all write transactions in the block.
    ///
    /// ```swift
    /// try realm.undo.group(named: "Sort Dogs") {
    ///     for dog in dogs { try realm.write { dog.age += 1 } }
    /// }
    /// ```
    ///
    /// A group inside a group belongs to the outer one. If the block throws, what was committed by then is the step.
    public func group<Result>(named name: String? = nil, _ block: () throws -> Result) rethrows -> Result {
        let log = log
        if log.group != nil { return try block() }
        log.beginGroup(name)
        defer { log.endGroup() }
        return try block()
    }

    /// Forgets all steps.
    ///
    /// ```swift
    /// realm.undo.removeAll()
    /// ```
    public func removeAll() { log.removeAll() }
}

extension Realm {
    /// What this Realm's writes did, to be undone and redone. Off until ``UndoHistory/isRecording`` is set.
    ///
    /// ```swift
    /// realm.undo.isRecording = true
    /// ```
    public var undo: UndoHistory { UndoHistory(instance: instance) }
}
