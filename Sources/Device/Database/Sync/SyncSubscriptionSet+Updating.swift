import CausewayModel
import CausewayObjectStore
import CausewayQuery
import Foundation

extension SyncSubscriptionSet {
    /// Changes the set in one step and tells the server. `onComplete` hears, on a thread of the library, when
    /// everything the new set matches is on the device, when a newer set has taken its place, or why it cannot be.
    ///
    /// Works offline: the server is told at the next connection.
    public func update(_ block: () -> Void, onComplete: (@Sendable ((any Error)?) -> Void)? = nil) {
        do {
            try change(block)
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
        let version = version
        Task {
            do {
                try await driver.waitForSubscriptions(version)
                onComplete(nil)
            } catch {
                onComplete(error)
            }
        }
    }

    /// Changes the set in one step, tells the server, and returns when everything the new set matches is on the device
    /// or a newer set has taken its place.
    ///
    /// - Throws: `Realm.Error.subscriptionFailed` when a query cannot be read or the server refuses one; `SyncError`
    ///   when the session has ended.
    public func update(_ block: () -> Void, _isolation: isolated (any Actor)? = #isolation) async throws {
        try change(block)
        try await content.driver.waitForSubscriptions(version)
    }

    /// The change itself: a transaction of its own, all or nothing.
    func change(_ block: () -> Void) throws {
        if content.isChanging {
            misuse("Cannot initiate a write transaction on subscription set that is already been updated.")
        }
        if let instance = content.instance, instance.confinement.isCurrent, instance.isInWrite {
            // The file has one writer, and this thread would wait for itself.
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
        let before = content.record
        content.isChanging = true
        content.failure = nil
        content.text = { try $0.subscriptionText(of: $1, in: transaction) }
        defer {
            content.isChanging = false
            content.text = nil
        }
        do {
            content.record = try tree.newest()
            content.record.version += 1
            content.record.state = .pending
            block()
            if let failure = content.failure { throw failure }
            tree.store(content.record)
            _ = try transaction.commit()
        } catch {
            content.record = before
            if transaction.isWritable { transaction.abort() }
            throw error
        }
        content.driver.queriesChanged(version)
    }

    // MARK: - What an update block does

    /// Adds subscriptions. One whose query is there already without a name, or by the same name, is left as it is.
    public func append<each T: Object>(_ subscriptions: repeat QuerySubscription<each T>) {
        content.checkChanging()
        repeat content.append(each subscriptions)
    }

    /// Removes the subscription of a name, if there is one.
    public func remove(named name: String) {
        content.checkChanging()
        content.record.subscriptions.removeAll { $0.name == name }
    }

    /// Removes a subscription.
    public func remove(_ subscription: SyncSubscription) {
        content.checkChanging()
        content.record.subscriptions.removeAll { $0.id == subscription.record.id }
    }

    /// Removes the subscription to a query, if there is one.
    public func remove<T: Object>(ofType type: T.Type, `where` query: @escaping (Query<T>) -> Query<Bool>) {
        content.checkChanging()
        if let subscription = first(ofType: type, where: query) { remove(subscription) }
    }

    /// Removes the subscription to a query, if there is one.
    public func remove<T: Object>(ofType type: T.Type, `where` predicateFormat: String, _ arguments: Any...) {
        content.checkChanging()
        let query = QuerySubscription<T>(where: NSPredicate(format: predicateFormat, argumentArray: arguments))
        if let subscription = first(query) { remove(subscription) }
    }

    /// Removes all subscriptions, or all that have no name.
    public func removeAll(unnamedOnly: Bool = false) {
        content.checkChanging()
        content.record.subscriptions.removeAll { !unnamedOnly || $0.name == nil }
    }

    /// Removes all subscriptions to queries of a class.
    public func removeAll<T: Object>(ofType type: T.Type) {
        content.checkChanging()
        content.record.subscriptions.removeAll { $0.className == type.className() }
    }
}

extension SyncSubscriptionSet.Content {
    func checkChanging() {
        if !isChanging {
            misuse("Can only add, remove, or update subscriptions within a write subscription block.")
        }
    }

    fileprivate func append<T: Object>(_ subscription: QuerySubscription<T>) {
        let className = T.className()
        let predicate: String
        do {
            predicate = try predicateText(subscription)
        } catch {
            failure = failure ?? error
            return
        }
        if let name = subscription.name {
            if let existing = record.subscriptions.first(where: { $0.name == name }) {
                if existing.className == className, existing.predicate == predicate { return }
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
        record.subscriptions.append(
            SubscriptionRecord(
                id: id, name: subscription.name, className: className, predicate: predicate, createdAt: now,
                updatedAt: now))
    }

    /// The condition as the server reads it.
    func predicateText<T: Object>(_ subscription: QuerySubscription<T>) throws -> String {
        let predicate = try subscription.predicate.get()
        return try text?(predicate, T.className()) ?? predicate.description
    }
}
