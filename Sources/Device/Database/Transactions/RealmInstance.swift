import CThread
import CausewayModel
import CausewayObjectStore

/// A Realm open at one place: one thread, queue or actor. `Realm` values are handles to it.
///
/// It shows one snapshot of the file and moves to newer ones; the objects, lists and results it gave out move with it.
/// It needs no locks, because everything happens where it is confined to, or never changes: see ``FrozenViews``.
final class RealmInstance {
    let coordinator: FileCoordinator
    let configuration: Realm.Configuration
    let confinement: Confinement
    let declared: DeclaredSchema
    let isFrozen: Bool
    /// In a frozen instance, which several threads may read at once, these replace the transaction and the class
    /// accesses below. Nothing else of a frozen instance changes.
    private let frozenViews: FrozenViews?
    private let frozenClasses: FrozenClasses?
    /// The newest frozen copy, while anybody holds it.
    weak var lastFrozen: RealmInstance?

    private var mailbox: Mailbox?
    /// Nil after `invalidate()`, until the next use.
    @exclusivity(unchecked) private var openTransaction: Transaction?
    private var accesses: [String: _ClassAccess] = [:]
    private var accessesByType: [ObjectIdentifier: _ClassAccess] = [:]
    /// The class used last: loops stay with one.
    @exclusivity(unchecked) private var lastAccess: _ClassAccess?
    @exclusivity(unchecked) var recentQueries = RecentQueries()
    /// Class accesses from before `invalidate()`: objects still point into them, and learn there that they are invalid.
    private var retired: [_ClassAccess] = []

    /// The thread that inlined reads compare with. A queue does not always run on the same one.
    @exclusivity(unchecked) private var inlinedThread: UInt

    /// Incremented with every change that a result might show. Results that see a new number ask what has changed.
    @exclusivity(unchecked) private(set) var contentVersion: UInt = 1
    /// What the file's commits changed.
    let changes: ChangesBetweenVersions
    /// The number of the current write, or of the last one.
    private(set) var writeNumber: UInt = 0
    /// The last write of this instance that was committed.
    private(set) var lastCommit: Commit?

    struct Commit {
        var write: UInt
        var version: UInt64
        var hasDroppedObjects: Bool
    }

    /// How often `invalidate()` was called: results from before stay invalid.
    private(set) var invalidations = 0

    /// Whether newer versions have other classes than those that this Realm was opened with: see `staysBehind`.
    @exclusivity(unchecked) private var isLeftBehind = false

    var autorefresh = true
    @exclusivity(unchecked) var isInWrite = false
    /// Nil until somebody refers to what the open write makes.
    @exclusivity(unchecked) var openWrite: OpenWrite?
    let observers = ObserverRegistry()
    /// Nil until the first write that does not block.
    var asyncWrites: AsyncWrites?
    /// Nil until somebody asks for it.
    var undoLog: UndoLog?
    /// The update policy of the current `add` or `create`, for the objects that it links to.
    @exclusivity(unchecked) var updatePolicy = Realm.UpdatePolicy.error
    /// The nesting depth of the collections in mixed values that are being created.
    @exclusivity(unchecked) var nestedBeingMade = 0
    /// Whether it has handed out a collection in a mixed value, which must learn when it ends.
    @exclusivity(unchecked) private(set) var hasSeenNested = false
    @exclusivity(unchecked) var draft: Draft?
    /// A draft that remembers nothing, for the next object.
    @exclusivity(unchecked) var idleDraft: Draft?

    /// - Parameter isPrivate: Whether only the caller uses it and it learns of no commits, as in a migration.
    init(
        coordinator: FileCoordinator, configuration: Realm.Configuration, confinement: Confinement,
        declared: DeclaredSchema, transaction: Transaction, isFrozen: Bool = false, isPrivate: Bool = false
    ) {
        self.coordinator = coordinator
        self.configuration = configuration
        self.confinement = confinement
        self.declared = declared
        self.isFrozen = isFrozen
        frozenViews = isFrozen ? FrozenViews(transaction) : nil
        frozenClasses = isFrozen ? FrozenClasses() : nil
        changes = ChangesBetweenVersions(coordinator)
        inlinedThread = confinement.inlineThread
        openTransaction = isFrozen ? nil : transaction
        guard !isFrozen, !isPrivate else { return }
        holdClasses(of: transaction)
        let mailbox = Mailbox(self)
        self.mailbox = mailbox
        coordinator.register(mailbox)
    }

    deinit {
        if isInWrite { openTransaction?.abort() }
        openTransaction?.end()
    }

    // MARK: - Checks

    /// A queue's Realm remembers the thread it last ran on. Only its first use on another thread asks the queue.
    func checkThread() {
        if causeway_thread() == inlinedThread { return }
        checkPlace()
    }

    private func checkPlace() {
        guard confinement.isCurrent else { misuse("Realm accessed from incorrect thread.") }
        if confinement.changesThreads {
            // The queue runs on this thread now: its inlined reads compare with it from here on.
            let thread = confinement.inlineThread
            inlinedThread = thread
            for access in accesses.values { access.header.pointee.thread = thread }
        }
    }

    func checkWritable() {
        guard isInWrite else {
            misuse(
                isFrozen
                    ? "Attempting to modify a frozen object - call thaw on the Object instance first."
                    : "Attempting to modify object outside of a write transaction - call beginWriteTransaction on an "
                        + "RLMRealm instance first.")
        }
    }

    var isSynchronised: Bool { configuration.syncSettings != nil }

    /// Deleting an object that others link to leaves its identity behind in a synchronised file: the links may be
    /// other devices' writes, and its key may come back.
    var leavesGhosts: Bool { isSynchronised }

    // MARK: - The snapshot

    var isOpen: Bool { openTransaction != nil }

    var transaction: Transaction {
        if let openTransaction { return openTransaction }
        if let frozenViews { return frozenViews.transaction }
        do {
            let transaction = try coordinator.store.read()
            checkClasses(of: transaction)
            holdClasses(of: transaction)
            isLeftBehind = false
            openTransaction = transaction
            return transaction
        } catch {
            unreadable(error, fileURL: configuration.fileURL)
        }
    }

    /// Another program changed the classes, so this Realm cannot move to newer versions. What is open stays right, and
    /// the next write throws. Logged once, because every commit brings this Realm back here.
    func staysBehind(_ error: StoreError) {
        if isLeftBehind { return }
        isLeftBehind = true
        Logger.shared.log(level: .error, category: Category.Storage.transaction, message: error.description)
    }

    /// Stops the program if the file's classes have changed while no transaction was open here.
    private func checkClasses(of transaction: Transaction) {
        if declared.models.values.allSatisfy(\.isDynamic) { return }
        let comparison = SchemaComparison(file: transaction.schema, declared: declared.stored(for: configuration))
        let problems = comparison.conflicts + comparison.addedProperties
        guard problems.isEmpty else {
            misuse(
                "The classes of the Realm file '\(configuration.path)' were changed by another program:\n"
                    + problems.joined(separator: "\n"))
        }
    }

    /// Marks all declared classes as in use. A class is mapped to its table at its first use, by the names of its
    /// properties. Until then it must stay as it was when it was compared with its declaration.
    private func holdClasses(of transaction: Transaction) {
        for name in declared.models.keys { transaction.hold(name) }
    }

    /// The table of a class of a frozen instance, for the current thread.
    func frozenTable(of model: ObjectModel) -> Table {
        guard let table = frozenViews?.table(of: model) else { misuse(Self.notManaged(model.className)) }
        return table
    }

    /// Releases the snapshot. Objects and results made from it are invalid from now on.
    func invalidate() {
        checkThread()
        // Others may be reading; the snapshot is released when nothing made from it is left.
        if isFrozen { return }
        if isInWrite { cancelWrite() }
        forgetAccesses()
        openTransaction?.end()
        openTransaction = nil
        invalidations += 1
        changed()
        observers.invalidated(self)
    }

    /// Objects made so far are invalid from now on.
    func forgetAccesses() {
        for access in accesses.values {
            access.retire()
            retired.append(access)
        }
        accesses = [:]
        recentQueries = RecentQueries()
        lastAccess = nil
        accessesByType = [:]
    }

    /// Gives the transaction back to whoever began it.
    func releaseTransaction() {
        forgetAccesses()
        openTransaction = nil
        isInWrite = false
    }

    /// Notifies observers, soon.
    func wake() {
        mailbox?.commitArrived()
    }

    // MARK: - Classes

    func access(named name: String) -> _ClassAccess {
        if let access = accesses[name] ?? frozenClasses?[name] { return access }
        if let nested = NestedCollection(className: name) {
            // A frozen instance is never written, so it need not know.
            if !isFrozen { hasSeenNested = true }
            return makeAccess(nested.model)
        }
        guard let model = declared.models[name] else { misuse(Self.notManaged(name)) }
        return makeAccess(model)
    }

    func access(for type: ObjectBase.Type) -> _ClassAccess {
        if isFrozen { return declaredAccess(of: type) }
        if let lastAccess, lastAccess.model.type == type { return lastAccess }
        if let access = accessesByType[ObjectIdentifier(type)] {
            lastAccess = access
            return access
        }
        return declaredAccess(of: type)
    }

    private func declaredAccess(of type: ObjectBase.Type) -> _ClassAccess {
        let name = ObjectModel.className(of: type)
        guard let model = declared.models[name], model.type == type else { misuse(Self.notManaged(name)) }
        return access(named: name)
    }

    private func makeAccess(_ model: ObjectModel) -> _ClassAccess {
        guard let table = transaction.table(model.className) else { misuse(Self.notManaged(model.className)) }
        let access = _ClassAccess(model, table: table, in: self)
        if let frozenClasses { return frozenClasses.add(access, named: model.className) }
        accesses[model.className] = access
        // `DynamicObject` is the type of many classes, and stands for none of them.
        if !model.isDynamic { accessesByType[ObjectIdentifier(model.type)] = access }
        return access
    }

    /// A class by its name, with objects that need no declaration; it may be one that only the file has.
    func dynamicAccess(named name: String) -> _ClassAccess {
        if declared.models[name]?.isDynamic == true { return access(named: name) }
        let place = "dynamic " + name
        if let access = accesses[place] ?? frozenClasses?[place] { return access }
        guard let table = transaction.table(name), table.nestedKind == nil else { misuse(Self.notManaged(name)) }
        let access = _ClassAccess(
            ObjectModel.dynamic(table.schema, declaredAs: declared.models[name]), table: table, in: self)
        if let frozenClasses { return frozenClasses.add(access, named: place) }
        accesses[place] = access
        return access
    }

    /// This instance's access to the class that another instance of the file accesses.
    func counterpart(of other: _ClassAccess) -> _ClassAccess {
        other.model.isDynamic ? dynamicAccess(named: other.model.className) : access(named: other.model.className)
    }

    func isEmbedded(_ className: String) -> Bool {
        (declared.schema[className] ?? transaction.schema[className])?.kind == .embedded
    }

    private static func notManaged(_ name: String) -> String {
        "Object type '\(name)' is not managed by the Realm. If using a custom `objectClasses` / `objectTypes` array in "
            + "your configuration, add `\(name)` to the list of `objectClasses` / `objectTypes`."
    }

    // MARK: - What has changed

    func writeBegan() {
        isInWrite = true
        writeNumber += 1
    }

    func committed(_ version: UInt64, droppingObjects: Bool) {
        endOpenWrite(.committed)
        lastCommit = Commit(write: writeNumber, version: version, hasDroppedObjects: droppingObjects)
    }

    func contentChanged() {
        contentVersion &+= 1
    }

    func rowsDeleted() {
        contentChanged()
        for access in accesses.values { access.snapshotChanged() }
    }

    /// The snapshot moved: everything may be different.
    func changed() {
        contentChanged()
        for access in accesses.values { access.transactionEnded() }
    }

    func undone() {
        endOpenWrite(.undone)
        contentChanged()
        for access in accesses.values { access.transactionAborted() }
    }
}
