import CausewayModel
import CausewayObjectStore
import CausewayOperations

/// The operations of the log, by object.
///
/// Acknowledged changesets leave the log, so they are all read, once. Of the pending ones, only those about a requested
/// object are read: the object's base names the last one, and each names the one before it (`TouchedBy`). So an
/// acknowledgement costs what it removes from the log, however much stays in it.
final class LoggedOperations {
    struct Entry {
        let sequence: UInt64
        /// The index in its changeset.
        let place: UInt64
        let stamp: Stamp
        let operation: Operation
    }

    private let transaction: Transaction
    private let trees: Trees
    private let state: ReplicaState
    private let acknowledged: UInt64
    private var outgoing: [ObjectReference: [Entry]]?
    /// Pending changesets with many operations, kept decoded: later requests are about their other objects.
    private var large: [UInt64: [ObjectReference: [Entry]]] = [:]
    private var largePrevious: [UInt64: [ObjectReference: UInt64]] = [:]

    private static let operationsOfLarge = 16

    /// - Parameter acknowledged: the last changeset that is about to leave the log.
    init(_ transaction: Transaction, _ trees: Trees, _ state: ReplicaState, acknowledged: UInt64) {
        self.transaction = transaction
        self.trees = trees
        self.state = state
        self.acknowledged = acknowledged
    }

    /// The operations about an object that leave the log.
    func acknowledged(about object: ObjectReference) throws(StoreError) -> [Entry] {
        if let outgoing { return outgoing[object] ?? [] }
        var found: [ObjectReference: [Entry]] = [:]
        try trees.changesets(in: trees.log, after: state.acknowledged, through: acknowledged) { changeset, _ in
            for entry in Self.entries(of: changeset) { found[entry.operation.target, default: []].append(entry) }
            return true
        }
        outgoing = found
        return found[object] ?? []
    }

    /// The operations about an object that stay in the log.
    ///
    /// - Parameter last: the last changeset that changed the object.
    func pending(about object: ObjectReference, through last: UInt64) throws(StoreError) -> [Entry] {
        var changesets: [[Entry]] = []
        var sequence = last
        while sequence > acknowledged {
            changesets.append(try entries(in: sequence, about: object))
            guard let previous = try previous(to: sequence, about: object) else { break }
            guard previous < sequence else {
                throw trees.damaged(
                    EncodingError(.malformed, "changeset \(sequence) names \(previous) as an earlier one", offset: 0))
            }
            sequence = previous
        }
        return changesets.reversed().flatMap { $0 }
    }

    /// The logged changeset that created an object without a base.
    func creator(of object: ObjectReference) throws(StoreError) -> UInt64? {
        guard let table = transaction.table(object.className) else { return nil }
        if let key = table.keyOrGhost(for: object.key),
            let sequence = trees.fresh.creator(of: object.className, key)
        {
            return sequence
        }
        // An embedded object's row goes with its holder. If it was made here, the log still has its creation.
        guard case .container(let id) = object.key, state.hasMade(id), table.key(for: object.key) == nil else {
            return nil
        }
        if let last = try acknowledged(about: object).last { return last.sequence }
        guard let sequence = try firstPending(reaching: id.counter) else { return nil }
        return try entries(in: sequence, about: object).last?.sequence
    }

    /// The first pending changeset in which the counter of elements had reached a number.
    private func firstPending(reaching counter: UInt64) throws(StoreError) -> UInt64? {
        var (low, high) = (acknowledged + 1, state.lastSequence + 1)
        // Mostly it is the oldest one.
        if low < high, try elementCounter(of: low) >= counter { return low }
        while low < high {
            let middle = low + (high - low) / 2
            if try elementCounter(of: middle) < counter { low = middle + 1 } else { high = middle }
        }
        return low <= state.lastSequence ? low : nil
    }

    private var counters: [UInt64: UInt64] = [:]

    private func elementCounter(of sequence: UInt64) throws(StoreError) -> UInt64 {
        if let known = counters[sequence] { return known }
        let counter = try trees.touched(sequence)?.elementCounter ?? 0
        counters[sequence] = counter
        return counter
    }

    // MARK: - One changeset

    private static func entries(of changeset: Changeset) -> [Entry] {
        changeset.operations.enumerated().map { place, operation in
            Entry(sequence: changeset.sequence, place: UInt64(place), stamp: changeset.stamp, operation: operation)
        }
    }

    private func entries(in sequence: UInt64, about object: ObjectReference) throws(StoreError) -> [Entry] {
        if let known = large[sequence] { return known[object] ?? [] }
        guard let changeset = try trees.entry(sequence, of: trees.log) else { return [] }
        let entries = Self.entries(of: changeset)
        guard entries.count > Self.operationsOfLarge else { return entries.filter { $0.operation.target == object } }
        let byObject = Dictionary(grouping: entries, by: \.operation.target)
        large[sequence] = byObject
        return byObject[object] ?? []
    }

    /// The changeset before it that changed the object; nil if it was the first, or created the object.
    private func previous(to sequence: UInt64, about object: ObjectReference) throws(StoreError) -> UInt64? {
        if let known = largePrevious[sequence] { return known[object] }
        guard let touched = try trees.touched(sequence) else { return nil }
        guard touched.others.count > Self.operationsOfLarge else {
            return touched.others.first { $0.object == object }?.previous
        }
        let byObject = Dictionary(touched.others.lazy.map { ($0.object, $0.previous) }) { first, _ in first }
        largePrevious[sequence] = byObject
        return byObject[object]
    }
}
