import CausewayMerge
import CausewayModel
package import CausewayObjectStore
import CausewayOperations

/// How many acknowledged changesets a device keeps, to refill a server that was restored from an older copy.
///
/// Both bounds hold. Changesets beyond either are removed, oldest first, in the transactions that acknowledge something
/// new. `KeptClock` tells how old they are, even after a wrong reading of the device's clock.
package struct KeptLimits: Hashable, Sendable {
    package var milliseconds: UInt64
    package var bytes: UInt64
    /// The most changesets that one commit removes beyond the number that it adds, so that its work stays bounded.
    package var removalsAtOnce: Int

    package init(milliseconds: UInt64, bytes: UInt64, removalsAtOnce: Int) {
        self.milliseconds = milliseconds
        self.bytes = bytes
        self.removalsAtOnce = removalsAtOnce
    }

    package static let standard = KeptLimits(
        milliseconds: 7 * 24 * 3_600 * 1_000, bytes: 16 << 20, removalsAtOnce: 256)
}

/// Acknowledged changesets, without gaps up to the last one acknowledged.
struct KeptChangesets {
    private let trees: Trees

    init(_ trees: Trees) {
        self.trees = trees
    }

    /// Key of the sum of all values' sizes; shorter than every number's key, and in front of them.
    private static let sizeKey: [UInt8] = [0]
    /// The key of the clock, in front of them too.
    private static let clockKey: [UInt8] = [0, 0]

    private var sizeBytes: UInt64 {
        get { trees.kept.get(Self.sizeKey).map(Trees.number) ?? 0 }
        nonmutating set { trees.kept.put(Self.sizeKey, Trees.key(newValue)) }
    }

    /// The oldest one; nil when there is none.
    var oldest: UInt64? {
        var found: UInt64?
        trees.kept.scan(from: Trees.key(0)) { key, _ in
            found = Trees.number(key)
            return false
        }
        return found
    }

    /// Takes in a reading of the device's clock.
    ///
    /// - Parameter acknowledged: the last changeset acknowledged before. Earlier versions of the library kept a reading
    ///   with each changeset, and no clock; then the clock starts from that reading.
    /// - Returns: the time to keep with what is acknowledged now.
    func time(at now: UInt64, after acknowledged: UInt64) -> UInt64 {
        let known = trees.kept.get(Self.clockKey).flatMap(KeptClock.init(encoded:))
        let newest = known == nil ? trees.kept.get(Trees.key(acknowledged)).map { Trees.number($0.prefix(8)) } : nil
        var clock = known ?? KeptClock(startingAt: newest ?? now)
        clock.receive(now)
        trees.kept.put(Self.clockKey, clock.encoded)
        return clock.time
    }

    func keep(_ changeset: [UInt8], sequence: UInt64, at time: UInt64) {
        let value = Trees.key(time) + changeset
        trees.kept.put(Trees.key(sequence), value)
        sizeBytes += UInt64(value.count)
    }

    /// Removes what is beyond the limits.
    func trim(_ limits: KeptLimits, added: Int, at time: UInt64) {
        var size = sizeBytes
        let eldest = time - min(time, limits.milliseconds)
        var last: UInt64?
        var removals = added + limits.removalsAtOnce
        trees.kept.scan(from: Trees.key(0)) { key, value in
            let isOld = Trees.number(UnsafeRawBufferPointer(rebasing: value.prefix(8))) < eldest
            guard removals > 0, isOld || size > limits.bytes else { return false }
            removals -= 1
            size -= min(size, UInt64(value.count))
            last = Trees.number(key)
            return true
        }
        guard let last else { return }
        trees.kept.removeRange(from: Trees.key(0), upTo: Trees.key(last + 1))
        sizeBytes = size
    }

    /// Removes the changesets after a number and returns them, in order, as they were logged.
    func take(after sequence: UInt64) throws(StoreError) -> [(changeset: Changeset, bytes: [UInt8])] {
        var taken: [(changeset: Changeset, bytes: [UInt8])] = []
        var size = sizeBytes
        var failure: EncodingError?
        trees.kept.scan(from: Trees.key(sequence + 1)) { _, value in
            let bytes = Array(value.dropFirst(8))
            size -= min(size, UInt64(value.count))
            do throws(EncodingError) {
                if let changeset = try Changeset.decode(bytes).first { taken.append((changeset, bytes)) }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw trees.damaged(failure) }
        trees.kept.removeRange(from: Trees.key(sequence + 1), upTo: nil)
        sizeBytes = size
        return taken
    }

    func removeAll() {
        trees.kept.removeRange()
    }
}

// MARK: - A server that was restored from an older copy

extension Replica {
    /// The oldest changeset that this file can still send: a kept one, or the oldest that is pending.
    package func oldestChangeset(in transaction: Transaction) throws(StoreError) -> UInt64 {
        if let oldest = KeptChangesets(Trees(transaction)).oldest { return oldest }
        return try state(in: transaction).acknowledged + 1
    }

    /// Makes changesets pending again that the server had acknowledged and has lost, from the kept ones.
    ///
    /// What the server has of their objects is unknown until it says so. Their bases are empty until then, and what the
    /// app sees stays. The checkpoint is forgotten: the next hello asks for a resync.
    ///
    /// - Parameter committed: the last changeset that the server has.
    /// - Throws: `invalidValue` when changesets after that one are missing here.
    package func refill(after committed: UInt64, in transaction: Transaction) throws(StoreError) {
        let trees = Trees(transaction)
        var state = try state(in: transaction)
        guard committed < state.acknowledged else { return }
        let kept = try KeptChangesets(trees).take(after: committed)
        guard kept.first?.changeset.sequence == committed + 1, kept.last?.changeset.sequence == state.acknowledged,
            UInt64(kept.count) == state.acknowledged - committed
        else {
            throw StoreError(
                .invalidValue,
                "The server has lost changesets that this file does not keep any more. Restore a newer copy of the "
                    + "server's database, or open a new file.",
                path: transaction.store.path)
        }
        var last: [ObjectReference: UInt64] = [:]
        for (changeset, bytes) in kept {
            let key = Trees.key(changeset.sequence)
            var touched = TouchedBy()
            var named: Set<ObjectReference> = []
            for operation in changeset.operations where named.insert(operation.target).inserted {
                touched.others.append(TouchedBy.Change(object: operation.target, previous: last[operation.target] ?? 0))
                last[operation.target] = changeset.sequence
            }
            trees.log.put(key, bytes)
            trees.touched.put(key, touched.encoded())
        }
        let adopted = try adopt(last, trees, in: transaction)
        try link(last, adopted, trees, state)
        // Versions that the server has lost say nothing about those that it makes now.
        trees.left.removeRange()
        state.acknowledged = committed
        state.version = .zero
        trees.save(state)
    }

    /// Gives the objects of the kept changesets an empty base. Returns, by pending changeset, the objects that it
    /// created again and that have ended since: such objects had no base.
    private func adopt(
        _ last: [ObjectReference: UInt64], _ trees: Trees, in transaction: Transaction
    ) throws(StoreError) -> [UInt64: [ObjectReference]] {
        var adopted: [UInt64: [ObjectReference]] = [:]
        for (object, sequence) in last {
            var newest = max(sequence, try trees.storedBase(object)?.lastSequence ?? 0)
            if let key = transaction.table(object.className)?.keyOrGhost(for: object.key),
                let creation = trees.fresh.creator(of: object.className, key)
            {
                newest = max(newest, creation)
                adopted[creation, default: []].append(object)
            }
            trees.save(BaseCopy(state: ObjectState(), lastSequence: newest), object)
        }
        return adopted
    }

    /// Links the kept changesets in front of the pending ones about the same objects.
    private func link(
        _ last: [ObjectReference: UInt64], _ adopted: [UInt64: [ObjectReference]], _ trees: Trees, _ state: ReplicaState
    ) throws(StoreError) {
        for (sequence, found) in try trees.touched(after: state.acknowledged, through: state.lastSequence) {
            var touched = found
            for index in touched.others.indices where touched.others[index].previous == 0 {
                touched.others[index].previous = last[touched.others[index].object] ?? 0
            }
            let created = adopted[sequence, default: []].sorted { ($0.className, $0.key) < ($1.className, $1.key) }
            touched.others += created.map { TouchedBy.Change(object: $0, previous: last[$0] ?? 0) }
            if touched != found { trees.touched.put(Trees.key(sequence), touched.encoded()) }
        }
    }
}
