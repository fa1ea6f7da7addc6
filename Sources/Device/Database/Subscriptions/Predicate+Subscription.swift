import CausewayModel
import CausewayObjectStore
import CausewayQuery

// The server evaluates subscriptions. It identifies properties by stored names and objects by primary keys.

extension CausewayQuery.Predicate {
    /// The canonical text for the server, with primary keys in place of this file's row keys.
    ///
    /// - Throws: `Realm.Error.subscriptionFailed` for an object without a primary key, or one that is gone.
    func subscriptionText(of className: String, in transaction: Transaction) throws -> String {
        let schema = transaction.schema
        let travelling = try mappingValues { path, value in
            switch value {
            case .object(let key):
                if let target = path.flatMap({ Self.target(of: $0, from: className, in: schema) }),
                    let primaryKey = transaction.table(target)?.primaryKey(of: key)
                {
                    return .link(primaryKey)
                }
            case .anyObject:
                let link = transaction.travelling(value)
                if !link.isNull { return link }
            default: return value
            }
            throw Realm.Error(
                .subscriptionFailed,
                "A subscription to '\(className)' compares with an object that has no primary key or is gone. "
                    + "Compare with a property of it that the queried class stores itself.")
        }
        return travelling.description
    }

    private static func target(of path: PropertyPath, from className: String, in schema: StoredSchema) -> String? {
        var current: String? = className
        for name in path.names {
            guard let owner = current.flatMap({ schema[$0] }), let index = owner.index(of: name) else { return nil }
            current = owner.properties[index].target
        }
        return current
    }
}
