import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// What was refused of each client's changesets, kept until its device has stored it [I7].
struct RefusalTree {
    private let transaction: Transaction

    init(in transaction: Transaction) {
        self.transaction = transaction
    }

    func append(_ refusals: [Refusal], of client: ClientID) {
        guard !refusals.isEmpty else { return }
        let tree = transaction.tree(Layout.refusals)
        for refusal in refusals {
            var writer = ByteWriter()
            writer.write(string: refusal.failure.code.name)
            writer.write(string: refusal.failure.message)
            writer.write(string: refusal.target.className)
            writer.write(refusal.target.key)
            tree.put(
                Self.key(client, refusal.sequence) + Layout.bytes(UInt32(truncatingIfNeeded: refusal.operation)),
                writer.bytes)
        }
    }

    /// In the order of changesets and operations.
    func refusals(
        of client: ClientID, after acknowledged: UInt64, through last: UInt64
    ) throws(StoreFailure) -> [Refusal] {
        guard last > acknowledged else { return [] }
        var found: [Refusal] = []
        var damage: StoreFailure?
        transaction.tree(Layout.refusals)
            .scan(from: Self.key(client, acknowledged + 1), upTo: Self.end(client, last)) { key, value in
                do throws(StoreFailure) {
                    found.append(try Self.refusal(key, value))
                    return true
                } catch {
                    damage = error
                    return false
                }
            }
        if let damage { throw damage }
        return found
    }

    func hasAny(of client: ClientID, through last: UInt64) -> Bool {
        var found = false
        transaction.tree(Layout.refusals).scan(from: Self.key(client, 0), upTo: Self.end(client, last)) { _, _ in
            found = true
            return false
        }
        return found
    }

    func forget(_ client: ClientID, through last: UInt64) {
        transaction.tree(Layout.refusals).removeRange(from: Self.key(client, 0), upTo: Self.end(client, last))
    }

    private static func refusal(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(StoreFailure) -> Refusal {
        guard let sequence: UInt64 = Layout.number(key, at: 8), let operation: UInt32 = Layout.number(key, at: 16)
        else { throw StoreFailure(missing: "the number of a refusal", Layout.refusals) }
        var reader = ByteReader(Array(value))
        do {
            let code = StoreFailure.Code(try reader.readString())
            let message = try reader.readString()
            let target = ObjectReference(try reader.readString(), try reader.readPrimaryKey())
            return Refusal(
                sequence: sequence, operation: Int(operation), target: target, failure: StoreFailure(code, message))
        } catch {
            throw StoreFailure(damaged: Layout.refusals, error)
        }
    }

    private static func key(_ client: ClientID, _ sequence: UInt64) -> [UInt8] {
        Layout.bytes(client.rawValue) + Layout.bytes(sequence)
    }

    /// Behind every refusal of the client's changesets up to this one.
    private static func end(_ client: ClientID, _ last: UInt64) -> [UInt8] {
        key(client, last) + Layout.bytes(UInt32.max)
    }
}
