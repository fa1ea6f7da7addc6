import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewayStorage
import CausewaySyncedFile
import CausewayWire

// What is in a device's file: for the app, and for the checks.

extension DeviceProcess {
    func read<R>(_ body: (Transaction) throws -> R) throws -> R {
        let transaction = try store.read()
        defer { transaction.end() }
        return try body(transaction)
    }

    /// Commits what the body did, or nothing of it if the body throws.
    func write<R>(_ body: (Transaction) throws -> R) throws -> R {
        let transaction = try store.write()
        defer { transaction.end() }
        do {
            let result = try body(transaction)
            _ = try transaction.commit(.relaxed)
            return result
        } catch {
            if transaction.isWritable { transaction.abort() }
            throw error
        }
    }

    func state() throws -> ReplicaState { try read { try replica.state(in: $0) } }

    /// Of one version of the subscriptions, as the file has kept them.
    func queries(_ version: UInt64) throws -> QuerySet { try read { try SubscriptionTree($0).queries(version) } }

    func content() throws -> [String: [PrimaryKey: Picture]] {
        try read { transaction in
            var content: [String: [PrimaryKey: Picture]] = [:]
            for declared in schema.classes where declared.kind == .object {
                content[declared.name] = transaction.pictures(declared.name)
            }
            return content
        }
    }

    /// Top-level objects that pending changesets are about, by themselves or by what is embedded in them.
    func pendingObjects() throws -> Set<ObjectReference> {
        try read { transaction in
            var objects: Set<ObjectReference> = []
            var sequence = try replica.state(in: transaction).acknowledged
            // What was written in different openings of the file is read in as many turns.
            while let last = try collect(after: sequence, transaction, &objects) { sequence = last }
            return objects
        }
    }

    /// - Returns: the last changeset that was read; nil when none is left.
    private func collect(
        after sequence: UInt64, _ transaction: Transaction, _ objects: inout Set<ObjectReference>
    ) throws -> UInt64? {
        let pending = try replica.pending(in: transaction, after: sequence, limitBytes: 1 << 30)
        for operation in pending.flatMap(\.operations) {
            objects.insert(operation.target)
            guard case .container = operation.target.key else { continue }
            if let root = transaction.root(of: operation.target) { objects.insert(root) }
        }
        return pending.last?.sequence
    }
}
