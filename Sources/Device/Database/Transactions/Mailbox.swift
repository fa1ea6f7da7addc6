import Synchronization

/// Takes messages from other threads for a Realm instance. It is the only part of an instance that they may touch.
///
/// Unchecked: `reference` is read only where the instance is confined to, except to see whether it still exists; the
/// confinement is immutable; the flag is behind the lock.
final class Mailbox: @unchecked Sendable {
    private weak var reference: RealmInstance?
    private let confinement: Confinement
    let identity: Confinement.Identity
    private let isPosted = Mutex(false)

    init(_ instance: RealmInstance) {
        reference = instance
        confinement = instance.confinement
        identity = instance.confinement.identity
        confinement.expectWork()
    }

    var isUsed: Bool { reference != nil }

    /// Only for the place that the instance is confined to.
    var instance: RealmInstance? { reference }

    /// Asks the instance to look at the newest version. Any number of commits before it does are one request.
    func commitArrived() {
        guard confinement.hasScheduler, isUsed else { return }
        let isFirst = isPosted.withLock { posted in
            defer { posted = true }
            return !posted
        }
        guard isFirst else { return }
        confinement.post { [self] in
            isPosted.withLock { $0 = false }
            reference?.commitSeen()
        }
    }
}
