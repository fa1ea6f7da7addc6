import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

/// The runs of visible texts: whole, and behind that the steps since.
struct TextTrees {
    private let transaction: Transaction
    private let known: KnownRuns?

    init(_ transaction: Transaction, _ known: KnownRuns?) {
        self.transaction = transaction
        self.known = known
    }

    var whole: Tree { transaction.tree("sync.texts") }
    var steps: Tree { transaction.tree("sync.edits") }

    /// How many bytes of steps may stand behind the whole runs before these are written anew: then two bytes of runs are
    /// written for one of steps.
    private static func stepsMax(_ step: TextStep) -> Int { max(2_048, step.storedBytes / 2) }
    /// The same while a base needs the steps.
    private static func neededStepsMax(_ step: TextStep) -> Int { max(1 << 18, 4 * step.storedBytes) }

    /// The runs of one text, to be read and changed.
    struct Opened {
        let key: [UInt8]
        var runs: TextRuns
        /// Nil when there is none behind the whole runs, which then take `storedBytes`.
        fileprivate var last: TextStep?
        fileprivate var lastVersion: UInt64 = 0
        fileprivate var storedBytes = 0
        fileprivate var wholeToken: UInt64 = 0
    }

    // MARK: - Reading

    func open(_ object: ObjectReference, _ property: String) throws(StoreError) -> Opened {
        let key = Trees.key(object, property)
        let found = known?.take(key)
        var last: (version: UInt64, step: TextStep)?
        var missing: [TextStep] = []
        var runs: TextRuns?
        try forEachStep(key, reversed: true) { version, step in
            if last == nil { last = (version, step) }
            if let found, step.token == found.token {
                runs = found.runs
                return false
            }
            if step.isFolded { return false }
            missing.append(step)
            return true
        }
        var opened = Opened(key: key, runs: TextRuns(), last: last?.step, lastVersion: last?.version ?? 0)
        if let runs {
            opened.runs = runs
        } else {
            (opened.runs, opened.storedBytes, opened.wholeToken) = try wholeRuns(key)
        }
        for step in missing.reversed() { for change in step.changes { opened.runs.join(change) } }
        return opened
    }

    /// What a text is: its runs, and the string that the column shows.
    func state(_ object: ObjectReference, _ property: String, showing string: String) throws(StoreError) -> TextState {
        let opened = try open(object, property)
        defer { close(opened) }
        return try readable { () throws(EncodingError) in try TextState(opened.runs, showing: string) }
    }

    /// Gives back runs that were not changed.
    func close(_ opened: Opened) {
        if let last = opened.last { known?.keep(opened.runs, opened.key, token: last.token) }
    }

    /// The state of a text as it was at a version, from what it shows now.
    ///
    /// - Precondition: no steps were folded since, and each has its reversal.
    func state(
        _ object: ObjectReference, _ property: String, showing string: String, asOf version: UInt64
    ) throws(StoreError) -> TextState {
        let key = Trees.key(object, property)
        var runs = try wholeRuns(key).runs
        var later: [TextStep] = []
        try forEachStep(key) { made, step in
            if made > version {
                later.append(step)
            } else if !step.isFolded {
                for change in step.changes { runs.join(change) }
            }
            return true
        }
        var text = TextBuffer(string)
        for step in later.reversed() { for edit in step.reversal.reversed() { text.apply(edit) } }
        return try readable { () throws(EncodingError) in try TextState(runs, showing: text.string) }
    }

    private func wholeRuns(_ key: [UInt8]) throws(StoreError) -> (runs: TextRuns, byteCount: Int, token: UInt64) {
        guard let bytes = whole.get(key) else { return (TextRuns(), 0, 0) }
        let runs = try readable { () throws(EncodingError) in try TextRuns(encoded: bytes) }
        return (runs, bytes.count, KeyedHash(key: 0, 0).digest(of: bytes).low)
    }

    private func readable<Result>(_ body: () throws(EncodingError) -> Result) throws(StoreError) -> Result {
        try Trees(transaction).readable(body)
    }

    private func forEachStep(
        _ key: [UInt8], reversed: Bool = false, _ body: (_ version: UInt64, _ step: TextStep) -> Bool
    ) throws(StoreError) {
        var failure: EncodingError?
        steps.scan(from: key, upTo: Self.end(key), reversed: reversed) { place, bytes in
            do throws(EncodingError) {
                return body(Trees.number(place.suffix(8)), try TextStep(encoded: Array(bytes)))
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw Trees(transaction).damaged(failure) }
    }

    /// Behind the key of every step.
    private static func end(_ key: [UInt8]) -> [UInt8] { key + [UInt8](repeating: 0xFF, count: 9) }

    // MARK: - Writing

    /// Notes how the runs were changed. Once the steps are long, the runs are written whole.
    ///
    /// - Parameters:
    ///   - opened: the runs with the changes.
    ///   - reversal: the edits that lead back; empty for what needs no way back.
    ///   - isNeeded: whether a base needs the steps, and so the runs cannot be written whole yet.
    func append(
        _ changes: [TextStep.Change], reversal: [TextEdit], to opened: Opened, isNeeded: Bool
    ) {
        let version = transaction.version + 1
        var step = TextStep(changes: changes, reversal: reversal)
        if opened.lastVersion == version, let last = opened.last {
            // A second step of the same commit.
            step.changes = last.changes + changes
            step.reversal = last.reversal + reversal
            step.isFolded = false
        }
        step.follow(opened.last, orWhole: opened.wholeToken, version: version)
        if opened.last == nil { step.storedBytes = opened.storedBytes }
        if !isNeeded, step.stepBytes > Self.stepsMax(step) { fold(&step, opened) }
        steps.put(opened.key + Trees.key(version), step.encoded())
        known?.keep(opened.runs, opened.key, token: step.token)
    }

    private func fold(_ step: inout TextStep, _ opened: Opened) {
        let bytes = opened.runs.encoded()
        whole.put(opened.key, bytes)
        steps.removeRange(from: opened.key, upTo: Self.end(opened.key))
        (step.storedBytes, step.stepBytes, step.isFolded) = (bytes.count, 0, true)
        // Nobody needs the way there and back any more. The token stays.
        (step.changes, step.reversal) = ([], [])
    }

    /// The error of runs that do not fit the string of their column.
    func contradiction() -> StoreError {
        Trees(transaction).damaged(EncodingError(.malformed, "a text has another length than its runs", offset: 0))
    }

    /// Whether a base must let go of the steps, because they have become too many.
    func hasTooManySteps(_ opened: Opened) -> Bool {
        opened.last.map { $0.stepBytes > Self.neededStepsMax($0) } ?? false
    }

    /// Puts other runs in the place of those that are there.
    func replace(_ runs: TextRuns, _ object: ObjectReference, _ property: String) {
        let key = Trees.key(object, property)
        remove(key)
        if !runs.isUntouched { whole.put(key, runs.encoded()) }
    }

    func remove(_ object: ObjectReference, _ property: String) { remove(Trees.key(object, property)) }

    private func remove(_ key: [UInt8]) {
        if whole.get(key) != nil { whole.remove(key) }
        steps.removeRange(from: key, upTo: Self.end(key))
    }

    func removeAll() {
        whole.removeRange()
        steps.removeRange()
    }
}
