import CausewayModel
import CausewayQuery
import CausewaySyncedFile
public import Foundation

/// One subscription of a synced Realm.
///
/// ```swift
/// for subscription: SyncSubscription in realm.subscriptions {
///     print(subscription.name ?? "unnamed", subscription.createdAt, subscription.updatedAt)
/// }
/// ```
public struct SyncSubscription: Sendable {
    let content: SyncSubscriptionSet.Content
    let record: SubscriptionRecord

    /// The name of the subscription; nil if it has none.
    ///
    /// ```swift
    /// let unnamed = realm.subscriptions.filter { $0.name == nil }
    /// ```
    public var name: String? { record.name }

    /// When it was added.
    ///
    /// ```swift
    /// let newest = realm.subscriptions.max { $0.createdAt < $1.createdAt }
    /// ```
    public var createdAt: Date { Date(record.createdAt) }

    /// When its query was last changed.
    ///
    /// ```swift
    /// let stale = realm.subscriptions.filter { $0.updatedAt < .now - 86_400 }
    /// ```
    public var updatedAt: Date { Date(record.updatedAt) }

    /// Replaces the query. Call it within an update of the set.
    ///
    /// A query of another class, or a removed subscription, stops the program.
    ///
    /// ```swift
    /// let subscriptions = realm.subscriptions
    /// try await subscriptions.update {
    ///     subscriptions.first(named: "puppies")?.updateQuery(toType: Dog.self) { $0.age < 1 }
    /// }
    /// ```
    public func updateQuery<T: Object>(
        toType type: T.Type, `where` query: ((Query<T>) -> Query<Bool>)? = nil
    ) {
        replace(with: QuerySubscription<T>(query: query))
    }

    /// Replaces the query. Call it within an update of the set.
    ///
    /// A query of another class, or a removed subscription, stops the program.
    ///
    /// ```swift
    /// try await subscriptions.update {
    ///     subscriptions.first(named: "puppies")?.updateQuery(toType: Dog.self, where: "age < %@", 1)
    /// }
    /// ```
    public func updateQuery<T: Object>(toType type: T.Type, `where` predicateFormat: String, _ arguments: Any...) {
        replace(with: QuerySubscription<T>(where: NSPredicate(format: predicateFormat, argumentArray: arguments)))
    }

    /// Replaces the query. Call it within an update of the set.
    ///
    /// A query of another class, or a removed subscription, stops the program.
    ///
    /// ```swift
    /// try await subscriptions.update {
    ///     subscriptions.first(named: "puppies")?.updateQuery(to: QuerySubscription<Dog> { $0.age < 1 })
    /// }
    /// ```
    public func updateQuery<T: Object>(to query: QuerySubscription<T>) {
        replace(with: query)
    }

    /// Replaces the query. Call it within an update of the set.
    ///
    /// A query of another class, or a removed subscription, stops the program.
    ///
    /// ```swift
    /// try await subscriptions.update {
    ///     subscriptions.first(named: "puppies")?.updateQuery(toType: Dog.self, where: #Predicate<Dog> { $0.age < 1 })
    /// }
    /// ```
    public func updateQuery<T: Object>(toType type: T.Type, `where` predicate: Foundation.Predicate<T>) {
        replace(with: QuerySubscription<T>(where: predicate))
    }

    /// Replaces the query by a format string on the same class. Call it within an update of the set.
    ///
    /// ```swift
    /// try await subscriptions.update { subscriptions.first(named: "puppies")?.updateQuery(to: "age < %@", 1) }
    /// ```
    public func updateQuery(to predicateFormat: String, _ arguments: Any...) {
        updateQuery(to: NSPredicate(format: predicateFormat, argumentArray: arguments))
    }

    /// Replaces the query by a predicate on the same class. Call it within an update of the set.
    ///
    /// ```swift
    /// try await subscriptions.update {
    ///     subscriptions.first(named: "puppies")?.updateQuery(to: NSPredicate(format: "age < 1"))
    /// }
    /// ```
    public func updateQuery(to predicate: NSPredicate) {
        content.checkChanging()
        let name = record.className
        // Prefer the class of the Realm: a program may have several classes of one name.
        let model =
            content.instance?.declared.models[name]
            ?? ClassDiscovery.allClasses().first { $0.className() == name }.map(ObjectModel.of)
        guard let model else {
            misuse("The class '\(name)' of the subscription is not a part of the program.")
        }
        let condition = CausewayQuery.Predicate(predicate).withStoredNames(model)
        replace(.success(condition), of: record.className)
    }

    private func replace<T: Object>(with query: QuerySubscription<T>) {
        replace(query.predicate, of: T.className())
    }

    private func replace(_ predicate: Result<CausewayQuery.Predicate, Realm.Error>, of className: String) {
        let update = content.checkChanging()
        guard let index = update.record.subscriptions.firstIndex(where: { $0.id == record.id }) else {
            misuse("The subscription has been removed and cannot be updated.")
        }
        if className != record.className {
            misuse("Updating a subscription query of a different Object Type is not allowed.")
        }
        do {
            update.record.subscriptions[index].predicate = try content.text(of: predicate.get(), className)
            update.record.subscriptions[index].updatedAt = Timestamp(Date())
        } catch {
            update.failure = update.failure ?? error
        }
    }
}

extension SyncSubscription: Equatable {
    /// Two values are equal when they are the same subscription of the same file.
    ///
    /// ```swift
    /// let isFirst = subscriptions[0] == subscriptions.first
    /// ```
    public static func == (left: SyncSubscription, right: SyncSubscription) -> Bool {
        left.record.id == right.record.id && left.content.driver === right.content.driver
    }
}
