package import CausewayMerge
package import CausewayModel
package import CausewayOperations
package import CausewayStore

/// The difference that brings a device from one version and query set to another: the one algorithm behind live change,
/// catch-up, bootstrap and a change of subscriptions.
///
/// The device holds what `held` matched at version `from`, plus what it wrote itself since. In the end it must hold
/// what `wanted` matches now, and nothing else.
///
/// 1. Objects that commits touched in between are judged one by one: before by `held`, now by `wanted`.
/// 2. Objects that plain creates made in between are ranges of rows: those that `wanted` matches enter.
/// 3. All other objects are unchanged, so only a difference of the queries can move them: two sorted lists of rows.
///
/// Where nobody knows what the device holds, a `ViewComparison` finds out, and its findings are told here.
///
/// A device that was cut in the middle of such a change, and keeps what it was told, is told the rest: `StagedClaims`.
///
/// Parts come lazily, from one snapshot. What is kept in memory is row keys and the names of touched objects, never
/// their contents.
///
/// An object and the objects embedded in it are judged and told as one. Rules for what the device wrote itself are in
/// `ViewDifference+Touched.swift`.
package final class ViewDifference {
    package let version: ServerVersion
    /// The device's last changeset that the version includes.
    package let acknowledged: UInt64
    /// The opening of the device's file that made this changeset; zero when nobody knows.
    package let opening: UInt64
    /// The run of the server that committed the version.
    package let incarnation: UInt64
    /// How many objects all parts together go through, for a progress bar. Touched objects count whether they are told
    /// or not.
    package private(set) var objectsTotal = 0
    /// Of that, what the parts so far have gone through.
    package var objectsDone: Int { stepsDone + position }

    /// About how many bytes the lists of what is to be told take in memory.
    package var planBytes: Int { steps.reduce(0) { $0 + $1.count * $1.bytesEach } }

    let snapshot: any StoreSnapshot
    let start: ServerVersion
    let held: StandingQueries
    let wanted: StandingQueries
    /// What the caller may read: by the rules that the held view was made under, and by those of now. Nil is everything.
    let heldRules: BoundRules?
    let rules: BoundRules?
    let past: PastView
    /// Of a device that continues a change that was cut; nil for one that has what `held` says.
    let claims: StagedClaims?
    /// Whether the device understands what happened to lists, sets, maps and texts.
    let tellsEdits: Bool
    private var steps: [Step] = []
    private var step = 0
    private var position = 0
    /// The objects of the steps before this one.
    private var stepsDone = 0
    /// The steps after whose parts the change can be resumed: objects that enter, by class and row.
    private var resumableSteps = 0..<0
    /// Bytes of each row that entered last.
    private var rowBytes = 1 << 10

    package struct Part: Sendable {
        package var entered: [ObjectContent] = []
        /// Objects that entered after those, many alike.
        package var enteredRuns: [ObjectRun] = []
        package var updated: [ObjectContent] = []
        package var left: [Leave] = []
        package var deleted: [End] = []
        /// What was refused of the device's own changesets.
        package var refused: [Refusal] = []
        /// With this part the device is at `version`.
        package var isLast = false
        /// After this part the change can be resumed: entering objects were told up to this row.
        package var reached: Row?
        var sizeBytes = 0
        /// The operations that tell what happened to collections and texts.
        var editsWeight = 0

        /// Whether it holds nothing to tell a device.
        package var isEmpty: Bool {
            entered.isEmpty && enteredRuns.isEmpty && updated.isEmpty && left.isEmpty && deleted.isEmpty
                && refused.isEmpty
        }

        package struct Leave: Hashable, Sendable {
            package var object: ObjectReference
            package var reason: Reason
        }

        package enum Reason: Hashable, Sendable {
            /// The object changed.
            case query
            /// The caller may not read it: then nothing else is said of it.
            case permission
            /// The query that held it is gone.
            case unsubscribed
        }

        package struct End: Hashable, Sendable {
            package var object: ObjectReference
            package var life: UInt32
        }
    }

    /// One list of things to tell.
    enum Step {
        case touched([TouchedAggregate])
        case enter(classNumber: Int, keys: [ObjectKey])
        case leave(classNumber: Int, keys: [ObjectKey], Part.Reason)
        case end([(name: ObjectName, life: UInt32)])
        case letGo([ObjectName])
        case refused([Refusal])
        /// The targets of refused operations: the device undid the operations, and is told the current state of the
        /// objects.
        case restored([ObjectName])

        var count: Int {
            switch self {
            case .touched(let aggregates): aggregates.count
            case .enter(_, let keys), .leave(_, let keys, _): keys.count
            case .end(let ends): ends.count
            case .letGo(let names): names.count
            case .refused(let refusals): refusals.count
            case .restored(let names): names.count
            }
        }

        /// About how many bytes one element of the list takes in memory.
        var bytesEach: Int {
            switch self {
            case .enter, .leave: MemoryLayout<ObjectKey>.stride
            case .end, .letGo, .restored: 64
            case .touched, .refused: 192
            }
        }
    }

    /// - Parameters:
    ///   - queries: where bound queries are kept from one difference of a device to the next.
    ///   - pace: how far planning may go.
    ///   - heldPermissions: what the held view was made under; nil is everything.
    ///   - staged: how far the device was told the change that led to `held` at `start`; nil when it has all of it.
    ///   - told: the last changeset of the client whose outcome the device was told; nil to leave refusals out.
    ///   - tellsEdits: whether the device understands what happened to lists, sets, maps and texts; else they are told
    ///     whole.
    /// - Precondition: the snapshot tells everything since `start`, see `needsComparison`.
    /// - Throws: `queryInvalid` when a wanted query cannot be served; `fault` when the file cannot be read; `interrupted`
    ///   when planning takes more than the pace allows.
    package init(
        _ snapshot: any StoreSnapshot, from start: ServerVersion, held: [QueryText], wanted: [QueryText],
        heldUnder heldPermissions: Permissions? = nil, under permissions: Permissions? = nil, for client: ClientID,
        acknowledged told: UInt64? = nil, staged: ToldUpTo? = nil, tellsEdits: Bool = true,
        queries: KeptQueries = KeptQueries(), pace: Pace = .unhurried
    ) throws(StoreFailure) {
        self.snapshot = snapshot
        self.start = start
        self.tellsEdits = tellsEdits
        version = snapshot.version
        (acknowledged, opening) = try snapshot.acknowledgement(of: client)
        incarnation = try snapshot.lineage().run(of: snapshot.version)
        rules = permissions?.bound(in: snapshot.schema)
        heldRules = heldPermissions?.bound(in: snapshot.schema)
        // The rules narrow a set that is held already and do not refuse it, so that changed rules never end a session.
        self.wanted = try queries.queries(wanted, in: snapshot, under: permissions, refusing: held != wanted)
        let areRulesUnchanged = heldPermissions?.fingerprint ?? 0 == permissions?.fingerprint ?? 0
        let isUnchanged = held == wanted && areRulesUnchanged
        self.held =
            isUnchanged
            ? self.wanted : try queries.queries(held, in: snapshot, under: heldPermissions, refusing: false)
        let heldQueries = self.held
        claims = try staged.map { staged throws(StoreFailure) in
            try StagedClaims(
                staged, held: heldQueries, in: snapshot, under: heldPermissions, termsMax: queries.termsMax)
        }
        past = PastView(snapshot)
        if start == .zero && acknowledged == 0 {
            try planBootstrap(pace)
        } else {
            try planFromHistory(for: client, viewIsUnchanged: isUnchanged && staged == nil && start != .zero, pace)
        }
        // Under other rules even what stays in view may be told again, and no row says how far that went.
        if !areRulesUnchanged { resumableSteps = 0..<0 }
        if let told { try planRefusals(of: client, after: told) }
        objectsTotal = steps.reduce(0) { $0 + $1.count }
    }

    /// The difference for every device that holds what the queries match at `start` and wrote nothing since: it is the
    /// same for all of them. What they acknowledged is not part of it.
    ///
    /// - Parameter history: what happened since `start`, seen from nobody.
    /// - Precondition: the snapshot tells everything since `start`, which is not the beginning.
    package init(
        _ snapshot: any StoreSnapshot, from start: ServerVersion, history: History, queries: StandingQueries,
        under permissions: Permissions?, tellsEdits: Bool, pace: Pace
    ) throws(StoreFailure) {
        self.snapshot = snapshot
        self.start = start
        self.tellsEdits = tellsEdits
        version = snapshot.version
        (acknowledged, opening) = (0, 0)
        incarnation = try snapshot.lineage().run(of: snapshot.version)
        rules = permissions?.bound(in: snapshot.schema)
        heldRules = rules
        (held, wanted) = (queries, queries)
        claims = nil
        past = PastView(snapshot)
        try plan(history, viewIsUnchanged: true, pace)
        objectsTotal = steps.reduce(0) { $0 + $1.count }
    }

    /// A difference that tells what a comparison found.
    init(_ comparison: ViewComparison) throws(StoreFailure) {
        snapshot = comparison.snapshot
        start = comparison.snapshot.version
        version = comparison.snapshot.version
        (acknowledged, opening) = (comparison.acknowledged, comparison.opening)
        incarnation = try snapshot.lineage().run(of: snapshot.version)
        wanted = comparison.wanted
        held = comparison.wanted
        rules = comparison.rules
        heldRules = comparison.rules
        claims = nil
        tellsEdits = false
        past = PastView(snapshot)
        add(.end(comparison.ended))
        for (classNumber, names) in comparison.leaving.sorted(by: { $0.key < $1.key }) {
            add(.letGo(names.map { ObjectName(classNumber, $0) }))
        }
        for (classNumber, keys) in comparison.entering.sorted(by: { $0.key < $1.key }) {
            add(.enter(classNumber: classNumber, keys: keys.sorted()))
        }
        try planRefusals(of: comparison.client, after: comparison.told)
        objectsTotal = steps.reduce(0) { $0 + $1.count }
    }

    /// Whether the history does not reach back to a version, so that only a `ViewComparison` can tell what changed.
    package static func needsComparison(
        _ snapshot: any StoreSnapshot, from start: ServerVersion, for client: ClientID
    ) throws(StoreFailure) -> Bool {
        guard start < snapshot.historyStart else { return false }
        // A device that holds nothing and has written nothing is sent everything.
        if start == .zero { return try snapshot.committed(by: client) > 0 }
        return true
    }

    package func className(_ number: Int) -> String { snapshot.className(number) }

    /// The next part, of about this size. Must not be called after the last one.
    ///
    /// - Parameter goesOn: asked between objects. Once it says no the part ends, even if it is empty.
    package func next(bytesMax: Int, while goesOn: () -> Bool = { true }) throws(StoreFailure) -> Part {
        var part = Part()
        while step < steps.count {
            try advance(bytesMax, while: goesOn, &part)
            if part.sizeBytes >= bytesMax || !goesOn() { break }
        }
        part.isLast = step == steps.count
        return part
    }

    /// Goes on in the current step, by one object at least.
    private func advance(_ bytesMax: Int, while goesOn: () -> Bool, _ part: inout Part) throws(StoreFailure) {
        switch steps[step] {
        case .touched(let aggregates):
            repeat {
                try tell(aggregates[position], in: &part)
                position += 1
            } while position < aggregates.count && part.sizeBytes < bytesMax && goesOn()
        case .enter(let classNumber, let keys):
            repeat {
                let before = part.sizeBytes
                // The first row of a class shows how large its rows are: sixty-four photographs would be too much for a
                // part.
                if position == 0 { rowBytes = bytesMax }
                let room = min(max((bytesMax - before) / rowBytes, 1), keys.count - position)
                let rows = try enterSome(
                    classNumber, keys[position..<position + room], bytesMax: bytesMax, in: &part)
                rowBytes = max((part.sizeBytes - before) / rows, 1)
                position += rows
            } while position < keys.count && part.sizeBytes < bytesMax && goesOn()
        case .leave(let classNumber, let keys, let reason):
            while position < keys.count, part.sizeBytes < bytesMax {
                leave(Row(classNumber, keys[position]), reason, in: &part)
                position += 1
            }
        case .end(let ends):
            while position < ends.count, part.sizeBytes < bytesMax {
                part.append(
                    Part.End(object: reference(ends[position].name), life: ends[position].life))
                position += 1
            }
        case .letGo(let names):
            repeat {
                let name = names[position]
                if let row = snapshot.row(name) {
                    leave(name, try reasonToLeave(row), in: &part)
                } else {
                    leave(name, mayHide(name.classNumber) ? .permission : .query, in: &part)
                }
                position += 1
            } while position < names.count && part.sizeBytes < bytesMax && goesOn()
        case .refused(let refusals):
            while position < refusals.count, part.sizeBytes < bytesMax {
                part.append(refusals[position])
                position += 1
            }
        case .restored(let names):
            repeat {
                try restore(names[position], in: &part)
                position += 1
            } while position < names.count && part.sizeBytes < bytesMax && goesOn()
        }
        if case .enter(let classNumber, let keys) = steps[step], resumableSteps.contains(step) {
            part.reached = Row(classNumber, keys[position - 1])
        }
        if position == steps[step].count {
            stepsDone += position
            step += 1
            position = 0
        }
    }

    /// Enough to make a batch worthwhile. Fewer when the rows read last were large, so that a part keeps to its size.
    static let rowsAtOnce = 64

    /// Refusals come before everything else, so that the device leaves the refused operations out when it looks at what
    /// they changed. The state of their objects comes last.
    private func planRefusals(of client: ClientID, after told: UInt64) throws(StoreFailure) {
        let refusals = try snapshot.refusals(of: client, after: told, through: acknowledged)
        guard !refusals.isEmpty else { return }
        steps.insert(.refused(refusals), at: 0)
        // The state of their objects is told last, wherever the change was cut.
        resumableSteps = 0..<0
        var names: Set<ObjectName> = []
        var parts: [Row: Set<ObjectReference>] = [:]
        var ascent = Ascent<Row>()
        for refusal in refusals {
            guard let number = snapshot.classNumber(refusal.target.className) else { continue }
            let name = ObjectName(number, refusal.target.key)
            guard case .container = name.key else {
                names.insert(name)
                continue
            }
            // An embedded object comes with the object that it is in. If only the refused operation created it, another
            // refusal names the object where it was to be.
            guard let row = snapshot.row(name) else { continue }
            let root = ascent.top(of: row) { row in
                snapshot.holder(of: row).map { snapshot.isEmbedded($0.classNumber) ? .part($0) : .top($0) }
            }
            if let root { parts[root, default: []].insert(refusal.target) }
        }
        for (root, targets) in parts {
            if let name = snapshot.name(of: root), try mayKnow(ofAny: targets, in: root) { names.insert(name) }
        }
        add(.restored(names.sorted()))
    }

    func add(_ step: Step) {
        if step.count > 0 { steps.append(step) }
    }

    /// The last part of the plan: objects that enter, the classes ascending by their numbers.
    func addEntering(_ classes: [(classNumber: Int, keys: [ObjectKey])]) {
        let first = steps.count
        for (classNumber, keys) in classes.sorted(by: { $0.classNumber < $1.classNumber }) {
            add(.enter(classNumber: classNumber, keys: keys))
        }
        resumableSteps = first..<steps.count
    }
}
