import CausewayModel
package import CausewayObjectStore
package import CausewayOperations

/// Operations of one transaction that the server refused for one reason, kept until the app decides [I7].
package struct QuarantinedChange: Hashable, Sendable {
    /// Unique in a file.
    package var number: UInt64
    /// When this device heard of the refusal, in milliseconds since 1970.
    package var time: UInt64
    package var code: UInt32
    package var reason: String
    /// The refused operations, in the order in which they were made.
    package var operations: [Operation]
    /// Whether they are of a one-way entry.
    package var isOneWay = false
}

extension QuarantinedChange {
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(varint: time)
        writer.write(varint: UInt64(code))
        writer.write(string: reason)
        // Operations are encoded as a changeset. Its base tells the lanes apart; its other fields mean nothing here.
        writer.write(
            raw: Changeset.encode([
                Changeset(
                    client: .nobody, sequence: number, stamp: .zero, base: isOneWay ? Self.oneWay : .zero,
                    operations: operations)
            ]))
        return writer.bytes
    }

    init(number: UInt64, encoded: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(encoded)
        time = try reader.readVarint()
        code = UInt32(truncatingIfNeeded: try reader.readVarint())
        reason = try reader.readString()
        let changeset = try Changeset.decode(Array(encoded[reader.offset...])).first
        operations = changeset?.operations ?? []
        isOneWay = changeset?.base == Self.oneWay
        self.number = number
    }

    private static let oneWay = ServerVersion(1)

    /// Decodes the code alone.
    static func code(of encoded: [UInt8]) throws(EncodingError) -> UInt32 {
        var reader = ByteReader(encoded)
        _ = try reader.readVarint()
        return UInt32(truncatingIfNeeded: try reader.readVarint())
    }
}

extension [Operation] {
    /// Takes out the refused operations, as one change for each reason. The refusals are of this entry; one of an
    /// operation that is not in it takes nothing.
    func parted(
        by refusals: [OperationRefusal], at time: UInt64, isOneWay: Bool = false
    ) -> (refused: [QuarantinedChange], left: [Operation]) {
        let byPlace = Dictionary(refusals.map { ($0.operation, $0) }) { first, _ in first }
        var changes: [QuarantinedChange] = []
        var left: [Operation] = []
        for (place, operation) in enumerated() {
            guard let refusal = byPlace[UInt64(place)] else {
                left.append(operation)
                continue
            }
            if let known = changes.firstIndex(where: { $0.code == refusal.code && $0.reason == refusal.reason }) {
                changes[known].operations.append(operation)
            } else {
                changes.append(
                    QuarantinedChange(
                        number: 0, time: time, code: refusal.code, reason: refusal.reason, operations: [operation],
                        isOneWay: isOneWay))
            }
        }
        return (changes, left)
    }
}

extension Trees {
    /// Gives each change its number and keeps it.
    func quarantine(_ changes: [QuarantinedChange]) -> [QuarantinedChange] {
        var last = quarantine.get(Self.counterKey).map(Self.number) ?? 0
        var kept = changes
        for index in kept.indices {
            last += 1
            kept[index].number = last
            quarantine.put(Self.key(last), kept[index].encoded())
        }
        quarantine.put(Self.counterKey, Self.key(last))
        return kept
    }

    /// - Parameter code: leaves out changes refused with another code.
    func quarantined(withCode code: UInt32? = nil) throws(StoreError) -> [QuarantinedChange] {
        var found: [QuarantinedChange] = []
        var failure: EncodingError?
        quarantine.scan(from: Self.key(0)) { key, value in
            do throws(EncodingError) {
                let bytes = Array(value)
                if let code, try QuarantinedChange.code(of: bytes) != code { return true }
                found.append(try QuarantinedChange(number: Self.number(key), encoded: bytes))
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw damaged(failure) }
        return found
    }

    func quarantined(_ number: UInt64) throws(StoreError) -> QuarantinedChange? {
        guard let bytes = quarantine.get(Self.key(number)) else { return nil }
        do throws(EncodingError) {
            return try QuarantinedChange(number: number, encoded: bytes)
        } catch {
            throw damaged(error)
        }
    }

    /// Shorter than every number's key, and in front of them.
    private static let counterKey: [UInt8] = [0]
}

// MARK: - What the app does with them

extension Replica {
    /// What the server refused and the app has not decided about, oldest first.
    package static func quarantined(in transaction: Transaction) throws(StoreError) -> [QuarantinedChange] {
        try Trees(transaction).quarantined()
    }

    /// The numbers of the changes refused with a code whose objects are all here, or made by the change itself. An
    /// object that is out of view and stays only because something is pending does not count: the server would refuse
    /// the change again.
    package static func quarantined(
        withCode code: UInt32, becameApplicableIn transaction: Transaction
    ) throws(StoreError) -> [UInt64] {
        let trees = Trees(transaction)
        return try trees.quarantined(withCode: code).filter { change in
            var made: Set<ObjectReference> = []
            return change.operations.allSatisfy { operation in
                let target = operation.target
                if case .create = operation { made.insert(target) }
                return made.contains(target) || isInView(target, trees, in: transaction)
            }
        }.map(\.number)
    }

    private static func isInView(_ object: ObjectReference, _ trees: Trees, in transaction: Transaction) -> Bool {
        guard let table = transaction.table(object.className), let row = table.key(for: object.key) else {
            return false
        }
        // An embedded object has left with its holder.
        let holder = table.outermost(of: row)
        guard let key = holder.table.primaryKey(of: holder.key) else { return false }
        return trees.lastSeen(ObjectReference(holder.table.name, key)) == nil
    }

    /// Forgets a refused change. Nothing happens if it is not there any more.
    package static func dropQuarantined(_ number: UInt64, in transaction: Transaction) {
        let trees = Trees(transaction)
        if trees.quarantine.get(Trees.key(number)) != nil { trees.quarantine.remove(Trees.key(number)) }
    }

    /// Logs a refused change once more, as a new changeset that is later than everything seen so far, and shows it.
    ///
    /// The transaction must not have changed anything yet: its objects without pending operations are taken for the
    /// server's state.
    ///
    /// - Parameter now: the device's wall clock in milliseconds since 1970.
    /// - Returns: False if the change is not there any more.
    package func submitQuarantined(
        _ number: UInt64, in transaction: Transaction, now: UInt64
    ) throws(StoreError) -> Bool {
        let trees = Trees(transaction)
        guard let change = try trees.quarantined(number) else { return false }
        trees.quarantine.remove(Trees.key(number))
        if change.isOneWay {
            try logOneWay(change.operations, in: transaction)
            return true
        }
        try log(change.operations, in: transaction, now: now)
        let application = try ViewApplication(
            transaction, state: state(in: transaction), work, knownRuns, acknowledged: 0)
        try application.showAgain(Set(change.operations.map(\.target)))
        return true
    }
}
