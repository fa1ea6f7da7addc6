import CausewayModel
import CausewayObjectStore

/// The steps of one Realm instance that can be undone and redone. The instance owns it, and it lives where the instance
/// lives.
///
///     app's write ──────────────► undoable, redoable becomes empty
///     undo: its own write ──────► redoable
///     redo: its own write ──────► undoable
///
/// What undo writes is captured as any write is. So the captured change of an undo is the redo, and it respects in the
/// same way what others have done in between.
final class UndoLog {
    enum Origin {
        case app
        case undo
        case redo
    }

    private(set) var undoable: [UndoStep] = []
    private(set) var redoable: [UndoStep] = []
    /// Rows that were deleted and made again, with their new keys.
    private var moved: [UndoTarget: ObjectKey] = [:]
    var isRecording = false
    var limit = UndoHistory.defaultLimit {
        didSet { trim() }
    }
    /// The name for the step of the open or next write.
    var nextName: String?
    /// The step that writes are gathered in; nil outside of a group.
    private(set) var group: UndoStep?
    private var origin = Origin.app

    /// What the write has done so far; nil if nobody is to undo it.
    func captured(_ transaction: Transaction) throws(StoreError) -> UndoCapture? {
        isRecording || origin != .app ? try UndoCapture(of: transaction) : nil
    }

    /// The write was committed.
    func committed(_ capture: UndoCapture?) {
        guard let capture else { return }
        let (name, origin) = (nextName, origin)
        // Observers may write as soon as they hear of the commit.
        nextName = nil
        self.origin = .app
        if capture.changes.isEmpty { return }
        if origin == .app, group != nil {
            group?.writes.append(capture.changes)
            group?.rows.merge(capture.rows) { $1 }
            group?.primaryKeys.merge(capture.primaryKeys) { $1 }
            if let name { group?.name = name }
            return
        }
        add(
            UndoStep(name: name, writes: [capture.changes], rows: capture.rows, primaryKeys: capture.primaryKeys),
            from: origin)
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
    }

    /// Only the newest steps are kept.
    private func trim() {
        if undoable.count > limit { undoable.removeFirst(undoable.count - limit) }
        if redoable.count > limit { redoable.removeFirst(redoable.count - limit) }
        if undoable.isEmpty, redoable.isEmpty, group == nil { moved = [:] }
    }

    func removeAll() {
        undoable = []
        redoable = []
        moved = [:]
    }

    // MARK: - Groups

    func beginGroup(_ name: String?) {
        group = UndoStep(name: name)
    }

    func endGroup() {
        guard let step = group else { return }
        group = nil
        if !step.isEmpty { add(step, from: .app) }
    }

    // MARK: - Undo and redo

    /// Takes back the newest step of one of the two stacks, in a write of its own. False if there was nothing left of it.
    func takeBack(_ origin: Origin, in instance: RealmInstance) throws -> Bool {
        guard let step = origin == .undo ? undoable.last : redoable.last else { return false }
        try instance.beginWrite()
        self.origin = origin
        defer { self.origin = .app }
        var application = UndoApplication(instance, step: step, moved: moved)
        do {
            for changes in step.writes.reversed() { try application.undo(changes) }
        } catch {
            instance.cancelWrite()
            throw Realm.Error(error, fileURL: instance.configuration.fileURL)
        }
        let hasChanged = !instance.transaction.changes.isEmpty
        if !hasChanged {
            instance.cancelWrite()
            if origin == .undo { undoable.removeLast() } else { redoable.removeLast() }
            return false
        }
        // The commit adds the step that takes this one back, before observers hear of it.
        nextName = step.name
        let earlier = (undoable, redoable, moved)
        if origin == .undo { undoable.removeLast() } else { redoable.removeLast() }
        moved = application.moved
        do {
            try instance.commitWrite()
        } catch {
            (undoable, redoable, moved) = earlier
            nextName = nil
            throw error
        }
        return true
    }
}
