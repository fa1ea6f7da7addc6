import CausewayModel
import CausewayObjectStore

/// Links at rest are row keys, links in motion are primary keys: this turns one into the other.
struct Links {
    private let transaction: Transaction

    init(_ transaction: Transaction) {
        self.transaction = transaction
    }

    /// A stored value as it travels. A link whose row is not even a ghost any more travels as null.
    func travelling(_ value: Value, target: String?) -> Value {
        guard case .object(let key) = value else { return transaction.travelling(value) }
        guard let target, let primaryKey = transaction.table(target)?.primaryKey(of: key) else { return .null }
        return .link(primaryKey)
    }
}
