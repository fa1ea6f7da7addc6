import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

/// The changeset of one transaction while it is put together.
///
/// Creates come first and deletes last, so that nothing names an object before it lives or after it ended. Only an
/// object that comes back in the same transaction is deleted first.
struct Recording {
    let transaction: Transaction
    let trees: Trees
    let links: Links
    let stamp: Stamp
    var state: ReplicaState
    /// The creates in columns. They come before everything else, so there are none in a transaction that deletes.
    var creations: [CreationRun] = []
    var mayCreateInColumns = false
    var creates: [Operation] = []
    var changes: [Operation] = []
    var deletes: [Operation] = []
    var oneWay: [Operation] = []
    /// The embedded objects inside of the transaction's one-way objects, which leave and end with them.
    var oneWayParts: [String: Set<ObjectKey>] = [:]
    var touched = TouchedBy()
    /// Objects that were here before and have changed, with the last logged changeset about each; zero if there is
    /// none.
    var previous: [ObjectReference: UInt64] = [:]
    /// Those of them that had left the view; for each run of the server, the oldest version up to which one was seen.
    var lastSeen: [Changeset.LastSeen] = []
    let hasLeft: Bool
    /// The newest commit, on which this transaction is based: the changed objects as they were before.
    var before: Transaction?
    /// Whether new objects can have past lives or bases. Not in a first import, where searching for them would cost
    /// more than the rest.
    var remembersObjects: Bool

    init(_ transaction: Transaction, state: ReplicaState, _ work: LogWork, _ knownRuns: KnownRuns) {
        self.transaction = transaction
        self.state = state
        stamp = Stamp(time: state.clockTime, client: state.client)
        trees = Trees(transaction, work, knownRuns)
        links = Links(transaction)
        remembersObjects = trees.remembersObjects
        hasLeft = !trees.left.isEmpty
    }

    mutating func add(_ record: ChangeRecord) throws(StoreError) {
        mayCreateInColumns = !remembersObjects && record.classes.values.allSatisfy(\.deleted.isEmpty)
        // Embedded objects first: they live before the link to them is set.
        let tables = record.classes.keys.compactMap { transaction.table($0) }
            .sorted { ($0.schema.kind == .embedded ? 0 : 1, $0.name) < ($1.schema.kind == .embedded ? 0 : 1, $1.name) }
        for table in tables where table.schema.kind == .asymmetric {
            for key in record.classes[table.name]?.inserted ?? [] { addOneWayParts(of: key, table) }
        }
        for table in tables {
            guard let classChanges = record.classes[table.name] else { continue }
            switch table.schema.kind {
            case .asymmetric:
                try addOneWay(table, classChanges)
            case .object, .embedded:
                try addDeleted(table, classChanges)
                try addInserted(table, classChanges)
                try addModified(table, classChanges)
                try addListEdits(table, classChanges)
                try addTextEdits(table, classChanges)
                try addKeyedChanges(table, classChanges)
            }
        }
        before?.end()
        before = nil
    }

    /// What the transaction is based on, opened when it is first needed.
    mutating func lastCommit() throws(StoreError) -> Transaction {
        if let before { return before }
        let opened = try transaction.store.read()
        before = opened
        return opened
    }

    /// Adds an operation that was logged before. A create begins the life after one that has ended since. A delete of an
    /// earlier life than the object lives has no effect here and is left out: on a server that has joined the later
    /// life into the earlier one (F4), it would end what was made since.
    mutating func addAgain(_ operation: Operation) throws(StoreError) {
        let object = operation.target
        if case .delete(_, let end) = operation, let life = try livingLife(object), life > end { return }
        if let table = transaction.table(object.className), let key = table.key(for: object.key) {
            try keepBase(object, table, key)
        } else if previous[object] == nil {
            let sequence = state.lastSequence + 1
            if let earlier = try trees.continueBase(object, with: sequence) {
                previous[object] = earlier
            } else {
                let past = ObjectState(life: try trees.pastLife(object))
                trees.save(BaseCopy(state: past, lastSequence: sequence), object)
                let log = LoggedOperations(transaction, trees, state, acknowledged: state.acknowledged)
                try begin(object, behind: log.creator(of: object))
            }
        }
        guard case .create(_, let life, let fields) = operation, let base = try trees.storedBase(object)?.state,
            base.life >= life
        else { return changes.append(operation) }
        changes.append(.create(object, life: base.isAlive ? base.life : base.life + 1, fields: fields))
    }

    /// The life that an object lives here, or out of view as far as is remembered; nil if it has ended or is unknown.
    private func livingLife(_ object: ObjectReference) throws(StoreError) -> UInt32? {
        let isHere = transaction.table(object.className)?.key(for: object.key) != nil
        let life = try trees.life(object) ?? (isHere ? 1 : 0)
        return life % 2 == 1 ? life : nil
    }

    mutating func finish() {
        let (returning, gone) = partedDeletes()
        let operations = returning + creates + changes + gone
        if !operations.isEmpty || !creations.isEmpty {
            state.lastSequence += 1
            state.baseRuns.note(state.incarnation, from: state.lastSequence)
            touched.others = previous.map { TouchedBy.Change(object: $0, previous: $1) }
                .sorted { ($0.object.className, $0.object.key) < ($1.object.className, $1.object.key) }
            touched.elementCounter = state.elementCounter
            touched.version = transaction.version + 1
            for rows in touched.fresh { trees.fresh.add(rows, by: state.lastSequence) }
            let key = Trees.key(state.lastSequence)
            trees.log.put(
                key,
                Changeset.encode([
                    Changeset(
                        client: state.client, sequence: state.lastSequence, stamp: stamp, base: state.version,
                        lastSeen: lastSeen, creations: creations, operations: operations)
                ]))
            trees.touched.put(key, touched.encoded())
        }
        if !oneWay.isEmpty { trees.appendOneWay(oneWay, stamp: stamp, to: &state) }
        trees.save(state)
    }

    /// An object that ended and came back ends before it is created again; the others end last.
    private func partedDeletes() -> (returning: [Operation], gone: [Operation]) {
        if deletes.isEmpty { return ([], []) }
        let ended = Set(deletes.map(\.target))
        let returned = Set(creates.lazy.map(\.target).filter { ended.contains($0) })
        return (deletes.filter { returned.contains($0.target) }, deletes.filter { !returned.contains($0.target) })
    }

    func reference(_ table: Table, _ key: ObjectKey) throws(StoreError) -> ObjectReference {
        guard let primaryKey = table.primaryKey(of: key) else {
            throw StoreError(
                .invalidValue,
                "Class '\(table.name)' cannot be synced: its objects have no primary key. Give it one with "
                    + "@Persisted(primaryKey: true).",
                path: transaction.store.path)
        }
        return ObjectReference(table.name, primaryKey)
    }
}
