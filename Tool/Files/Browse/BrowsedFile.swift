package import CausewayAdmin
package import CausewayBrowsing
import CausewayJSON
import CausewayModel
import CausewayObjectStore
import Dispatch

/// A file whose objects somebody looks at. Pieces of work take turns; changes have a queue of their own, because another program may
/// write for long.
package final class BrowsedFile: BrowsedDatabase, BrowsedPlace {
    /// As its routes call it.
    package let name: String
    let isWritable: Bool
    package let searches = Searches()
    private let store: ObjectStore
    private let queue = DispatchQueue(label: "causeway.browse")
    private let changing = DispatchQueue(label: "causeway.browse.change")
    let receipts = FileReceipts()

    /// - Parameter isWritable: whether objects are changed too. The file has to be a local one then.
    package init(_ file: OpenedFile, isWritable: Bool) throws {
        let path = file.path
        if isWritable {
            try file.read { try FileSummary.role(of: $0).refuseUnlessLocal(path, "a change") }
        }
        name = path.split(separator: "/").last.map(String.init) ?? path
        self.isWritable = isWritable
        store = file.store
    }

    package var searchBounds: ObjectSearch.Bounds { .init(time: .seconds(60)) }

    package func use<Value: Sendable>(
        _ name: String, _ body: (any BrowsedDatabase) async throws(AdminError) -> Value
    ) async throws(AdminError) -> Value {
        guard name == self.name else {
            throw AdminError(.databaseUnknown, "What is open is the file “\(self.name)”.")
        }
        return try await body(self)
    }

    package func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await Self.run(on: queue, body)
    }

    private static func run<Value: Sendable>(
        on queue: DispatchQueue, _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }

    package func state() throws(AdminError) -> BrowsedState {
        let transaction = try AdminError.reporting { () throws(StoreError) in try store.read() }
        return BrowsedState(of: transaction) { transaction.end() }
    }

    /// Changes the file in one transaction, or leaves it as it is.
    ///
    /// - Parameter committed: told what the body returned, once it is in the file and before the next change begins.
    /// - Returns: what the body returns, and the version that the file has then.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws(AdminError) -> Value,
        committed: @escaping @Sendable (Value) -> Void
    ) async throws(AdminError) -> (value: Value, version: UInt64) {
        let result = await Self.run(on: changing) { [store] in
            Result { () throws(AdminError) in
                let transaction = try AdminError.reporting { () throws(StoreError) in try store.write() }
                defer { transaction.end() }
                let value = try body(transaction)
                let version = try AdminError.reporting { () throws(StoreError) in try transaction.commit() }
                committed(value)
                return (value, version)
            }
        }
        return try result.get()
    }
}

extension BrowsedState {
    /// Of a file: objects have the form of the tool's queries.
    convenience init(of transaction: Transaction, end: @escaping () -> Void = {}) {
        let line = ObjectLine(transaction)
        self.init(
            version: transaction.version, transaction,
            writing: { object, columns, json throws(AdminError) in
                do {
                    try line.write(object.key, object.table, columns: columns, to: &json)
                } catch {
                    throw AdminError(.serverFault, "\(error)")
                }
            }, end: end)
    }
}
