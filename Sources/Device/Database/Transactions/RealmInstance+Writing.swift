import CausewayModel
import CausewayObjectStore
import CausewayStorage

extension RealmInstance {
    /// Waits until it may write the file, and moves to the newest version.
    func beginWrite(using reservation: WriteReservation? = nil) throws {
        checkThread()
        checkWritesAllowed()
        guard !isInWrite else { misuse("The Realm is already in a write transaction") }
        let before = transaction.version
        do {
            let reservation = reservation ?? asyncWrites?.takeOver()
            try transaction.beginWriting(using: reservation) { asksForEdits }
        } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
        writeBegan()
        undoLog?.follow(through: transaction.version, in: coordinator.store)
        if transaction.version != before {
            changed()
            observers.tellRealmObservers(.didChange, self)
        }
        // Observers learn what others did before this transaction adds to it.
        observers.deliver(self)
    }

    /// Whether a commit asks what happened in lists and texts. Undo and sync may also begin while the Realm writes.
    private var asksForEdits: Bool { undoLog?.asksForEdits == true || coordinator.participant != nil }

    /// Stops the program if the Realm is frozen or read-only.
    func checkWritesAllowed() {
        if isFrozen { misuse("Can't perform transactions on a frozen Realm") }
        if configuration.readOnly { misuse("Can't perform transactions on read-only Realms.") }
    }

    /// Makes the transaction's changes visible; returns the version they make.
    @discardableResult
    func commitWrite(
        _ durability: Durability = .durable, withoutNotifying tokens: [NotificationToken] = []
    ) throws -> UInt64 {
        checkThread()
        guard isInWrite else { misuse("Can't commit a non-existing write transaction") }
        let participant = coordinator.participant
        let version: UInt64
        let undoable: UndoableWrite?
        do {
            // The commit throws the damage that these meet.
            if asksForEdits { DamageReporting.throwing { transaction.noteReplacements() } }
            undoable = try DamageReporting.throwing { try undoLog?.recorded(transaction) }
            if let participant { try DamageReporting.throwing { try participant.willCommit(transaction) } }
            let dropsObjects = DamageReporting.throwing { transaction.hasDroppedObjects }
            version = try transaction.commit(durability)
            committed(version, droppingObjects: dropsObjects)
        } catch {
            // A failed commit has undone itself; a participant that refused has not.
            if transaction.isWritable { transaction.abort() }
            isInWrite = false
            undone()
            undoLog?.cancelled()
            if let error = error as? StoreError { throw Realm.Error(error, fileURL: configuration.fileURL) }
            throw error
        }
        isInWrite = false
        undoLog?.committed(undoable, as: version)
        changed()
        observers.skip(tokens, self)
        participant?.didCommit(version: version, through: coordinator)
        observers.tellRealmObservers(.didChange, self, except: tokens)
        Logger.note(.debug, Category.Storage.transaction, "Commit version \(version): \(configuration.path)")
        return version
    }

    func cancelWrite() {
        checkThread()
        guard isInWrite else { misuse("Can't cancel a non-existing write transaction") }
        transaction.abort()
        isInWrite = false
        undone()
        undoLog?.cancelled()
        // Notifications that were due during the write were put off.
        if !observers.isEmpty { wake() }
    }

    // MARK: - Moving forward

    /// Moves to the newest version and tells the observers; false when there was nothing newer.
    @discardableResult
    func refresh() -> Bool {
        checkThread()
        guard !isInWrite, !isFrozen else { return false }
        let moved: Bool
        do {
            moved = try transaction.advance()
        } catch {
            // The damage has been reported. What was read here so far is sound, and the Realm stays at its snapshot.
            if error.code == .damaged { return false }
            if error.code == .schemaChanged {
                staysBehind(error)
                return false
            }
            unreadable(error, fileURL: configuration.fileURL)
        }
        if moved {
            undoLog?.follow(through: transaction.version, in: coordinator.store)
            changed()
            observers.tellRealmObservers(.didChange, self)
        }
        observers.deliver(self)
        return moved
    }

    /// Somebody committed; called where the instance is confined to.
    func commitSeen() {
        guard !isInWrite else { return }
        checkThread()
        if autorefresh {
            refresh()
        } else {
            if isOpen, coordinator.store.newestVersion != transaction.version {
                observers.tellRealmObservers(.refreshRequired, self)
            }
            observers.deliver(self)
        }
    }
}
