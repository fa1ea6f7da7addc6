import CausewayModel
import CausewayObjectStore
import CausewayQuery
import CausewaySyncedFile
public import Foundation

extension SyncSubscriptionSet {
    /// Changes the set in one step and tells the server.
    ///
    /// `onComplete` is called on a thread of the library. It receives nil when everything the new set matches is on the
    /// device or a newer set has taken its place, and an error if the server rejects the set or the session has ended.
    /// If the change itself fails, `onComplete` gets the error on this thread, before `update` returns. Without
    /// `onComplete`, such an error goes to the error handler of the app's `syncManager`.
    ///
    /// ```swift
    /// let subscriptions = realm.subscriptions
    /// subscriptions.update({ subscriptions.append(QuerySubscription<Dog>()) }) { error in print(error ?? "all dogs are here") }
    /// ```
    ///
    /// Works offline: the server gets the new set at the next connection.
    @preconcurrency
    public func update(_ block: () -> Void, onComplete: (@Sendable ((any Error)?) -> Void)? = nil) {
        let version: UInt64
        do {
            version = try change(block)
        } catch {
            guard let onComplete else {
                content.driver.user.app.syncManager.report(
                    SyncError(.invalidFlexibleSyncSubscriptions, "\(error)"), SyncSession(driver: content.driver))
                return
            }
            onComplete(error)
            return
        }
        guard let onComplete else { return }
        let driver = content.driver
        Task {
            do {
                try await driver.waitForSubscriptions(version)
                onComplete(nil)
            } catch {
                onComplete(error)
            }
        }
    }

    /// Changes the set in one step, tells the server, and waits until the device has everything the new set matches.
    ///
    /// Returns also when a newer set has taken its place.
    ///
    /// ```swift
    /// let subscriptions = realm.subscriptions
    /// try await subscriptions.update { subscriptions.append(QuerySubscription<Dog>()) }
    /// ```
    ///
    /// - Throws: `Realm.Error.subscriptionFailed` when a query cannot be parsed or the server rejects one; another
    ///   `Realm.Error` when the file cannot be written; `SyncError` when the session has ended or the user is not
    ///   logged in; `CancellationError` when the task is cancelled.
    public func update(_ block: () -> Void, _isolation: isolated (any Actor)? = #isolation) async throws {
        let version = try change(block)
        try await content.driver.waitForSubscriptions(version)
    }

    /// Makes the change in its own transaction, atomically.
    ///
    /// - Returns: The version of the new set.
    @discardableResult
    func change(_ block: () -> Void) throws -> UInt64 {
        if content.update != nil {
            misuse("Cannot initiate a write transaction on subscription set that is already being updated.")
        }
        if let instance = content.instance, instance.confinement.isCurrent, instance.isInWrite {
            // The file has one writer, so this thread would wait for itself.
            misuse("Cannot update subscriptions inside a write transaction of the Realm. Do it before or after.")
        }
        let transaction: Transaction
        do {
            transaction = try content.driver.file.store.write()
        } catch {
            throw Realm.Error(error, fileURL: nil)
        }
        defer { transaction.end() }
        let tree = SubscriptionTree(transaction)
        do {
            var record = try tree.newest()
            record.version += 1
            record.state = .pending
            let update = Content.Update(record) { try $0.subscriptionText(of: $1, in: transaction) }
            content.run(update, block)
            if let failure = update.failure { throw failure }
            tree.store(update.record)
            _ = try transaction.commit()
            content.publish(update.record)
            content.driver.queriesChanged(update.record.version)
            return update.record.version
        } catch {
            if transaction.isWritable { transaction.abort() }
            throw error
        }
    }

    // MARK: - What an update block does

    /// Adds subscriptions. If one with the same query and the same name exists, or both have no name, it is kept.
    ///
    /// A name that another query already has stops the program.
    ///
    /// ```swift
    /// let subscriptions = realm.subscriptions
    /// try await subscriptions.update {
    ///     subscriptions.append(QuerySubscription<Dog>(name: "puppies") { $0.age < 2 }, QuerySubscription<Person>())
    /// }
    /// ```
    public func append<each T: Object>(_ subscriptions: repeat QuerySubscription<each T>) {
        content.checkChanging()
        repeat content.append(each subscriptions)
    }

    /// Adds an array of subscriptions of one class.
    ///
    /// ```swift
    /// let ages = [1, 5, 10].map { age in QuerySubscription<Dog> { $0.age == age } }
    /// try await subscriptions.update { subscriptions.append(ages) }
    /// ```
    public func append<T: Object>(_ subscriptions: [QuerySubscription<T>]) {
        content.checkChanging()
        for subscription in subscriptions { content.append(subscription) }
    }

    /// Removes the subscription of a name, if there is one.
    ///
    /// ```swift
    /// let subscriptions = realm.subscriptions
    /// try await subscriptions.update { subscriptions.remove(named: "puppies") }
    /// ```
    public func remove(named name: String) {
        content.checkChanging().record.subscriptions.removeAll { $0.isNamed(name) }
    }

    /// Removes subscriptions.
    ///
    /// ```swift
    /// try await subscriptions.update { if let oldest = subscriptions.first { subscriptions.remove(oldest) } }
    /// ```
    public func remove(_ subscriptions: SyncSubscription...) {
        let ids = Set(subscriptions.map(\.record.id))
        content.checkChanging().record.subscriptions.removeAll { ids.contains($0.id) }
    }

    /// Removes the subscription to a query, if there is one.
    ///
    /// ```swift
    /// let subscriptions = realm.subscriptions
    /// try await subscriptions.update { subscriptions.remove(ofType: Dog.self) { $0.age < 2 } }
    /// ```
    public func remove<T: Object>(ofType type: T.Type, _ query: @escaping (Query<T>) -> Query<Bool>) {
        content.checkChanging()
        if let subscription = first(ofType: type, where: query) { remove(subscription) }
    }

    /// Removes the subscription to a query, if there is one.
    ///
    /// ```swift
    /// try await subscriptions.update { subscriptions.remove(ofType: Dog.self, where: NSPredicate(format: "age < 2")) }
    /// ```
    public func remove<T: Object>(ofType type: T.Type, `where` predicate: NSPredicate) {
        content.checkChanging()
        if let subscription = first(ofType: type, where: predicate) { remove(subscription) }
    }

    /// Removes the subscription to a query, if there is one.
    ///
    /// ```swift
    /// try await subscriptions.update {
    ///     subscriptions.remove(ofType: Dog.self, where: #Predicate<Dog> { $0.age < 2 })
    /// }
    /// ```
    public func remove<T: Object>(ofType type: T.Type, `where` predicate: Foundation.Predicate<T>) {
        content.checkChanging()
        if let subscription = first(ofType: type, where: predicate) { remove(subscription) }
    }

    /// Removes the subscription to a query, if there is one.
    ///
    /// ```swift
    /// try await subscriptions.update { subscriptions.remove(ofType: Dog.self, where: "age < %@", 2) }
    /// ```
    public func remove<T: Object>(ofType type: T.Type, `where` predicateFormat: String, _ arguments: Any...) {
        content.checkChanging()
        let query = QuerySubscription<T>(where: NSPredicate(format: predicateFormat, argumentArray: arguments))
        if let subscription = first(query) { remove(subscription) }
    }

    /// Removes all subscriptions, or all that have no name.
    ///
    /// ```swift
    /// let subscriptions = realm.subscriptions
    /// try await subscriptions.update { subscriptions.removeAll(unnamedOnly: true) }
    /// ```
    public func removeAll(unnamedOnly: Bool = false) {
        content.checkChanging().record.subscriptions.removeAll { !unnamedOnly || $0.name == nil }
    }

    /// Removes all subscriptions to queries of a class.
    ///
    /// ```swift
    /// let subscriptions = realm.subscriptions
    /// try await subscriptions.update { subscriptions.removeAll(ofType: Dog.self) }
    /// ```
    public func removeAll<T: Object>(ofType type: T.Type) {
        content.checkChanging().record.subscriptions.removeAll { $0.className == type.className() }
    }
}

extension SyncSubscriptionSet.Content {
    /// The update whose block runs on this thread. Stops the program when there is none.
    @discardableResult
    func checkChanging() -> Update {
        guard let update else {
            misuse("Can only add, remove, or update subscriptions within a write subscription block.")
        }
        return update
    }

    fileprivate func append<T: Object>(_ subscription: QuerySubscription<T>) {
        let className = T.className()
        let predicate: String
        do {
            predicate = try predicateText(subscription)
        } catch {
            let update = checkChanging()
            update.failure = update.failure ?? error
            return
        }
        append(className: className, name: subscription.name, predicate: predicate)
    }

    func append(className: String, name: String?, predicate: String) {
        let update = checkChanging()
        let record = update.record
        if let name {
            if let existing = record.subscriptions.first(where: { $0.isNamed(name) }) {
                if existing.className == className, existing.predicate.isSame(as: predicate) { return }
                misuse(
                    "A subscription named '\(name)' already exists. If you meant to update the existing subscription "
                        + "please use the `update` method.")
            }
        } else if record.subscriptions.contains(where: {
            $0.name == nil && $0.className == className && $0.predicate == predicate
        }) {
            return
        }
        let now = Timestamp(Date())
        let id = (record.subscriptions.map(\.id).max() ?? 0) + 1
        update.record.subscriptions.append(
            SubscriptionRecord(
                id: id, name: name, className: className, predicate: predicate, createdAt: now,
                updatedAt: now))
    }

    /// The text of the condition that the server receives.
    func predicateText<T: Object>(_ subscription: QuerySubscription<T>) throws -> String {
        try text(of: subscription.predicate.get(), T.className())
    }

    func text(of predicate: CausewayQuery.Predicate, _ className: String) throws -> String {
        try update?.text(predicate, className) ?? predicate.description
    }
}
