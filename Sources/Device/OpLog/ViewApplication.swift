package import CausewayMerge
package import CausewayModel
package import CausewayObjectStore
package import CausewayOperations

// MARK: - What the server sent

extension Replica {
    /// Begins to apply one view change in a writable transaction; it commits with the transaction or not at all.
    ///
    /// - Parameters:
    ///   - acknowledged: the last changeset of this device that the change includes.
    ///   - now: the device's wall clock in milliseconds since 1970, for kept changesets and the quarantine.
    ///   - isTold: whether the change says what came of the acknowledged changesets.
    package func beginApplying(
        acknowledged: UInt64, in transaction: Transaction, now: UInt64 = 0, keeping limits: KeptLimits = .standard,
        isTold: Bool = true
    ) throws(StoreError) -> ViewApplication {
        try ViewApplication(
            transaction, state: try state(in: transaction), work, knownRuns, acknowledged: acknowledged, now: now,
            limits, isTold: isTold)
    }

    /// Whether a change acknowledges a changeset under this client's name that another copy of the file made. Applying
    /// it would drop this file's changeset of that number, which is not on the server.
    ///
    /// - Parameter opening: the opening that made the changeset, as the server says; zero if it does not.
    package func isOfCopy(acknowledged: UInt64, by opening: UInt64, in transaction: Transaction) throws(StoreError)
        -> Bool
    {
        guard opening != 0 else { return false }
        let state = try state(in: transaction)
        guard acknowledged > state.acknowledged else { return false }
        let own = Trees(transaction).opening(of: acknowledged, in: .changesets, state.openings)
        return acknowledged > state.lastSequence || (own ?? opening) != opening
    }
}

/// Applies one view change to the file.
///
/// A refused operation is not joined: the object becomes what the server has, and the operation goes to the quarantine
/// [I7].
///
/// An object without a base is written straight into its columns. If there is a base [I4], the acknowledged operations
/// are joined into it, and the server's state replaces what it names. Then the pending operations are joined onto a
/// copy, and the app sees that copy.
package final class ViewApplication {
    private let transaction: Transaction
    private let trees: Trees
    private let rows: RowWriter
    private var state: ReplicaState
    /// The last changeset of this device that the change includes, and at most the last one logged.
    package let acknowledged: UInt64
    private let now: UInt64
    private let limits: KeptLimits
    private let isTold: Bool
    /// The refusals, by changeset and place in it.
    private var refused: [UInt64: [UInt64: OperationRefusal]] = [:]
    /// What went to the quarantine with this change, once it has ended.
    package private(set) var quarantined: [QuarantinedChange] = []
    /// The logged operations about objects that need them.
    private let log: LoggedOperations
    /// The version of the file that the last acknowledged changeset made; zero if nobody noted it.
    private var acknowledgedVersion: UInt64 = 0
    /// Objects whose bases this change has brought up to date.
    private var settled: Set<ObjectReference> = []
    /// Objects whose lives began earlier than their bases said: operations that were hidden may show now.
    private var movedBack: Set<ObjectReference> = []
    /// Whether any object stays that has left the view.
    private var hasLeft: Bool
    /// Embedded objects that were written and may have nothing that holds them.
    private var suspects: Set<ObjectReference> = []

    init(
        _ transaction: Transaction, state: ReplicaState, _ work: LogWork, _ knownRuns: KnownRuns, acknowledged: UInt64,
        now: UInt64 = 0, _ limits: KeptLimits = .standard, isTold: Bool = true
    ) throws(StoreError) {
        self.isTold = isTold
        self.now = now
        self.limits = limits
        self.transaction = transaction
        self.state = state
        self.acknowledged = min(max(acknowledged, state.acknowledged), state.lastSequence)
        trees = Trees(transaction, work, knownRuns)
        rows = RowWriter(transaction, knownRuns)
        hasLeft = !trees.left.isEmpty
        log = LoggedOperations(transaction, trees, state, acknowledged: self.acknowledged)
    }

    // MARK: - What the server refused

    /// Notes operations that the server refused. Call it before anything else of the change.
    package func refuse(_ operations: [OperationRefusal]) {
        for operation in operations
        where operation.sequence > state.acknowledged && operation.sequence <= acknowledged {
            refused[operation.sequence, default: [:]][operation.operation] = operation
        }
    }

    /// Shows objects as their bases and the log say.
    func showAgain(_ objects: Set<ObjectReference>) throws(StoreError) {
        for object in objects.sorted(by: { ($0.className, $0.key) < ($1.className, $1.key) }) {
            guard let base = try base(of: object) else { continue }
            try settle(object, base: base.state, lastSequence: base.lastSequence)
        }
        evictUnheld()
    }

    // MARK: - The four ways a view changes

    /// An object comes into view, with its whole state.
    package func enter(_ object: ObjectReference, _ entered: ObjectState) throws(StoreError) {
        observe(entered)
        returned(object)
        guard let base = try base(of: object) else {
            suspect(object)
            try rows.replace(object, by: entered)
            return
        }
        try settle(object, base: entered, lastSequence: base.lastSequence, areAllPartsTold: true)
    }

    /// Many objects come into view.
    package func enter(_ run: ObjectRun) throws(StoreError) {
        state.clockTime = max(state.clockTime, run.latestStamp.time)
        // Where nothing is logged nothing has a base.
        if !isLogged, try rows.insert(run) { return }
        for (object, entered) in run.objects { try enter(object, entered) }
    }

    /// An object in view has changed: the properties that did, with their values now, and what happened to lists, sets,
    /// maps and texts that are not among these.
    ///
    /// - Throws: `UnfittingChange` when what happened does not fit what is here; then nothing of the transaction may
    ///   stay. `StoreError` as other calls do.
    package func update(_ object: ObjectReference, _ change: ObjectState, _ edits: [PartChange] = []) throws {
        observe(change)
        for edit in edits { state.clockTime = max(state.clockTime, edit.edits.latestStamp.time) }
        returned(object)
        guard let base = try base(of: object) else {
            try rows.follow(object, edits)
            try rows.update(object, change)
            return
        }
        var updated = base.state
        updated.overlay(change)
        for edit in edits where rows.column(of: edit, in: object.className) != nil {
            guard base.state.life == change.life, updated.follow(edit) else {
                throw UnfittingChange(object: object, property: edit.property)
            }
        }
        try settle(object, base: updated, lastSequence: base.lastSequence)
    }

    /// An object leaves the view. It lives on elsewhere; with pending operations it stays until the server has them.
    package func leave(_ object: ObjectReference) throws(StoreError) {
        let base = try base(of: object)
        if let base, base.lastSequence > acknowledged {
            // A changeset that was set aside is empty, and the server would not send the object again.
            let pending = try log.pending(about: object, through: base.lastSequence)
            if !pending.isEmpty {
                // A pending create makes the object anew on a server that has lost it, and nobody tells its author the
                // result. A server that has it out of view sends it whole when the create has brought it back.
                let isCreated = pending.contains { if case .create = $0.operation { true } else { false } }
                let state = isCreated ? ObjectState() : base.state
                // Before the first view, and where the server has lost its past, that is version zero: nothing was seen.
                if state.isAlive {
                    trees.noteLeft(object, seen: self.state.version, of: self.state.incarnation)
                    hasLeft = true
                }
                try settle(object, base: state, lastSequence: base.lastSequence, areAllPartsTold: true)
                return
            }
        }
        rows.evict(object)
        // The life of the base counts, whatever this device believed: an object whose end was refused lives, and a
        // refused create has begun no life.
        if let base { trees.save(life: base.state.life, object) }
        trees.removeBase(object)
        settled.insert(object)
    }

    /// An object has ended, for everyone.
    package func delete(_ object: ObjectReference, life: UInt32) throws(StoreError) {
        returned(object)
        guard let base = try base(of: object) else {
            rows.evict(object)
            trees.save(life: life, object)
            return
        }
        try settle(object, base: ObjectState(life: life), lastSequence: base.lastSequence)
    }

    /// Notes that the server tells of the object again. An embedded object is told of by its holder, or not at all.
    private func returned(_ object: ObjectReference) {
        if case .container = object.key { return }
        if hasLeft { trees.forgetLeft(object) }
    }

    /// Ends the change: what was acknowledged leaves the log, and the checkpoint moves.
    package func finish(
        epoch: UInt64, version: ServerVersion, querySet: UInt64, incarnation: UInt64 = 0, permissions: UInt64 = 0,
        schema: UInt64 = 0
    ) throws(StoreError) {
        let leaving = try takeAcknowledged()
        evictUnheld()
        if acknowledged > state.acknowledged {
            try keepAcknowledged()
            let (first, end) = (Trees.key(state.acknowledged + 1), Trees.key(acknowledged + 1))
            for tree in [trees.log, trees.touched, trees.due] { tree.removeRange(from: first, upTo: end) }
            for (sequence, rows) in leaving { trees.fresh.remove(rows, of: sequence) }
        }
        state.acknowledged = acknowledged
        trees.forgetOpenings(before: acknowledged, of: .changesets, state.openings)
        state.openings.forget(before: acknowledged)
        if state.baseRuns.runs.count > 1 {
            state.baseRuns.forget(before: KeptChangesets(trees).oldest ?? acknowledged)
        }
        state.epoch = epoch
        state.version = version
        state.querySet = querySet
        state.incarnation = incarnation
        state.permissions = permissions
        state.schema = schema
        trees.save(state)
    }

    /// Brings the bases of the objects of acknowledged changesets up to date. This includes bases that only a later
    /// changeset made, if the one that created the object is acknowledged now.
    ///
    /// - Returns: the rows that those changesets created.
    private func takeAcknowledged() throws(StoreError) -> [(sequence: UInt64, rows: TouchedBy.Rows)] {
        var fresh: [(sequence: UInt64, rows: TouchedBy.Rows)] = []
        guard acknowledged > state.acknowledged else { return fresh }
        var objects: [ObjectReference] = []
        for sequence in state.acknowledged + 1...acknowledged {
            if refused[sequence] != nil { try settleRefused(sequence) }
            guard let touched = try trees.touched(sequence) else { continue }
            acknowledgedVersion = touched.version
            fresh += touched.fresh.map { (sequence, $0) }
            objects += touched.others.map(\.object) + trees.due(with: sequence)
        }
        for object in objects { try acknowledge(object) }
        return fresh
    }

    /// If nothing was refused, the app sees the same of an object that has more pending: the same operations in the
    /// same order. So only the base moves, and the cost is that of what was acknowledged.
    private func acknowledge(_ object: ObjectReference) throws(StoreError) {
        if settled.contains(object) { return }
        if try acknowledgeLeavingTexts(object) { return }
        guard var base = try base(of: object) else { return }
        let hasReturned = try makeAgain(object, &base)
        guard base.lastSequence > acknowledged, !hasReturned, !movedBack.contains(object),
            try isShown(object, base.state)
        else {
            return try settle(object, base: base.state, lastSequence: base.lastSequence)
        }
        settled.insert(object)
        trees.save(base, object)
    }

    /// Acknowledges operations on an object whose base leaves the texts to the row. If none was refused, the texts stay as
    /// they are, and a base that is still needed takes those of a later version.
    ///
    /// - Returns: whether it could be done without the texts.
    private func acknowledgeLeavingTexts(_ object: ObjectReference) throws(StoreError) -> Bool {
        guard isLogged, let base = try trees.storedBase(object), let version = base.textsAsOf,
            try isShown(object, base.state)
        else { return false }
        var state = base.state
        for logged in try log.acknowledged(about: object) {
            if case .text = logged.operation { continue }
            join(acknowledged: logged, into: &state)
        }
        if base.lastSequence > acknowledged {
            // An earlier build did not note which version a changeset made.
            guard acknowledgedVersion > 0 else { return false }
            let textsAsOf = max(version, acknowledgedVersion)
            trees.save(BaseCopy(state: state, lastSequence: base.lastSequence, textsAsOf: textsAsOf), object)
        } else {
            try rows.replace(object, by: state, leavingTexts: true)
            trees.removeBase(object)
        }
        settled.insert(object)
        return true
    }

    /// Makes an object again whose end the server has forgotten. This device was told of an end that beats its create,
    /// but the server says nothing of the object now: the create took effect as written (RULES.md, F1).
    ///
    /// - Returns: whether the object was made again.
    private func makeAgain(_ object: ObjectReference, _ base: inout BaseCopy) throws(StoreError) -> Bool {
        let state = base.state
        guard !state.isAlive, state.life > 0 else { return false }
        let operations = try log.acknowledged(about: object).filter { refused[$0.sequence]?[$0.place] == nil }
        let creation = operations.firstIndex {
            if case .create(_, let life, _) = $0.operation { life <= state.life } else { false }
        }
        guard let creation else { return false }
        var made = ObjectState()
        for logged in operations[creation...] { _ = made.join(logged.operation, stamp: logged.stamp) }
        // An object that this device ended afterwards has not returned.
        guard made.life != state.life else { return false }
        base.state = made
        return true
    }

    /// What `base(of:)` becomes if this change says nothing of the object. The digests of a resync are made of it, so
    /// the resync finds an object that the device would make again and the server does not have.
    func baseUntold(of object: ObjectReference) throws(StoreError) -> BaseCopy? {
        guard var base = try base(of: object) else { return nil }
        _ = try makeAgain(object, &base)
        return base
    }

    /// Whether the app sees what the log says. The row of an embedded object may have gone with its holder. The row of
    /// another one may have gone because a server, restored since, had said that the object ended.
    private func isShown(_ object: ObjectReference, _ base: ObjectState) throws(StoreError) -> Bool {
        if base.isAlive || rows.isEmbedded(object.className),
            transaction.table(object.className)?.key(for: object.key) == nil
        {
            return false
        }
        if refused.isEmpty { return true }
        return try log.acknowledged(about: object).allSatisfy { refused[$0.sequence]?[$0.place] == nil }
    }

    /// Settles the objects of a changeset with refusals. Those that it created have no base yet.
    private func settleRefused(_ sequence: UInt64) throws(StoreError) {
        var objects: Set<ObjectReference> = []
        try trees.changesets(in: trees.log, after: sequence - 1, through: sequence) { changeset, _ in
            objects = Set(changeset.operations.lazy.map(\.target))
            return true
        }
        for object in objects.sorted(by: { ($0.className, $0.key) < ($1.className, $1.key) })
        where !settled.contains(object) {
            guard let base = try baseUntold(of: object) else { continue }
            try settle(object, base: base.state, lastSequence: base.lastSequence)
        }
    }

    /// Keeps what was acknowledged for a server that may lose it; what was refused goes to the quarantine instead.
    private func keepAcknowledged() throws(StoreError) {
        let kept = KeptChangesets(trees)
        let time = kept.time(at: now, after: state.acknowledged)
        var added = 0
        var changes: [QuarantinedChange] = []
        for sequence in state.acknowledged + 1...acknowledged {
            let key = Trees.key(sequence)
            guard var bytes = trees.log.get(key) else { continue }
            if let refused = refused[sequence], var changeset = try trees.entry(sequence, of: trees.log) {
                let parted = changeset.operations.parted(by: Array(refused.values), at: now)
                changeset.operations = parted.left
                changes += parted.refused
                bytes = Changeset.encode([changeset])
            }
            kept.keep(bytes, sequence: sequence, at: time)
            added += 1
        }
        kept.trim(limits, added: added, at: time)
        if !changes.isEmpty { quarantined = trees.quarantine(changes) }
    }

    // MARK: - Bases

    /// The server's state of an object as far as it is known before this change says more, with the acknowledged
    /// operations joined; nil for an object about which nothing is logged.
    func base(of object: ObjectReference) throws(StoreError) -> BaseCopy? {
        guard isLogged else { return nil }
        if let stored = try trees.base(object) {
            // One that an earlier message of this change has settled has its acknowledged operations joined already.
            if settled.contains(object) { return stored }
            return BaseCopy(
                state: try joiningAcknowledged(object, onto: stored.state), lastSequence: stored.lastSequence
            )
        }
        guard !settled.contains(object), let sequence = try log.creator(of: object) else { return nil }
        return BaseCopy(
            state: try joiningAcknowledged(object, onto: ObjectState()), lastSequence: sequence)
    }

    /// Where nothing is logged nothing has a base.
    private var isLogged: Bool { state.acknowledged < state.lastSequence }

    /// Makes `base` the server's state and shows it with what is still pending.
    ///
    /// Embedded objects that went with it, when it left or could not be read for a while, come back with it: the server
    /// sends those that it has, the others are shown here.
    ///
    /// - Parameter areAllPartsTold: whether the server has sent the object whole, or says nothing of its parts any more, because
    ///   the object leaves. Then that it is silent about a part says nothing for the part.
    private func settle(
        _ object: ObjectReference, base: ObjectState, lastSequence: UInt64, areAllPartsTold: Bool = false
    ) throws(StoreError) {
        try settleAlone(object, base: base, lastSequence: lastSequence)
        // No recursion: the app decides how deep they nest.
        var waiting = rows.missingParts(of: object)
        while let part = waiting.popLast() {
            // Where the server has said nothing of the part, it may have made it again.
            let isPartTold = areAllPartsTold || settled.contains(part)
            guard let base = try isPartTold ? self.base(of: part) : baseUntold(of: part) else { continue }
            try settleAlone(part, base: base.state, lastSequence: base.lastSequence)
            waiting += rows.missingParts(of: part)
        }
    }

    private func settleAlone(_ object: ObjectReference, base: ObjectState, lastSequence: UInt64) throws(StoreError) {
        settled.insert(object)
        suspect(object)
        guard lastSequence > acknowledged else {
            try rows.replace(object, by: base)
            trees.removeBase(object)
            return
        }
        var visible = base
        for logged in try log.pending(about: object, through: lastSequence) {
            _ = visible.join(logged.operation, stamp: logged.stamp)
        }
        try rows.replace(object, by: visible)
        // It had no base: the server has it from somebody else, or sent it to the one that made it.
        if !trees.hasBase(object) { trees.addDue(object, with: lastSequence) }
        trees.save(BaseCopy(state: base, lastSequence: lastSequence), object)
    }

    private func joiningAcknowledged(
        _ object: ObjectReference, onto base: ObjectState
    ) throws(StoreError) -> ObjectState {
        var state = base
        for logged in try log.acknowledged(about: object) {
            if refused[logged.sequence]?[logged.place] != nil { continue }
            join(acknowledged: logged, into: &state)
        }
        return state
    }

    /// Joins an acknowledged operation, also one that is older than the life that this device knows (RULES.md, O7).
    ///
    /// The create of another writer may have moved the beginning of that life back before the server joined the
    /// operation. Where it was meant for an earlier life all the same, this change says what came out; one that says nothing of
    /// that leaves it hidden.
    private func join(acknowledged logged: LoggedOperations.Entry, into state: inout ObjectState) {
        if isTold, !logged.operation.isAboutLife, logged.stamp < state.born {
            state.born = logged.stamp
            movedBack.insert(logged.operation.target)
        }
        _ = state.join(logged.operation, stamp: logged.stamp)
    }

    // MARK: - Embedded objects without a holder

    private func suspect(_ object: ObjectReference) {
        if case .container = object.key { suspects.insert(object) }
    }

    /// Evicts embedded objects that nothing holds: their holder may have gone before, or without messages about them.
    /// While something is pending they are kept, since the server's final state may hold them again. But they may have
    /// ended with this change, and nobody tells. So they are noted as seen up to the version before.
    private func evictUnheld() {
        guard !suspects.isEmpty || !trees.suspects.isEmpty else { return }
        guard acknowledged == state.lastSequence else {
            for object in suspects {
                trees.addSuspect(object)
                guard isUnheld(object) else { continue }
                trees.noteLeft(object, seen: state.version, of: state.incarnation)
                hasLeft = true
            }
            return
        }
        for object in suspects.union(trees.takeSuspects()) {
            if hasLeft { trees.forgetLeft(object) }
            if isUnheld(object) { rows.evict(object) }
        }
    }

    private func isUnheld(_ object: ObjectReference) -> Bool {
        guard let table = transaction.table(object.className), let key = table.key(for: object.key) else {
            return false
        }
        return table.backlinkCount(to: key) == 0
    }

    /// The next stamp written here must be later than every stamp seen.
    private func observe(_ seen: ObjectState) {
        state.clockTime = max(state.clockTime, seen.latestStamp.time)
    }
}
