import CausewayModel
import CausewayObjectStore

extension RealmInstance {
    /// A frozen instance on this instance's snapshot. During a write, that is the snapshot on which the write began.
    func frozen() -> RealmInstance {
        checkThread()
        if isFrozen { return self }
        let version = transaction.version
        if let lastFrozen, lastFrozen.transaction.version == version { return lastFrozen }
        do {
            let frozen = RealmInstance(
                coordinator: coordinator, configuration: configuration, confinement: Confinement(.anywhere),
                declared: declared, transaction: try transaction.frozenCopy(), isFrozen: true)
            lastFrozen = frozen
            return frozen
        } catch {
            misuse("The Realm file can no longer be read: \(error.message)")
        }
    }

    /// The live instance of the same file where the caller runs.
    func thawed() -> RealmInstance {
        guard isFrozen else {
            checkThread()
            return self
        }
        if let place = ThawingPlace.instance { return place.value }
        do {
            return try RealmInstance.open(configuration, at: .current)
        } catch {
            misuse("The Realm could not be opened to thaw it: \(error)")
        }
    }

    /// Whether a row is the same object in both instances: they have one file, and are both live or frozen at one
    /// version.
    func showsSameObjects(as other: RealmInstance) -> Bool {
        guard self !== other else { return true }
        return coordinator === other.coordinator && isFrozen == other.isFrozen
            && (!isFrozen || transaction.version == other.transaction.version)
    }

    /// A row's accessor in another instance of the file; nil when the row is not there.
    func accessor<T: ObjectBase>(of object: T) -> T? {
        guard let from = object._access else { return nil }
        let access = counterpart(of: from)
        return access.exists(object._key) ? access.object(object._key, as: T.self) : nil
    }
}

extension _ResultsSource {
    /// The same source in a frozen instance; nil when it is in one already.
    var frozen: _ResultsSource? {
        check()
        return instance.isFrozen ? nil : moved(to: instance.frozen())
    }

    /// The same source in the live instance where the caller runs; nil when the owner of the elements is gone.
    var thawed: _ResultsSource? {
        let moved = moved(to: instance.thawed())
        return moved.hasOrigin ? moved : nil
    }

    /// The same source in the instance that an observation runs in.
    func here(_ place: RealmInstance) -> _ResultsSource { place === instance ? self : moved(to: place) }

    /// Whether the owner of the elements exists.
    var hasOrigin: Bool {
        switch origin {
        case .table: true
        case .list(let owner, let access, _), .inverse(let owner, let access, _):
            access.exists(owner)
        }
    }
}
