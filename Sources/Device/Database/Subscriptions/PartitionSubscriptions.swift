import CausewayModel
import CausewayQuery
import CausewaySyncedFile
import Foundation

/// The subscriptions for a partition value: for each class, the objects whose partition property has the value.
struct PartitionSubscriptions {
    private let predicate: String
    private let classNames: [String]

    /// - Throws: `Realm.Error` when a class does not store the property, or the value has an unsupported type.
    init(_ value: AnyBSON, _ app: AppState, _ classes: StoredSchema) throws {
        let key = app.configuration.partitionKey
        let synced = classes.classes.filter { $0.kind == .object }
        for schema in synced where schema.index(of: key) == nil {
            throw Realm.Error(
                .fail,
                "The class '\(schema.name)' has no property '\(key)', by which its partition is told. Add it, name "
                    + "another as AppConfiguration.partitionKey, or use flexibleSyncConfiguration with subscriptions.")
        }
        let argument: Any =
            switch value {
            case .string(let value): value
            case .int32(let value): Int(value)
            case .int64(let value): Int(value)
            case .objectId(let value): value
            case .uuid(let value): value
            case .null: NSNull()
            default:
                throw Realm.Error(
                    .fail, "A partition value is a String, an Int, an ObjectId, a UUID or nil, not \(value).")
            }
        predicate = try CausewayQuery.Predicate.parse("\(key) == %@", arguments: queryArguments([argument]))
            .description
        classNames = synced.map(\.name).sorted()
    }

    func isMissing(from subscriptions: SyncSubscriptionSet) -> Bool {
        let known = Set(subscriptions.content.record.subscriptions.map(\.className))
        return classNames.contains { !known.contains($0) }
    }

    /// Adds the subscriptions. Call it within an update of the set.
    func add(to subscriptions: SyncSubscriptionSet) {
        for name in classNames { subscriptions.content.append(className: name, name: nil, predicate: predicate) }
    }
}
