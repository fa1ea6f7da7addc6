import CausewayMerge
import CausewayModel
import CausewayObjectStore

/// Turns stored links, which are row keys, into links as they are sent, which are primary keys.
struct Links {
    private let transaction: Transaction

    init(_ transaction: Transaction) {
        self.transaction = transaction
    }

    /// A stored value as it is sent. A link becomes null if its row is not even a ghost any more.
    func travelling(_ value: Value, target: String?) -> Value {
        guard case .object(let key) = value else { return transaction.travelling(value) }
        guard let target, let primaryKey = transaction.table(target)?.primaryKey(of: key) else { return .null }
        return .link(primaryKey)
    }
}

extension Table {
    /// A set or map as it is sent, without stamps: the server keeps them. A link whose row has no primary key any more
    /// is left out of a set and is null in a map.
    func entries(of key: ObjectKey, _ column: Int, _ links: Links) -> KeyedState {
        let property = schema.properties[column]
        let values = listValues(key, column).map { links.travelling($0, target: property.target) }
        if property.collection == .map {
            return KeyedState(
                zip(mapKeys(key, column), values).map { .init(key: .string($0), value: $1, stamp: .zero) })
        }
        let elements = property.type == .object ? values.filter { !$0.isNull } : values
        return KeyedState(elements.map { .init(key: $0, value: .null, stamp: .zero) })
    }
}
