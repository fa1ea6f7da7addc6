import CausewayModel
import CausewayObjectStore
import CausewayQuery
import CausewaySyncedFile
public import Foundation

/// When `subscribe` waits for the server to send the matching objects.
///
/// ```swift
/// let mode: WaitForSyncMode = isFirstStart ? .always : isOnline ? .onCreation : .never
/// let puppies = try await realm.objects(Dog.self).where { $0.age < 2 }.subscribe(waitForSync: mode)
/// ```
public enum WaitForSyncMode: Sendable {
    /// Waits if the subscription is new or gets another query.
    case onCreation
    /// Always waits.
    case always
    /// Never waits. The objects arrive later.
    case never
}

extension Results where Element: Object {
    /// Subscribes to the query of these results, and returns the results when all matching objects are on the device.
    ///
    /// ```swift
    /// let flights = try await realm.objects(Flight.self)
    ///     .where { $0.origin == "JFK" }
    ///     .subscribe(name: "jfk")
    /// ```
    ///
    /// Without a name, an existing unnamed subscription to the same query is kept. With a name, this query replaces
    /// the query of the subscription of that name.
    ///
    /// - Parameters:
    ///   - name: The name of the subscription, if it should have one.
    ///   - waitForSync: When to wait for the server.
    ///   - timeout: The maximum time to wait, in seconds; nil means no limit. The subscription stays after a timeout.
    /// - Throws: `Realm.Error.subscriptionFailed` when the server rejects the query or the time is over; `SyncError`
    ///   when the session has ended or the user is not logged in; `CancellationError` when the task is cancelled.
    public func subscribe(
        name: String? = nil, waitForSync: WaitForSyncMode = .onCreation, timeout: TimeInterval? = nil,
        _isolation: isolated (any Actor)? = #isolation
    ) async throws -> Results<Element> {
        guard let realm else { return self }
        let subscriptions = realm.subscriptions
        let query = subscriptionQuery(name)
        let text = try subscriptions.text(of: query)
        let existing = subscriptions.content.record.subscriptions.first { record in
            record.className == Element.className() && record.predicate.isSame(as: text)
                && record.isNamed(name)
        }
        if existing == nil {
            try subscriptions.change {
                if let name { subscriptions.remove(named: name) }
                subscriptions.append(query)
            }
        }
        let waits =
            switch waitForSync {
            case .onCreation: existing == nil
            case .always: true
            case .never: false
            }
        if waits {
            try await subscriptions.content.driver.waitForSubscriptions(subscriptions.version, timeout: timeout)
        }
        return self
    }

    /// Ends the subscription to the query of these results.
    ///
    /// If several subscriptions have this query, one of them ends: the unnamed one, or else the oldest. The results
    /// then show the matching objects that stay on the device because of other subscriptions.
    ///
    /// ```swift
    /// realm.objects(Dog.self).where { $0.age < 2 }.unsubscribe()
    /// ```
    public func unsubscribe() {
        guard let realm else { return }
        let subscriptions = realm.subscriptions
        let query = subscriptionQuery(nil)
        guard let text = try? subscriptions.text(of: query) else { return }
        let matching = subscriptions.filter {
            $0.record.className == Element.className() && $0.record.predicate.isSame(as: text)
        }
        guard let found = matching.first(where: { $0.name == nil }) ?? matching.first else { return }
        subscriptions.update { subscriptions.remove(found) }
    }

    private func subscriptionQuery(_ name: String?) -> QuerySubscription<Element> {
        guard let conditions = source.writtenConditions, case .table = source.origin else {
            misuse(
                "Only the objects of a class and what filters make of them can be subscribed to, not elements of a "
                    + "list, inverse links, distinct or limited results.")
        }
        return QuerySubscription(name: name, storedCondition: .all(of: conditions))
    }
}

extension QuerySubscription {
    /// Creates a query from a condition that already uses stored names.
    init(name: String?, storedCondition: CausewayQuery.Predicate) {
        self.name = name
        predicate = .success(storedCondition)
    }
}

extension SyncSubscriptionSet {
    /// The text of a query that the server receives.
    func text<T: Object>(of query: QuerySubscription<T>) throws -> String {
        let transaction = try content.driver.file.store.read()
        defer { transaction.end() }
        return try query.predicate.get().subscriptionText(of: T.className(), in: transaction)
    }
}

extension SyncDriver {
    /// Waits as `waitForSubscriptions(_:)` does, but at most for the given seconds; nil waits without limit.
    nonisolated func waitForSubscriptions(_ version: UInt64, timeout: TimeInterval?) async throws {
        guard let timeout else {
            try await waitForSubscriptions(version)
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.waitForSubscriptions(version) }
            group.addTask {
                try await Task.sleep(for: .seconds(timeout))
                throw Realm.Error(
                    .subscriptionFailed,
                    "The server did not send what the subscription matches within \(timeout) seconds. The subscription "
                        + "stays; wait for the download, or look whether the session is connected.")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
