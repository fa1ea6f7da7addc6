import CausewayModel
import CausewayObjectStore
import CausewayQuery

// A subscription is evaluated by the server, which knows properties by their stored names and objects by their keys.

extension CausewayQuery.Predicate {
    /// The canonical text for the server, with links in place of this file's row keys.
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
