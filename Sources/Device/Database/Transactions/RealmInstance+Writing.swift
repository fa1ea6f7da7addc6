import CausewayModel
import CausewayObjectStore
import CausewayStorage

extension RealmInstance {
    /// Becomes the file's writer, waiting for whoever is it, and moves to the newest version.
    func beginWrite(using reservation: WriteReservation? = nil) throws {
        checkThread()
        if isFrozen { misuse("Can't perform transactions on a frozen Realm") }
        if configuration.readOnly { misuse("Can't perform transactions on read-only Realms.") }
        guard !isInWrite else { misuse("The Realm is already in a write transaction") }
        let before = transaction.version
        do {
            if let reservation {
                try transaction.beginWriting(using: reservation)
            } else {
                try transaction.beginWriting()
            }
        } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
        writeBegan()
        if transaction.version != before {
            changed()
            observers.tellRealmObservers(.didChange, self)
        }
        // Observers learn what others did before this transaction adds to it.
        observers.deliver(self)
    }

    func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        checkThread()
        guard isInWrite else { misuse("Can't commit a non-existing write transaction") }
        let participant = coordinator.participant
        let version: UInt64
        do {
            try DamageReporting.throwing { try participant?.willCommit(transaction) }
            let dropsObjects = transaction.hasDroppedObjects
            version = try transaction.commit()
            committed(version, droppingObjects: dropsObjects)
        } catch {
            // A failed commit has undone itself; a participant that refused has not.
            if transaction.isWritable { transaction.abort() }
            isInWrite = false
            undone()
            if let error = error as? StoreError { throw Realm.Error(error, fileURL: configuration.fileURL) }
            throw error
        }
        isInWrite = false
        changed()
        observers.skip(tokens, self)
        participant?.didCommit(version: version)
        observers.tellRealmObservers(.didChange, self)
    }

    func cancelWrite() {
        checkThread()
        guard isInWrite else { misuse("Can't cancel a non-existing write transaction") }
        transaction.abort()
        isInWrite = false
        undone()
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
            // Somebody was told of the damage. What is read here was sound so far, and stays at its snapshot.
            if error.code == .damaged { return false }
            unreadable(error, fileURL: configuration.fileURL)
        }
        if moved {
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
