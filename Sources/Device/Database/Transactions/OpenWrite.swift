import Synchronization

/// What became of a write transaction, for references to what it made: they outlive it, and its rows may be given again
/// where it is undone.
final class OpenWrite: Sendable {
    enum State {
        case open
        case committed
        case undone
    }

    private let state = Mutex(State.open)

    var outcome: State { state.withLock { $0 } }

    func end(_ outcome: State) { state.withLock { $0 = outcome } }
}

extension RealmInstance {
    /// The write that is open here, for whoever wants to know how it ends.
    var referredWrite: OpenWrite {
        if let openWrite { return openWrite }
        let write = OpenWrite()
        openWrite = write
        return write
    }

    func endOpenWrite(_ outcome: OpenWrite.State) {
        openWrite?.end(outcome)
        openWrite = nil
    }
}

/// A value in a form that any thread may hold: frozen, and the write that it comes from where no commit has it yet.
struct Referred<Value: ThreadConfined> {
    let value: Value
    let write: OpenWrite?
}
