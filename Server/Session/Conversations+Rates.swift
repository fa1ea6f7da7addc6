package import CausewayLimits
import CausewayModel
package import CausewayStore
package import CausewayWire

// What callers may do in a time. Devices and back ends draw on the same rates of their user.

extension Conversations {
    /// Charges a request to its user, before anything else is done for it. What it would write has to wait until its
    /// user, and all users together, may write again: the request is refused while nothing of its content is read.
    package func admit(_ caller: KnownCaller, writes: Bool) throws(LimitReached) {
        let user = caller.user.string
        if writes {
            try rates.check(
                .init(.operationsPerSecondOfUser, of: user), .init(.operationsPerSecondOfDatabase),
                .init(.kilobytesPerSecondOfUser, of: user), .init(.kilobytesPerSecondOfDatabase), from: caller.address)
        }
        try rates.take(.init(.requestsPerSecondOfUser, of: user), from: caller.address)
    }

    /// Charges what a client has sent, now that its size is known.
    ///
    /// - Throws: `serverBusy` with a time, while the client, its user or the database has to wait for what came before.
    func takeRates(
        of client: ClientID, by caller: KnownCaller, operations: Int, bytes: Int
    ) throws(SyncFailure) {
        let user = caller.user.string
        // Anybody can name a client: what it owes is kept for its user alone, so that nobody makes another's device wait.
        let client = "\(client) of \(user)"
        do throws(LimitReached) {
            try rates.take(
                .init(.operationsPerSecondOfClient, of: client, operations),
                .init(.operationsPerSecondOfUser, of: user, operations),
                .init(.operationsPerSecondOfDatabase, operations),
                .init(.kilobytesPerSecondOfClient, of: client, bytes),
                .init(.kilobytesPerSecondOfUser, of: user, bytes),
                .init(.kilobytesPerSecondOfDatabase, bytes), from: caller.address)
        } catch {
            throw SyncFailure(error)
        }
    }
}

extension Conversations {
    /// Notes a limit of the record that an upload or a call has met.
    func note(_ result: Result<CommitOutcome, StoreFailure>, of caller: KnownCaller) {
        if case .success(let outcome) = result, let reached = outcome.failure?.reached { note(reached, of: caller) }
    }

    func note(_ reached: LimitReached, of caller: KnownCaller) {
        var reached = reached
        reached.address = caller.address
        rates.note(reached)
    }
}

extension SyncFailure {
    /// The device keeps what it has not sent, and comes again after the time.
    package init(_ reached: LimitReached) {
        self.init(.serverBusy, reached.message, retryAfterMilliseconds: reached.waitMilliseconds)
    }
}

extension StoreFailure {
    package init(_ reached: LimitReached) {
        self.init(.busy, reached.message, retryAfterMilliseconds: reached.waitMilliseconds)
    }
}
