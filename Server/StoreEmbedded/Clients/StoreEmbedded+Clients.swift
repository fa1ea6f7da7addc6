package import CausewayModel
import CausewayObjectStore
import CausewayOperations
package import CausewayStore

extension StoreEmbedded {
    package func register(
        _ client: ClientID, user: String, standing: DeviceStanding
    ) throws(StoreFailure) -> ClientRecord {
        // Almost always nothing is new: reading costs no commit.
        if let known = try peek(client, user, standing) { return known }
        return try write(Self.repeatable) { transaction, meta throws(StoreFailure) in
            (try registering(client, user, standing, in: transaction, meta), true)
        }
    }

    /// Registers a client in a write transaction.
    func registering(
        _ client: ClientID, _ user: String, _ standing: DeviceStanding, in transaction: Transaction, _ meta: Meta
    ) throws(StoreFailure) -> ClientRecord {
        var known = try ClientState(of: client, in: transaction) ?? ClientState(user: user)
        try known.check(user, client)
        let skipped = known.lift(over: standing)
        try known.inherit(from: standing.predecessor, of: client, at: meta.version, in: transaction)
        let refusals = RefusalTree(in: transaction)
        known.told = max(known.told, min(standing.acknowledged, known.committed))
        refusals.thin(client, through: known.told, toBytes: options.toldRefusalBytesMax)
        known.refusalBytes = refusals.bytes(of: client, after: known.told)
        _ = known.hear(at: meta.received)
        known.save(for: client, in: transaction)
        return ClientRecord(
            committed: known.committed, ingested: known.ingested, skipped: skipped, openings: known.openings,
            oneWayOpenings: known.oneWayOpenings)
    }

    /// What is known of the client, if registering it would change nothing.
    func peek(
        _ client: ClientID, _ user: String, _ standing: DeviceStanding
    ) throws(StoreFailure) -> ClientRecord? {
        try read { reading throws(StoreFailure) in try peek(client, user, standing, in: reading) }
    }

    private func peek(
        _ client: ClientID, _ user: String, _ standing: DeviceStanding, in reading: Transaction
    ) throws(StoreFailure) -> ClientRecord? {
        guard let known = try ClientState(of: client, in: reading) else { return nil }
        try known.check(user, client)
        var lifted = known
        _ = lifted.lift(over: standing)
        guard lifted.committed == known.committed, lifted.ingested == known.ingested,
            !lifted.hear(at: Meta.received(in: reading)),
            try !known.hasToInherit(from: standing.predecessor, of: client, in: reading),
            !RefusalTree(in: reading).hasAny(
                of: client, after: known.told, through: min(standing.acknowledged, known.committed))
        else { return nil }
        return ClientRecord(
            committed: known.committed, ingested: known.ingested, openings: known.openings,
            oneWayOpenings: known.oneWayOpenings)
    }
}

extension ClientState {
    /// Lifts the numbers over what the device cannot send any more; returns how many changesets are skipped. Numbers
    /// only rise: a device that claims less than it has changes nothing.
    mutating func lift(over standing: DeviceStanding) -> UInt64 {
        // Nobody knows which opening made the skipped ones.
        let reachedOneWay = max(ingested, min(standing.oldestOneWay, Self.numberMax).subtractingOrZero(1))
        if reachedOneWay > ingested { oneWayOpenings = Openings() }
        ingested = reachedOneWay
        let reached = max(committed, min(standing.oldest, Self.numberMax).subtractingOrZero(1))
        if reached > committed { openings = Openings() }
        defer { committed = reached }
        return reached - committed
    }

    /// Whether a predecessor is new. One that is not registered, because the record was restored from an older copy,
    /// has nothing to inherit.
    func hasToInherit(
        from predecessor: ClientID, of client: ClientID, in transaction: Transaction
    ) throws(StoreFailure) -> Bool {
        guard predecessor != .nobody, predecessor != client, !predecessors.contains(predecessor) else { return false }
        return try ClientState(of: predecessor, in: transaction) != nil
    }

    /// Makes what the file wrote under another name its own.
    ///
    /// The stamps of the original are not inherited, for two reasons. They are not needed: a device's own stamps rise, so
    /// what the copy wrote behind the common past has later ones. And they would be wrong: the original may have gone on
    /// for long, and an old write of the copy would be raised above what others wrote since.
    mutating func inherit(
        from predecessor: ClientID, of client: ClientID, at version: ServerVersion, in transaction: Transaction
    ) throws(StoreFailure) {
        guard predecessor != .nobody, predecessor != client, !predecessors.contains(predecessor) else { return }
        // Nobody inherits from a client of another user, or from one that may become another user's.
        guard let earlier = try ClientState(of: predecessor, in: transaction) else { return }
        try earlier.check(user, predecessor)
        predecessors = Array(([predecessor] + earlier.predecessors + predecessors).prefix(Self.predecessorsMax))
        inherited = version
    }

    /// Leaves room above any number that a device claims.
    private static let numberMax: UInt64 = 1 << 62
}

extension UInt64 {
    fileprivate func subtractingOrZero(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}

extension ClientState {
    func check(_ user: String, _ client: ClientID) throws(StoreFailure) {
        guard self.user.isSame(as: user) else {
            throw StoreFailure(
                .permissionDenied,
                "The client \(client.rawValue) belongs to another user. A file that was synced for one user is not "
                    + "opened for another: open a file of its own for each user.")
        }
    }
}
