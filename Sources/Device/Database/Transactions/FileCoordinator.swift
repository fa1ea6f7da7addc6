package import CausewayModel
package import CausewayObjectStore
import Synchronization

/// Takes part in every write transaction of a file. Synchronisation records the app's changes this way.
package protocol CommitParticipant: AnyObject, Sendable {
    /// Called in the write transaction, after the app's last change and before the commit. What it writes commits with
    /// the app's changes; if it throws, everything is undone and `Realm.write` throws its error.
    func willCommit(_ transaction: Transaction) throws

    /// Called after the commit, on the thread that committed, with the coordinator of its Realm. The app may release
    /// the Realm at once: hold the coordinator while work on the commit goes on.
    func didCommit(version: UInt64, through coordinator: FileCoordinator)

    /// The name of an embedded object that is about to be created; nil leaves it unnamed.
    func container(in transaction: Transaction) -> PrimaryKey?
}

/// All that the Realm instances of one file share within the process.
///
/// There is one coordinator for each open file. It lives as long as anybody holds it: Realm instances do, and so does
/// the sync driver of a synchronised file.
package final class FileCoordinator: Sendable {
    package let store: ObjectStore
    /// The file's path, or the identifier of an in-memory Realm.
    package let path: String

    private struct State {
        var participant: (any CommitParticipant)?
        var mailboxes: [Mailbox] = []
        var observation: CommitObservation?
    }
    private let state = Mutex(State())

    private init(store: ObjectStore, path: String) {
        self.store = store
        self.path = path
    }

    // MARK: - One for each file

    private struct Weak {
        weak var coordinator: FileCoordinator?
    }
    private static let open = Mutex<ExactDictionary<Weak>>([:])

    /// The coordinator of a file, opening the file if nobody has it open.
    package static func open(path: String, options: ObjectStore.Options) throws(StoreError) -> FileCoordinator {
        let result: Result<FileCoordinator, StoreError> = open.withLock { open in
            if let coordinator = open[path]?.coordinator { return .success(coordinator) }
            open.entries = open.entries.filter { $0.value.coordinator != nil }
            do throws(StoreError) {
                let store = try ObjectStore.open(path: path, options: options)
                let coordinator = FileCoordinator(store: store, path: path)
                coordinator.observeStore()
                open[path] = Weak(coordinator: coordinator)
                return .success(coordinator)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// The coordinator of a file that somebody has open.
    package static func existing(path: String) -> FileCoordinator? {
        open.withLock { $0[path]?.coordinator }
    }

    private func observeStore() {
        let observation = store.observeCommits { [weak self] _ in
            self?.commitArrived()
        }
        state.withLock { $0.observation = observation }
    }

    // MARK: - Taking part in commits

    /// Who records the app's transactions; nil for a local file.
    package var participant: (any CommitParticipant)? {
        get { state.withLock { $0.participant } }
        set { state.withLock { $0.participant = newValue } }
    }

    // MARK: - Telling the instances

    func register(_ mailbox: Mailbox) {
        state.withLock { state in
            state.mailboxes.removeAll { !$0.isUsed }
            state.mailboxes.append(mailbox)
        }
    }

    /// The live instance of a place, so that opening a Realm there again gives the same one.
    func instance(at identity: Confinement.Identity, matching: (RealmInstance) -> Bool) -> RealmInstance? {
        let mailboxes = state.withLock { $0.mailboxes }
        for mailbox in mailboxes where mailbox.identity == identity {
            if let instance = mailbox.instance, matching(instance) { return instance }
        }
        return nil
    }

    private func commitArrived() {
        let mailboxes = state.withLock { $0.mailboxes }
        for mailbox in mailboxes { mailbox.commitArrived() }
    }
}
