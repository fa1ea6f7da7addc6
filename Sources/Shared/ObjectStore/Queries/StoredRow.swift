import CausewayModel
import CausewayQuery

/// One object of a transaction for the row evaluator, which serves predicates that have no faster way.
struct StoredRow: RowSource {
    let table: Table
    let key: ObjectKey

    func value(of property: Int, in className: String) -> Value {
        table.value(key, property)
    }

    func elements(of property: Int, in className: String) -> [Value] {
        table.listValues(key, property)
    }

    func origins(of property: Int, in className: String?) -> [Value] {
        guard let className else { return table.allBacklinks(to: key).map { .object($0) } }
        guard let origin = table.transaction.knownTable(className) else { return [] }
        return table.backlinks(to: key, from: origin, property).filter(origin.exists).map { .object($0) }
    }

    func nested(in value: Value) -> NestedContent? {
        guard let (table, key, kind) = table.transaction.nested(value) else { return nil }
        let values = table.transaction.elements(of: table, key)
        return kind == .list ? .list(values) : .map(table.mapKeys(key, NestedCollection.column), values)
    }

    func object(at link: Value, in target: String) -> StoredRow? {
        guard let table = table.transaction.knownTable(target), let key = Self.key(link, table), table.exists(key)
        else {
            return nil
        }
        return StoredRow(table: table, key: key)
    }

    func namesSameObject(_ left: Value, _ right: Value, in target: String) -> Bool {
        if case (.object(let left), .object(let right)) = (left, right) { return left == right }
        if left == right { return true }
        let transaction = table.transaction
        if let left = Self.classed(left, transaction), let right = Self.classed(right, transaction) {
            return left == right
        }
        guard let table = table.transaction.knownTable(target) else { return false }
        // A primary key without a row names no object here.
        guard let left = Self.key(left, table), let right = Self.key(right, table) else { return false }
        return left == right
    }

    /// The row that a mixed link names; nil when there is none.
    static func classed(_ link: Value, _ transaction: Transaction) -> ClassedKey? {
        switch link {
        case .anyObject(let object): object
        case .anyLink(let link):
            transaction.knownTable(link.className).flatMap { target in
                target.keyOrGhost(for: link.key).map { ClassedKey(target.number, $0) }
            }
        default: nil
        }
    }

    static func key(_ link: Value, _ table: Table) -> ObjectKey? {
        switch link {
        case .object(let key): key
        case .link(let primaryKey): table.keyOrGhost(for: primaryKey)
        default: nil
        }
    }
}
