import CausewayModel
import CausewayObjectStore
import CausewayOperations
package import CausewayStore

extension StoreEmbedded {
    package func commit(
        _ batches: [UploadBatch], receivedAt time: UInt64
    ) throws(StoreFailure) -> [CommitOutcome] {
        try commit(batches, receivedAt: time, try shortage(at: time)?.failure, .call)
    }

    /// - Parameter shortage: why nothing may be added; nil when something may.
    func commit(
        _ batches: [UploadBatch], receivedAt time: UInt64, _ shortage: StoreFailure?, _ writing: Writing
    ) throws(StoreFailure) -> [CommitOutcome] {
        if let outcomes = try commit(batches, receivedAt: time, shortage, writing, inColumns: true) { return outcomes }
        guard let outcomes = try commit(batches, receivedAt: time, shortage, writing, inColumns: false) else {
            preconditionFailure("What was judged before anything was done was to be undone.")
        }
        return outcomes
    }

    /// - Parameters:
    ///   - shortage: why nothing may be added; nil when something may.
    ///   - inColumns: whether creates in columns are done as they come, before what follows them is judged.
    /// - Returns: nil, with nothing done, when such creates had to be undone.
    private func commit(
        _ batches: [UploadBatch], receivedAt time: UInt64, _ shortage: StoreFailure?, _ writing: Writing,
        inColumns: Bool
    ) throws(StoreFailure) -> [CommitOutcome]? {
        try write(as: writing) { transaction, meta throws(StoreFailure) in
            var outcomes: [CommitOutcome] = []
            var hasReceiptAlone = false
            let before = meta.version
            meta.receive(at: time)
            let past = PastEntries(in: transaction, readMax: options.pastEntriesMax)
            defer { note(past) }
            var lineage = try Lineage.load(in: transaction)
            let isNewRun = lineage.commit(by: writing.run ?? run, after: before)
            for batch in batches {
                let outcome = try apply(
                    batch, receivedAt: meta.received, shortage, inColumns: inColumns, past, lineage, in: transaction,
                    &meta)
                guard let outcome else { return (nil, false) }
                outcomes.append(outcome)
                if batch.changesNothing, outcome.receipt == nil, outcome.failure == nil { hasReceiptAlone = true }
            }
            let added = Int(meta.version.rawValue - before.rawValue)
            try HistoryTree(in: transaction)
                .trim(options, versionsMax: 2 * added + HistoryTree.trimmedAtOnce, &meta)
            // An upload that was sent again makes no version.
            if added > 0 { _ = try forget(in: transaction, &meta) }
            if meta.version > before { save(lineage, isNewRun: isNewRun, meta, in: transaction) }
            return (outcomes, meta.version > before || hasReceiptAlone)
        }
    }

    func continueLineage(
        after version: ServerVersion, _ writing: Writing, _ meta: Meta, in transaction: Transaction
    ) throws(StoreFailure) {
        var lineage = try Lineage.load(in: transaction)
        let isNewRun = lineage.commit(by: writing.run ?? run, after: version)
        save(lineage, isNewRun: isNewRun, meta, in: transaction)
    }

    private func save(_ lineage: Lineage, isNewRun: Bool, _ meta: Meta, in transaction: Transaction) {
        var lineage = lineage
        let isFolded = lineage.fold(before: meta.historyStart)
        if isNewRun || isFolded { lineage.save(in: transaction) }
    }

    /// Applies what is new in one client's batch as one version, up to the first changeset that cannot be applied. Nil
    /// when creates in columns must be undone.
    private func apply(
        _ batch: UploadBatch, receivedAt time: UInt64, _ shortage: StoreFailure?, inColumns: Bool, _ past: PastEntries,
        _ lineage: Lineage,
        in transaction: Transaction, _ meta: inout Meta
    ) throws(StoreFailure) -> CommitOutcome? {
        guard var client = try ClientState(of: batch.client, in: transaction) else {
            return CommitOutcome(
                committed: 0, version: meta.version,
                failure: StoreFailure(
                    .sequenceGap, "This client is not known here. Open a session before sending changes."))
        }
        var outcome = CommitOutcome(committed: client.committed, version: meta.version)
        do {
            try client.check(batch.user, batch.client)
        } catch {
            outcome.committed = 0
            outcome.failure = error
            return outcome
        }
        if let call = batch.call, let base = batch.changesets.first?.base {
            let known = try known(of: call, base: base, at: meta, in: transaction)
            (outcome.receipt, outcome.failure) = (known.receipt, known.failure)
            if known.receipt != nil || known.failure != nil { return outcome }
            if batch.changesNothing, let receipt = call.receipt {
                try ReceiptTree(in: transaction).append(receipt, meta, options)
                return outcome
            }
        }
        if let other = batch.changesets.first(where: { $0.sequence <= client.committed && client.isOfCopy($0) }) {
            outcome.committed = other.sequence - min(1, other.sequence)
            outcome.failure = StoreFailure(
                .sequenceGap,
                "Changeset \(other.sequence) of this client came from another copy of its file. Say hello: one of the two "
                    + "goes on as a client of its own.")
            return outcome
        }
        let catalog = catalog(of: transaction)
        var check = OperationCheck(catalog, of: batch.client, predecessors: client.predecessors, in: transaction)
        let quota = ObjectQuota(of: batch.user, objectsMax: options.objectsOfUserMax, in: transaction)
        var merging: Merging?
        for changeset in batch.numbered(after: client.committed) where changeset.sequence > client.committed {
            do throws(StoreFailure) {
                try Self.checkSequence(changeset, batch, client)
                try checkRefusals(of: client)
                // Not refused for good: the device keeps it, and what comes after it.
                if let shortage, changeset.mayGrow { throw shortage }
                if let shortage = try quota?.shortage(of: changeset, after: merging, catalog) { throw shortage }
            } catch {
                outcome.failure = error
                break
            }
            let version = ServerVersion(meta.version.rawValue + (merging == nil ? 1 : 0))
            let current =
                merging
                ?? Merging(
                    transaction, catalog, client: batch.client, version: version, predecessors: client.predecessors,
                    inherited: client.inherited)
            var (next, newestStamp) = (client, meta.newestStamp)
            var clamped = changeset
            clamped.stamp = next.clamp(
                changeset.stamp, of: batch.client, receivedAt: time, newest: &newestStamp)
            // A restored database meets bases that it has lost: of what it has committed since the copy their writer
            // has seen nothing. The same holds for the versions up to which a writer has seen objects that left.
            let newest = ServerVersion(version.rawValue - 1)
            clamped.base = lineage.shared(changeset.base, of: changeset.run, newest: newest)
            clamped.mergeLastSeen { lineage.shared($0, of: $1, newest: newest) }
            let made: (runs: Int, objects: Int) =
                inColumns ? try current.create(clamped, check, batch.permissions) : (0, 0)
            let operations = changeset.operations(behindRuns: made.runs)
            let concealment = Concealment(
                batch.permissions, of: batch.user, catalog, at: version, past, in: transaction)
            let verdicts = try judge(operations, of: clamped, &check, current, batch.permissions, concealment)
            if batch.call != nil, !verdicts.isEmpty {
                if made.runs > 0 { return nil }
                outcome.failure = refused(verdicts, of: operations)
                break
            }
            guard verdicts.count <= options.refusalsMax else {
                if made.runs > 0 { return nil }
                outcome.failure = tooManyRefused(verdicts)
                break
            }
            if !verdicts.isEmpty {
                let record = RefusalRecord(
                    verdicts, of: operations, behind: made.objects, origin: .init(version: version, received: time))
                next.refusalBytes += RefusalTree(in: transaction)
                    .append(record, of: batch.client, sequence: changeset.sequence)
            }
            clamped.operations = verdicts.accepted(of: operations)
            try current.apply(clamped, &check)
            (merging, meta.version, meta.newestStamp) = (current, version, newestStamp)
            client = next
            client.committed = changeset.sequence
            outcome.tally.add(operations, verdicts, created: made.objects)
            // If the build names no opening nothing is noted, unless it follows one that does.
            if changeset.opening != 0 || !client.openings.isEmpty {
                client.openings.note(changeset.opening, from: changeset.sequence)
            }
        }
        if let merging {
            try merging.finish(&meta, editedBytesMin: options.editedBytesMin)
            _ = client.hear(at: meta.received)
            client.save(for: batch.client, in: transaction)
            if let receipt = batch.call?.receipt {
                try ReceiptTree(in: transaction)
                    .append(receipt, meta, options)
            }
            outcome.version = meta.version
        }
        // What another copy of the file has sent behind these is none of the caller's.
        let last = outcome.failure == nil && batch.call == nil ? batch.changesets.last?.sequence : nil
        outcome.committed = min(client.committed, last ?? client.committed)
        return outcome
    }

    /// Judges the operations of a changeset. A refused operation costs only itself: the rest of its changeset is
    /// applied, and the lane goes on. Once more are refused than may be, judging stops.
    private func judge(
        _ operations: [Operation], of changeset: Changeset, _ check: inout OperationCheck, _ merging: Merging,
        _ permissions: Permissions?, _ concealment: Concealment?
    ) throws(StoreFailure) -> Verdicts {
        var verdicts = Verdicts()
        check.concealment = concealment
        var existence = ExistenceCheck(merging, operations, of: changeset, concealment)
        let refusalsMax = options.refusalsMax
        for (index, operation) in operations.enumerated() where verdicts.count <= refusalsMax {
            do {
                try check.check(operation)
            } catch {
                verdicts.refuse(index, error)
                continue
            }
            if let failure = try existence.failure(of: operation) { verdicts.refuse(index, failure) }
        }
        guard verdicts.count <= options.refusalsMax else { return verdicts }
        try AccessJudge(
            permissions, merging, operations, of: changeset, concealment, elementsMax: options.ruleElementsMax)?
            .judge(&verdicts)
        if !verdicts.isEmpty { verdicts.spread(over: operations) }
        return verdicts
    }

    /// The failure of a changeset that its device sets aside as a whole, because each refusal would be kept and told.
    private func tooManyRefused(_ verdicts: Verdicts) -> StoreFailure {
        let reason = verdicts.reasons.first.map { " The first reason: \($0.message)" } ?? ""
        return StoreFailure(
            .operationInvalid,
            "More than \(options.refusalsMax) operations of one transaction cannot be applied, so that nothing of it is. "
                + "Write what is right in a transaction of its own.\(reason)")
    }

    private static func checkSequence(
        _ changeset: Changeset, _ batch: UploadBatch, _ client: ClientState
    ) throws(StoreFailure) {
        guard changeset.client == batch.client else {
            throw StoreFailure(
                .permissionDenied, "A changeset of another client is in this upload. Send each client's own.")
        }
        guard changeset.sequence == client.committed + 1 else {
            throw StoreFailure(
                .sequenceGap,
                "Changeset \(changeset.sequence) came, but the last one known of this client is \(client.committed). "
                    + "Send from \(client.committed + 1) on.")
        }
    }

    /// Refuses a changeset while too many refusals wait. Only the device can say that it has stored them, and not
    /// before the next hello: a client that never does would leave more and more of them here. The refusals of the
    /// changeset itself are not counted beforehand. A changeset is taken whole or not at all, and one with any number
    /// of refusals must come through at some time.
    private func checkRefusals(of client: ClientState) throws(StoreFailure) {
        guard client.refusalBytes < options.refusalBytesMax else {
            throw StoreFailure(
                .refusalsUnread,
                "\(client.refusalBytes) bytes about refused operations of this client wait for it, and no more are kept. "
                    + "Read the download up to the acknowledgement of changeset \(client.committed), then open a new "
                    + "session and send the rest.")
        }
    }
}
