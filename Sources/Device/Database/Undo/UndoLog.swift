import CausewayModel
import CausewayObjectStore

/// The steps of one Realm instance that can be undone and redone. The instance owns it, and it lives where the instance
/// lives.
///
///     app's write ──────────────► undoable, redoable becomes empty
///     undo: its own write ──────► redoable
///     redo: its own write ──────► undoable
///
/// What undo writes is recorded as any write is, so the record of an undo is the redo.
///
/// 1. `seen` is the version up to which rows and parts were followed. It is the version on which the instance's write is
///    based, or which it made, whenever anything is recorded or taken back.
/// 2. Whatever was committed after a step and is not a step itself counts as done by others.
final class UndoLog {
    enum Origin {
        case app
        case undo
        case redo
    }

    private(set) var undoable: [UndoStep] = []
    private(set) var redoable: [UndoStep] = []
    /// Every row that steps mention, by its name now and by earlier ones.
    private var rows: [String: [ObjectKey: UndoRow]] = [:]
    private var rowCount = 0
    /// The parts that the open write has touched.
    private var openParts: [UndoPart] = []
    /// The rows that the open write made again, with their keys before, and those that it deleted.
    private var madeAgain: [(row: UndoRow, earlier: ObjectKey)] = []
    private var ended: [UndoRow] = []
    private var madeNow: Set<ObjectIdentifier> = []
    private var ending: [UndoRowName: UndoRow] = [:]
    private var seen: UInt64 = 0
    /// How often the whole history ended because it was not known what others did.
    private var losses = 0

    var isRecording = false
    var limit = UndoHistory.defaultLimit {
        didSet { trim() }
    }
    /// The name for the step of the open or next write.
    var nextName: String?
    /// The step that writes are gathered in; nil outside of a group.
    private(set) var group: UndoStep?
    var origin = Origin.app

    /// What becomes of a step while its own write commits.
    private final class TakenBack {
        /// Whether the write changed anything in the end.
        var isChanged = false
    }

    /// While neither stack has the step that the open write takes back.
    private var takenBack: TakenBack?

    private var isIdle: Bool {
        undoable.isEmpty && redoable.isEmpty && takenBack == nil && group?.writes.isEmpty != false
    }

    /// Whether a write must be known by its edits: it is recorded, or there are steps that must follow it.
    var asksForEdits: Bool { isRecording || !isIdle || origin != .app }

    // MARK: - Rows and parts

    /// The row that has a name now, or had it when a step was recorded.
    func known(_ className: String, _ key: ObjectKey) -> UndoRow? {
        rows[className]?[key]
    }

    /// A row that is here.
    func row(_ className: String, _ key: ObjectKey) -> UndoRow {
        if let row = rows[className]?[key], row.isHere, row.key == key { return row }
        let row = UndoRow(className, key)
        add(row)
        return row
    }

    private func add(_ row: UndoRow) {
        if rows[row.className, default: [:]].updateValue(row, forKey: row.key) == nil { rowCount += 1 }
    }

    /// A row that the open write made, as the app's write or as undo that makes another row again.
    func created(_ className: String, _ key: ObjectKey) -> UndoRow {
        if let row = known(className, key), row.key == key, row.isHere, isMadeNow(row) { return row }
        let row = UndoRow(className, key)
        add(row)
        return row
    }

    func madeAgain(_ row: UndoRow, as key: ObjectKey) {
        madeAgain.append((row, row.key))
        madeNow.insert(ObjectIdentifier(row))
        row.madeAgain(as: key)
        add(row)
    }

    func isMadeNow(_ row: UndoRow) -> Bool { madeNow.contains(ObjectIdentifier(row)) }

    /// Undo has put a row into the place of another one, which counts as deleted.
    func replaced(_ row: UndoRow, by other: UndoRow) {
        let name = UndoRowName(className: row.className, key: other.key)
        replacing[name] = (replacing[name]?.replaced ?? row, other)
    }

    /// Rows that undo has put into the place of others, by their names.
    private(set) var replacing: [UndoRowName: (replaced: UndoRow, by: UndoRow)] = [:]

    /// Undo is about to delete a row, whose key another one may get in the same write.
    func willEnd(_ row: UndoRow) {
        if isMadeNow(row) {
            ended(row)
        } else {
            ending[UndoRowName(className: row.className, key: row.key)] = row
        }
    }

    /// The row that the open write deleted.
    func deleted(_ className: String, _ key: ObjectKey) -> UndoRow {
        ending[UndoRowName(className: className, key: key)] ?? row(className, key)
    }

    /// The open write deleted a row.
    func ended(_ row: UndoRow) {
        row.isHere = false
        ended.append(row)
        for part in row.parts.values { part.cancelWrite() }
    }

    /// A part that the open write changes or changed.
    func openPart(_ row: UndoRow, _ column: Int, count: @autoclosure () -> Int) -> UndoPart {
        if let part = row.parts[column], !part.now.isLost || part.before != nil {
            open(part)
            return part
        }
        // Steps before keep a part of which nothing is known any more.
        let part = UndoPart(column, count: count())
        row.parts[column] = part
        open(part)
        return part
    }

    func open(_ part: UndoPart) {
        if part.before == nil { openParts.append(part) }
        part.beginWrite()
    }

    // MARK: - What others do

    /// Follows what was committed since the last call.
    func follow(through version: UInt64, in store: ObjectStore) {
        defer { seen = max(seen, version) }
        if seen >= version || isIdle { return }
        do {
            let isWhole = try store.visitChanges(after: seen, through: version) { record, places in
                seen += 1
                for (name, changes) in record.classes { follow(changes, of: name, places) }
            }
            if !isWhole { lose() }
        } catch {
            lose()
        }
    }

    /// What others did is not known.
    private func lose() {
        removeAll()
        losses += 1
    }

    private func follow(_ changes: ClassChanges, of name: String, _ places: ToldPlaces?) {
        guard let rows = rows[name] else { return }
        func follow(_ row: UndoRow, _ columns: ColumnSet) {
            row.noteChange(by: seen, of: columns.columns)
            func edits(_ column: Int) -> [PlaceEdit]? {
                places.map { $0.classes[name]?[ChangedList(key: row.key, column: column)] ?? [] }
            }
            for part in row.parts.values where columns.contains(part.column) {
                if let edits = edits(part.column) { part.now.followOthers(edits) } else { part.now.lose() }
                if part.isUntidy { part.keep(names(of: part)) }
            }
            for column in row.keyed.keys where columns.contains(column) {
                if let edits = edits(column) {
                    row.keyed[column]?.follow(edits, of: seen)
                } else {
                    row.keyed[column]?.lose(at: seen)
                }
            }
        }
        func end(_ row: UndoRow) {
            row.isHere = false
            row.parts = [:]
            row.keyed = [:]
        }
        // The shorter of the two sides is visited.
        if changes.deleted.count <= rows.count {
            for deletion in changes.deleted {
                if let row = rows[deletion.key], row.key == deletion.key, row.isHere { end(row) }
            }
        } else {
            let deleted = Set(changes.deleted.map(\.key))
            for (key, row) in rows where row.key == key && row.isHere && deleted.contains(key) { end(row) }
        }
        if changes.modified.count <= rows.count {
            for (key, columns) in changes.modified {
                if let row = rows[key], row.key == key, row.isHere { follow(row, columns) }
            }
        } else {
            for (key, row) in rows where row.key == key && row.isHere {
                if let columns = changes.modified[key] { follow(row, columns) }
            }
        }
    }

    // MARK: - Writes

    /// What the write has done so far; nil if nobody is to undo it.
    func recorded(_ transaction: Transaction) throws(StoreError) -> UndoableWrite? {
        guard isRecording || origin != .app else { return nil }
        follow(through: transaction.version, in: transaction.store)
        seen = transaction.version
        var recorder = try UndoRecorder(self, transaction)
        return try recorder.recorded()
    }

    /// The write was committed.
    func committed(_ write: UndoableWrite?, as version: UInt64) {
        let (name, origin) = (nextName, origin)
        // Observers may write as soon as they hear of the commit.
        nextName = nil
        self.origin = .app
        takenBack?.isChanged = write?.isEmpty == false
        takenBack = nil
        guard var write else { return }
        seen = max(seen, version)
        write.version = version
        let parts = openParts
        for part in parts { part.endWrite() }
        endWrite()
        defer { for part in parts where part.isUntidy { part.keep(names(of: part)) } }
        if write.isEmpty { return forgetIfIdle() }
        if origin == .app, group != nil {
            addToGroup(write, name)
            return
        }
        var step = UndoStep(name: name)
        step.append(write)
        add(step, from: origin)
    }

    /// The write was undone, or its commit failed.
    func cancelled() {
        nextName = nil
        origin = .app
        for part in openParts { part.cancelWrite() }
        for (row, earlier) in madeAgain.reversed() {
            if rows[row.className]?[row.key] === row { rows[row.className]?[row.key] = nil }
            row.notMadeAgain(earlier)
        }
        for row in ended where !isMadeNow(row) {
            row.isHere = true
            add(row)
        }
        for (row, earlier) in madeAgain where known(row.className, earlier) == nil { add(row) }
        endWrite()
        forgetIfIdle()
    }

    private func endWrite() {
        openParts = []
        madeAgain = []
        ended = []
        madeNow = []
        ending = [:]
        replacing = [:]
    }

    private func add(_ step: UndoStep, from origin: Origin) {
        switch origin {
        case .app:
            undoable.append(step)
            redoable = []
        case .undo: redoable.append(step)
        case .redo: undoable.append(step)
        }
        trim()
        tidy()
    }

    /// Only the newest steps are kept.
    private func trim() {
        if undoable.count > limit { undoable.removeFirst(undoable.count - limit) }
        if redoable.count > limit { redoable.removeFirst(redoable.count - limit) }
        var bytes = undoable.reduce(0) { $0 + $1.bytes } + redoable.reduce(0) { $0 + $1.bytes }
        while bytes > UndoHistory.bytesMax, undoable.count > 1 { bytes -= undoable.removeFirst().bytes }
        forgetIfIdle()
    }

    private func forgetIfIdle() {
        guard isIdle, openParts.isEmpty else { return }
        rows = [:]
        rowCount = 0
    }

    // MARK: - Undo and redo

    /// Takes back the newest step of one of the two stacks, in a write of its own. False if there was nothing left of it.
    ///
    /// A step that cannot be taken back is dropped, and the error says why.
    func takeBack(_ origin: Origin, in instance: RealmInstance) throws -> Bool {
        guard step(origin) != nil else { return false }
        if instance.isInWrite {
            throw Self.refused("A write transaction is open. Commit or cancel it first.", instance)
        }
        if group != nil { throw Self.refused("A group is open. End it first.", instance) }
        let (pendingName, losses) = (nextName, losses)
        // Follows what others have committed.
        try instance.beginWrite()
        // Observers have been told what others did, and may have done anything here.
        guard instance.isInWrite else { return false }
        guard let step = step(origin) else {
            instance.cancelWrite()
            nextName = pendingName
            if losses == self.losses { return false }
            throw Self.refused("Others have committed so much that it is not known what they changed.", instance)
        }
        self.origin = origin
        var application = UndoApplication(instance, self)
        do {
            application.followObservers()
            for write in step.writes.reversed() { try application.takeBack(write) }
        } catch {
            instance.cancelWrite()
            nextName = pendingName
            guard let refusal = error as? UndoApplication.Refusal else {
                if let error = error as? StoreError {
                    throw Realm.Error(error, fileURL: instance.configuration.fileURL)
                }
                throw error
            }
            keepForGood(step)
            removeLast(origin)
            throw Self.refused(refusal.message, instance)
        }
        instance.rowsDeleted()
        if instance.transaction.changes.isEmpty, replacing.isEmpty {
            instance.cancelWrite()
            nextName = pendingName
            removeLast(origin)
            return false
        }
        // The commit adds the step that takes this one back, before observers hear of it.
        let earlier = (undoable, redoable)
        let taken = TakenBack()
        takenBack = taken
        if origin == .undo { undoable.removeLast() } else { redoable.removeLast() }
        nextName = step.name
        do {
            try instance.commitWrite()
        } catch {
            (undoable, redoable) = earlier
            takenBack = nil
            nextName = pendingName
            throw error
        }
        if nextName == nil { nextName = pendingName }
        return taken.isChanged
    }

    /// What a dropped step changed counts as changed by others.
    private func keepForGood(_ step: UndoStep) {
        for change in step.writes.flatMap(\.changes) {
            switch change {
            case .value(let row, let column, _, _), .addition(let row, let column, _):
                row.noteChange(by: seen, of: CollectionOfOne(column))
            case .part(let row, let part, _): row.noteChange(by: seen, of: CollectionOfOne(part.column))
            case .keyed(let row, let column, let changes):
                row.noteChange(by: seen, of: CollectionOfOne(column))
                row.keyed[column]?.follow(changes.map { .change(SetElement($0.key).lastingHash) }, of: seen)
            }
        }
    }

    private func step(_ origin: Origin) -> UndoStep? {
        origin == .undo ? undoable.last : redoable.last
    }

    private static func refused(_ message: String, _ instance: RealmInstance) -> Realm.Error {
        Realm.Error(.fail, "This cannot be undone or redone. " + message, fileURL: instance.configuration.fileURL)
    }

    private func removeLast(_ origin: Origin) {
        if origin == .undo { undoable.removeLast() } else { redoable.removeLast() }
        forgetIfIdle()
    }

    func removeAll() {
        undoable = []
        redoable = []
        group?.removeAll()
        forgetIfIdle()
    }

    // MARK: - Groups

    func beginGroup(_ name: String?) {
        group = UndoStep(name: name)
    }

    /// A group that is too large becomes one step that cannot be undone.
    private func addToGroup(_ write: UndoableWrite, _ name: String?) {
        guard var step = group else { return }
        step.append(write)
        if let name { step.name = name }
        let problem: String? =
            if step.rows > UndoHistory.rowsMax {
                UndoRecorder.problem(rows: step.rows)
            } else if step.bytes > UndoHistory.bytesMax {
                UndoRecorder.problem(bytesMax: UndoHistory.bytesMax)
            } else {
                nil
            }
        if let problem {
            keepForGood(step)
            step.removeAll()
            step.append(UndoableWrite(version: write.version, problem: problem))
        }
        group = step
    }

    func endGroup() {
        guard let step = group else { return }
        group = nil
        if !step.writes.isEmpty { add(step, from: .app) } else { forgetIfIdle() }
    }

    // MARK: - Memory

    private var rowCountTidied = 0
    private var stepsSinceTidied = 0
    private static let tidySteps = 256

    /// Forgets rows and names that no step mentions, now and then.
    private func tidy() {
        stepsSinceTidied += 1
        guard rowCount > 2 * rowCountTidied + 1024 || stepsSinceTidied >= Self.tidySteps else { return }
        stepsSinceTidied = 0
        var mentioned: Set<ObjectIdentifier> = []
        var names: [ObjectIdentifier: [Range<Int>]] = [:]
        var links = UndoLinks()
        for write in writes {
            links.add(write)
            for row in write.created { mentioned.insert(ObjectIdentifier(row)) }
            for content in write.deleted.values { mentioned.insert(ObjectIdentifier(content.row)) }
            for change in write.changes {
                mentioned.insert(ObjectIdentifier(change.row))
                if case .part(_, let part, let change) = change {
                    names[ObjectIdentifier(part), default: []] += change.names
                }
            }
        }
        rowCountTidied = 0
        for name in rows.keys {
            rows[name] = rows[name]?.filter { key, row in
                // A step may lead to a row by a key that it had.
                mentioned.contains(ObjectIdentifier(row)) || row.wasMadeAgain && links.keys.contains(key)
            }
            for row in rows[name, default: [:]].values {
                row.parts = row.parts.filter { names[ObjectIdentifier($0.value)] != nil || $0.value.before != nil }
                for part in row.parts.values where part.before == nil {
                    part.keep(Self.united(names[ObjectIdentifier(part)] ?? []))
                }
            }
            rowCountTidied += rows[name]?.count ?? 0
        }
        rowCount = rowCountTidied
    }

    private var writes: [UndoableWrite] {
        (undoable + redoable + (group.map { [$0] } ?? [])).flatMap(\.writes)
    }

    /// The names that steps mention of a part.
    private func names(of part: UndoPart) -> [Range<Int>] {
        var names: [Range<Int>] = []
        for change in writes.lazy.flatMap(\.changes) {
            if case .part(_, let other, let change) = change, other === part { names += change.names }
        }
        return Self.united(names)
    }

    /// Sorts ranges, and joins those that overlap or touch.
    private static func united(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, last.upperBound >= range.lowerBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}

/// The keys that steps' values link to, of whatever class.
private struct UndoLinks {
    private(set) var keys: Set<ObjectKey> = []

    private mutating func add(_ value: Value?) {
        switch value {
        case .object(let key): keys.insert(key)
        case .anyObject(let link): keys.insert(link.key)
        default: break
        }
    }

    mutating func add(_ write: UndoableWrite) {
        for content in write.deleted.values {
            for content in content.contents {
                switch content {
                case .value(let value): add(value)
                case .elements(let values): for value in values { add(value) }
                case .entries(let entries): for entry in entries { add(entry.value) }
                }
            }
        }
        for change in write.changes {
            switch change {
            case .value(_, _, let before, let after):
                add(before)
                add(after)
            case .addition: break
            case .part(_, _, let change):
                for case .values(let values) in change.removed.map(\.content) { for value in values { add(value) } }
            case .keyed(_, _, let changes):
                for change in changes { for value in [change.key, change.before, change.after] { add(value) } }
            }
        }
    }
}
