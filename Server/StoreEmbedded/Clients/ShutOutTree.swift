import CausewayJournal
import CausewayObjectStore
import CausewayOperations
package import CausewayStore

/// Users and clients whom the operator has shut out, in a replica: all nodes know the same. A server alone has them in a file of
/// its own, which a restore leaves as it is.
///
/// | Tree | Key | Value |
/// |---|---|---|
/// | shutOut | `ShutOut.Subject` | `ShutOut` |
struct ShutOutTree {
    private let transaction: Transaction

    init(in transaction: Transaction) {
        self.transaction = transaction
    }

    private var tree: Tree { transaction.tree(Layout.shutOut) }

    func shutOut(_ shutOut: ShutOut) throws(StoreFailure) {
        let key = shutOut.subject.encoded
        let before = try tree.get(key).map { bytes throws(StoreFailure) in try Self.read(bytes) }
        if before == nil, tree.count >= ShutOut.countMax { throw ShutOut.tooMany }
        tree.put(key, shutOut.after(before).encoded)
    }

    /// Takes over a list that is as long as it may be at most.
    func fill(with list: [ShutOut]) { for shutOut in list { tree.put(shutOut.subject.encoded, shutOut.encoded) } }

    /// - Returns: whether it was there.
    func letIn(_ subject: ShutOut.Subject) -> Bool { tree.remove(subject.encoded) }

    func removeAll() { tree.removeRange() }

    func read() throws(StoreFailure) -> [ShutOut] {
        var all: [[UInt8]] = []
        tree.scan { _, value in
            all.append(Array(value))
            return true
        }
        return try all.map { bytes throws(StoreFailure) in try Self.read(bytes) }
    }

    private static func read(_ bytes: [UInt8]) throws(StoreFailure) -> ShutOut {
        do throws(EncodingError) {
            return try ShutOut(encoded: bytes)
        } catch {
            throw StoreFailure(damaged: Layout.shutOut, error)
        }
    }
}

extension StoreEmbedded {
    /// Whom the journal says to be shut out; of a database of one server, nobody.
    package func shutOuts() throws(StoreFailure) -> [ShutOut] {
        try read { transaction throws(StoreFailure) in try ShutOutTree(in: transaction).read() }
    }
}
