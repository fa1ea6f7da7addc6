import CausewayLimits
package import CausewayModel
package import CausewayOperations
package import CausewayStore

// Calls of back ends. They read on threads of their own, and their writes take the way of an upload: the same line, the
// same merge, the same look afterwards, so devices hear of them as of any other change.

extension Conversations {
    /// The newest state. Used by one piece of work at a time.
    package func snapshot() throws(StoreFailure) -> any StoreSnapshot { try sessions.backend.snapshot() }

    /// Does a piece of a call, which should be short: others wait for the thread. Its time is charged to the user; nil
    /// is an administrator, who is not limited.
    package func work<Value: Sendable>(
        for user: String?, _ body: @escaping @Sendable () throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        try await lanes.nextCall().result { [rates] () throws(StoreFailure) in
            let start = ContinuousClock.now
            defer {
                if let user {
                    let microseconds = Int(clamping: start.elapsedNanoseconds / 1_000)
                    rates.charge(.init(.readMillisecondsPerSecondOfUser, of: user, microseconds))
                }
            }
            return try body()
        }
        .get()
    }

    /// Milliseconds since 1970.
    package func now() -> UInt64 { sessions.now() }

    /// When a piece of a call has to give way to others.
    package func callStepEnd() -> StepEnd { sessions.stepEnd() }

    /// The client as which a user's calls write.
    package func callClient(of user: String) async throws(StoreFailure) -> CallClient {
        let day = sessions.now() / 86_400_000
        let known = callClients[user]
        if let known, !known.isDue(on: day) { return known }
        let client = known ?? CallClient(ClientID(UInt64.random(in: 1...UInt64.max)), day: day)
        // It may wait for the running commit, as a hello does.
        _ = try await lanes.hellos.result { [sessions] () throws(StoreFailure) in
            try sessions.backend.register(client.id, user: user)
        }
        .get()
        return callClients.keep(client, of: user)
    }

    /// Call it when the record has forgotten a client.
    package func forget(_ client: ClientID) { callClients.forget(client) }

    /// Commits the operations of a call, all or none of them.
    ///
    /// - Parameter base: the version that the operations were worked out from.
    package func apply(
        _ operations: [Operation], base: ServerVersion, terms: CallTerms, as client: CallClient, by caller: KnownCaller
    ) async throws(StoreFailure) -> CommitOutcome {
        // Received and written at the same time: the record lowers the stamp to the time of receipt, or raises that
        // above what the call has seen.
        let changeset = Changeset(
            client: client.id, sequence: 0, stamp: Stamp(time: .max, client: client.id), base: base,
            operations: operations)
        let (user, count) = (caller.user.string, changeset.workCount)
        rates.charge(
            .init(.operationsPerSecondOfUser, of: user, count), .init(.operationsPerSecondOfDatabase, count))
        let batch = UploadBatch(
            client: client.id, user: user, permissions: caller.access?.permissions(),
            changesets: [changeset], call: terms)
        let result = await commits.submit(batch) { [self] in lookSoon() }
        note(result, of: caller)
        return try result.get()
    }
}
