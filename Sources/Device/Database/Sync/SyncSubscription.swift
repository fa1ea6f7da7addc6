import CausewayModel
import CausewayQuery
public import Foundation

/// One subscription of a synced Realm.
public struct SyncSubscription {
    let content: SyncSubscriptionSet.Content
    let record: SubscriptionRecord

    /// The name it was added by; nil for one without.
    public var name: String? { record.name }

    /// When it was added.
    public var createdAt: Date { Date(record.createdAt) }

    /// When its query was last changed.
    public var updatedAt: Date { Date(record.updatedAt) }

    /// Replaces the query, within an update of the set.
    public func updateQuery<T: Object>(
        toType type: T.Type, `where` query: ((Query<T>) -> Query<Bool>)? = nil
    ) {
        replace(with: QuerySubscription<T>(query: query))
    }

    /// Replaces the query, within an update of the set.
    public func updateQuery<T: Object>(toType type: T.Type, `where` predicateFormat: String, _ arguments: Any...) {
        replace(with: QuerySubscription<T>(where: NSPredicate(format: predicateFormat, argumentArray: arguments)))
    }

    /// Replaces the query, within an update of the set.
    public func updateQuery<T: Object>(to query: QuerySubscription<T>) {
        replace(with: query)
    }

    private func replace<T: Object>(with query: QuerySubscription<T>) {
        content.checkChanging()
        guard let index = content.record.subscriptions.firstIndex(where: { $0.id == record.id }) else {
            misuse("The subscription has been removed and cannot be updated.")
        }
        if T.className() != record.className {
            misuse("Updating a subscription query of a different Object Type is not allowed.")
        }
        do {
            content.record.subscriptions[index].predicate = try content.predicateText(query)
            content.record.subscriptions[index].updatedAt = Timestamp(Date())
        } catch {
            content.failure = content.failure ?? error
        }
    }
}

extension SyncSubscription: Equatable {
    /// Two values are equal when they are the same subscription of the same file.
    public static func == (left: SyncSubscription, right: SyncSubscription) -> Bool {
        left.record.id == right.record.id && left.content.driver === right.content.driver
    }
}
