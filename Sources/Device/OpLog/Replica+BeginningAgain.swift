package import CausewayModel
package import CausewayObjectStore
package import CausewayOperations

// MARK: - A file that was copied, or restored from a backup

extension Replica {
    /// Goes on as another client, because the server has changesets of this one that the file never made: the file was
    /// restored from a backup, or is a copy of a file that went on elsewhere.
    ///
    /// What both have in common counts as acknowledged. What the file made since is renumbered and sent under the new
    /// name; element ids stay, since no two openings give the same. The next hello finds out by a resync what else the
    /// server has. Changesets kept to refill a server are forgotten: the original keeps them.
    ///
    /// - Parameters:
    ///   - agreed: the last changeset that the file has in common with the server; not before the last acknowledged.
    ///   - agreedOneWay: the same for one-way entries.
    ///   - newClient: random, never used before.
    ///   - refused: what the server refused of the changesets that both have, which goes to the quarantine [I7].
    ///     Refusals of later ones are another file's.
    /// - Returns: where the logs end now, how many entries of both are not counted any more, and what was refused.
    package func beginAgain(
        after agreed: UInt64, oneWay agreedOneWay: UInt64 = 0, as newClient: ClientID,
        refused: [OperationRefusal] = [], in transaction: Transaction, now: UInt64 = 0
    ) throws(StoreError) -> (
        changesets: UInt64, oneWay: UInt64, passed: (changesets: UInt64, oneWay: UInt64),
        quarantined: [QuarantinedChange]
    ) {
        let trees = Trees(transaction)
        let before = try state(in: transaction)
        let application = try beginApplying(acknowledged: agreed, in: transaction, now: now, isTold: false)
        application.refuse(refused)
        try application.finish(
            epoch: before.epoch, version: before.version, querySet: before.querySet, incarnation: before.incarnation,
            permissions: before.permissions, schema: ReplicaState.noSchema)
        try acknowledgeOneWay(through: agreedOneWay, in: transaction)
        let settled = try state(in: transaction)
        KeptChangesets(trees).removeAll()

        try trees.renumber(trees.log, after: settled.acknowledged, through: settled.lastSequence, as: newClient)
        try trees.renumber(trees.oneWay, after: settled.acknowledgedOneWay, through: settled.lastOneWay, as: newClient)
        try trees.renumberTouched(after: settled.acknowledged, through: settled.lastSequence)
        trees.fresh.renumber(by: settled.acknowledged)
        trees.renumberDue(by: settled.acknowledged)
        try trees.renumberBases(by: settled.acknowledged)

        var next = ReplicaState(client: newClient, at: settled)
        next.predecessors = Array(([settled.client] + settled.predecessors).prefix(ReplicaState.predecessorsMax))
        next.lastSequence = settled.lastSequence - settled.acknowledged
        next.lastOneWay = settled.lastOneWay - settled.acknowledgedOneWay
        next.elementCounter = settled.elementCounter
        next.baseRuns = settled.baseRuns
        next.baseRuns.lower(by: settled.acknowledged)
        trees.openings.removeRange()
        if opening != 0 {
            next.openings.note(opening, from: 1)
            next.oneWayOpenings.note(opening, from: 1)
        }
        trees.save(next)
        return (
            next.lastSequence, next.lastOneWay, (settled.acknowledged, settled.acknowledgedOneWay),
            application.quarantined
        )
    }
}

extension Trees {
    /// Renumbers the entries after a number from one on, and gives them another client.
    fileprivate func renumber(
        _ tree: Tree, after first: UInt64, through last: UInt64, as client: ClientID
    ) throws(StoreError) {
        guard first < last else { return }
        for number in first + 1...last {
            guard var changeset = try entry(number, of: tree) else { continue }
            changeset.client = client
            changeset.sequence = number - first
            changeset.stamp.client = client
            tree.remove(Self.key(number))
            tree.put(Self.key(changeset.sequence), Changeset.encode([changeset]))
        }
    }

    fileprivate func renumberTouched(after first: UInt64, through last: UInt64) throws(StoreError) {
        guard first < last else { return }
        for sequence in first + 1...last {
            guard var touched = try touched(sequence) else { continue }
            for index in touched.others.indices {
                touched.others[index].previous = touched.others[index].previous.lowered(by: first)
            }
            self.touched.remove(Self.key(sequence))
            self.touched.put(Self.key(sequence - first), touched.encoded())
        }
    }

    /// Nothing is due with a changeset that is not counted any more.
    fileprivate func renumberDue(by passed: UInt64) {
        var moved: [[UInt8]] = []
        due.scan { key, _ in
            moved.append(Array(key))
            return true
        }
        due.removeRange()
        for key in moved { due.put(Self.key(Self.number(key.prefix(8)).lowered(by: passed)) + key.dropFirst(8), []) }
    }

    /// Every base has an entry about it that is still counted.
    fileprivate func renumberBases(by passed: UInt64) throws(StoreError) {
        var moved: [(key: [UInt8], base: BaseCopy)] = []
        var failure: EncodingError?
        bases.scan { key, value in
            do throws(EncodingError) {
                moved.append((Array(key), try BaseCopy(encoded: Array(value))))
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw damaged(failure) }
        for (key, var base) in moved {
            base.lastSequence = base.lastSequence.lowered(by: passed)
            bases.put(key, base.encoded())
        }
    }
}

extension UInt64 {
    /// A number of the log, less those that are not counted any more; zero for one of them.
    func lowered(by passed: UInt64) -> UInt64 { self > passed ? self - passed : 0 }
}
