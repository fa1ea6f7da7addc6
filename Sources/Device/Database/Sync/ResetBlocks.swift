import Dispatch

/// The app's blocks before and after a reset, and the configuration that opens the Realm for them.
struct ResetBlocks: Sendable {
    private let before: ClientResetMode.BeforeReset?
    private let after: ClientResetMode.AfterReset?
    private let configuration: Realm.Configuration

    /// Nil when there is nothing to call.
    init?(_ mode: ClientResetMode, _ configuration: Realm.Configuration) {
        switch mode {
        case .manual: return nil
        case .discardUnsyncedChanges(let before, let after), .recoverUnsyncedChanges(let before, let after),
            .recoverOrDiscardUnsyncedChanges(let before, let after):
            guard before != nil || after != nil else { return nil }
            (self.before, self.after) = (before, after)
        }
        self.configuration = configuration
    }

    /// Runs a reset between the app's two blocks. Must be called on the queue.
    func around<Outcome>(on queue: DispatchQueue, _ reset: () throws -> Outcome) throws -> Outcome {
        let live = try Realm(configuration: configuration, queue: queue)
        let frozen = live.freeze()
        before?(frozen)
        let outcome = try reset()
        live.refresh()
        after?(frozen, live)
        return outcome
    }
}
