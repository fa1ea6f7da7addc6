package import CausewayModel
package import CausewayObjectStore
package import CausewayOperations
import Synchronization

/// The sync bookkeeping of one device's file: what was done here and not acknowledged, and where the file stands.
///
/// Invariants, each within one storage transaction:
/// 1. A write of the app and its changeset commit together [I1].
/// 2. For every object that a logged changeset touched there is a base: absent when a logged changeset created it
///    (`TouchedBy.fresh`), otherwise a `BaseCopy` by reference. What has no base is the server's state itself.
/// 3. What the app sees of an object is its base with the logged operations about it joined, in order [I4].
///
/// Everything lives in trees of the file, so a transaction that is aborted undoes its bookkeeping too, and the replica
/// itself holds nothing but the client's name, the measured clock offset, and runs of texts that it can read again.
package final class Replica: Sendable {
    /// The client when the file was opened. A file that is found to be a copy gets another one.
    package let client: ClientID
    /// Names this opening of the file; see `Openings`.
    package let opening: UInt64
    /// The first number of the ids of this opening; zero before it gives any.
    private let firstElement = Atomic<UInt64>(0)
    let clock = HybridClock()
    package let work = LogWork()
    let knownRuns = KnownRuns()

    private init(client: ClientID, opening: UInt64) {
        self.client = client
        self.opening = opening
    }

    /// Opens the bookkeeping of a file, and makes it if there is none.
    ///
    /// - Parameters:
    ///   - transaction: writable if the file may have no bookkeeping yet.
    ///   - newClient: the name to give a new file: random, never used before.
    ///   - opening: names this opening, so that a copy of the file is told from it: random, never used before. Zero for
    ///     none.
    package static func open(
        in transaction: Transaction, newClient: @autoclosure () -> ClientID, opening: UInt64 = 0
    ) throws(StoreError) -> Replica {
        let stored = try Trees(transaction).loadState()
        if let stored, stored.client != .nobody {
            if !stored.isIndexed, transaction.isWritable { try Trees(transaction).index(stored) }
            return Replica(client: stored.client, opening: opening)
        }
        let state = ReplicaState(client: newClient(), at: stored)
        Trees(transaction).save(state)
        return Replica(client: state.client, opening: opening)
    }

    /// How much sync bookkeeping a file has.
    package enum Presence: Hashable, Sendable {
        /// The file is a local one.
        case none
        /// A checkpoint without a client: a copy for another device, see ``leaveName(in:)``.
        case nameless
        /// An earlier build wrote it: it is to be opened in a writable transaction once.
        case older
        case complete
    }

    package static func presence(in transaction: Transaction) throws(StoreError) -> Presence {
        guard let state = try Trees(transaction).loadState() else { return .none }
        if state.client == .nobody { return .nameless }
        return state.isIndexed ? .complete : .older
    }

    /// Tells the replica what the server's clock said, so that stamps of devices with wrong clocks compare fairly.
    ///
    /// - Parameters:
    ///   - serverTime: the server's clock in milliseconds since 1970, read within the round trip.
    ///   - localTime: this device's clock when the answer arrived.
    ///   - roundTrip: how long the request took, in milliseconds: the uncertainty of the moment of reading.
    package func observe(serverTime: UInt64, localTime: UInt64, roundTrip: UInt64 = 0) {
        clock.observe(serverTime: serverTime, localTime: localTime, roundTrip: roundTrip)
    }

    package func state(in transaction: Transaction) throws(StoreError) -> ReplicaState {
        try Trees(transaction).loadState() ?? ReplicaState(client: client)
    }

    /// Notes this opening of the file before it makes a changeset or an id.
    ///
    /// Each opening counts its ids from a number of its own, far from all others, so two files that were one never give
    /// the same id. If two programs write in turns, each of them leaps once.
    func enter(_ state: inout ReplicaState, in transaction: Transaction) {
        guard opening != 0, state.openings.runs.last?.id != opening else { return }
        let trees = Trees(transaction)
        trees.keep(state.openings.note(opening, from: state.lastSequence + 1), of: .changesets)
        trees.keep(state.oneWayOpenings.note(opening, from: state.lastOneWay + 1), of: .oneWay)
        let first = firstElement.load(ordering: .relaxed)
        // A transaction that was rolled back has undone the leap.
        guard first == 0 || state.elementCounter < first else { return }
        state.elementCounter += 1 + opening & Self.leapMax
        firstElement.store(state.elementCounter, ordering: .relaxed)
    }

    /// Which openings of the file made its changesets and its one-way entries, back to the last ones acknowledged.
    package func openings(
        in transaction: Transaction
    ) throws(StoreError) -> (changesets: Openings, oneWay: Openings) {
        let (trees, state) = (Trees(transaction), try state(in: transaction))
        return (
            trees.openings(of: .changesets, state.openings), trees.openings(of: .oneWay, state.oneWayOpenings)
        )
    }

    /// The longest leap. In 64 bits, as many openings fit as a file will ever have.
    private static let leapMax: UInt64 = (1 << 40) - 1

    /// A name for a new embedded object, unique for ever.
    package func container(in transaction: Transaction) throws(StoreError) -> PrimaryKey {
        var state = try state(in: transaction)
        enter(&state, in: transaction)
        let id = state.nextElement()
        Trees(transaction).save(state)
        return .container(id)
    }
}
