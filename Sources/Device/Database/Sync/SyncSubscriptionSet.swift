import CausewayModel
import CausewayQuery
import Foundation

/// The subscriptions of a synced Realm: what the device wants to hold.
///
/// ```swift
/// let subscriptions = realm.subscriptions
/// try await subscriptions.update {
///     subscriptions.append(QuerySubscription<Flight>(name: "jfk") { $0.origin == "JFK" })
///     subscriptions.remove(named: "lga")
/// }
/// // What matches "jfk" is here now.
/// ```
///
/// The value shows the subscriptions as they were when it was read or last updated through it; `state` is that of the
/// moment. An update is one step: the device moves from what the old set matches to what the new one matches at once.
public struct SyncSubscriptionSet {
    let content: Content

    /// What copies of a set share.
    final class Content {
        let driver: SyncDriver
        /// The Realm the set was read from; nil in `initialSubscriptions`.
        private(set) weak var instance: RealmInstance?
        var record: SubscriptionSetRecord
        /// Whether an update block runs.
        var isChanging = false
        /// What made the update under way impossible, if anything did.
        var failure: (any Error)?
        /// Turns a condition into the text for the server, within the update under way.
        var text: ((CausewayQuery.Predicate, String) throws -> String)?

        init(driver: SyncDriver, instance: RealmInstance?, record: SubscriptionSetRecord) {
            self.driver = driver
            self.instance = instance
            self.record = record
        }
    }

    init(_ driver: SyncDriver, of instance: RealmInstance? = nil) throws {
        content = Content(driver: driver, instance: instance, record: try driver.file.subscriptions())
    }

    /// How many updates there have been.
    var version: UInt64 { content.record.version }

    /// The number of subscriptions.
    public var count: Int { content.record.subscriptions.count }

    /// How far the server is with this set.
    public var state: SyncSubscriptionState {
        do {
            let newest = try content.driver.file.subscriptions()
            if newest.version != version { return .superseded }
            switch newest.state {
            case .pending: return .pending
            case .complete: return .complete
            case .error(let message): return .error(Realm.Error(.subscriptionFailed, message))
            }
        } catch {
            return .error(error)
        }
    }

    /// The subscription of a name, or nil.
    public func first(named name: String) -> SyncSubscription? {
        content.record.subscriptions.first { $0.name == name }.map(subscription)
    }

    /// The subscription to a query, by whatever name, or nil.
    public func first<T: Object>(
        ofType type: T.Type, `where` query: @escaping (Query<T>) -> Query<Bool>
    ) -> SyncSubscription? {
        first(QuerySubscription<T>(query: query))
    }

    /// The subscription to a query, by whatever name, or nil.
    public func first<T: Object>(
        ofType type: T.Type, `where` predicateFormat: String, _ arguments: Any...
    ) -> SyncSubscription? {
        first(QuerySubscription<T>(where: NSPredicate(format: predicateFormat, argumentArray: arguments)))
    }

    func first<T: Object>(_ query: QuerySubscription<T>) -> SyncSubscription? {
        guard let text = try? content.predicateText(query) else { return nil }
        return content.record.subscriptions.first { $0.className == T.className() && $0.predicate == text }
            .map(subscription)
    }

    fileprivate func subscription(_ record: SubscriptionRecord) -> SyncSubscription {
        SyncSubscription(content: content, record: record)
    }
}

/// How far the server is with a subscription set.
public enum SyncSubscriptionState: Sendable {
    /// The server has not been told, or has not sent everything yet.
    case pending
    /// Everything the set matches is on the device.
    case complete
    /// The server cannot serve the set; the error says why. What the device held before stays.
    case error(any Error)
    /// A newer set has taken its place.
    case superseded
}

extension SyncSubscriptionState: Equatable {
    /// By case: errors are for people.
    public static func == (left: SyncSubscriptionState, right: SyncSubscriptionState) -> Bool {
        switch (left, right) {
        case (.pending, .pending), (.complete, .complete), (.error, .error), (.superseded, .superseded): true
        default: false
        }
    }
}

// MARK: - As a sequence

extension SyncSubscriptionSet: Sequence {
    public subscript(position: Int) -> SyncSubscription {
        guard content.record.subscriptions.indices.contains(position) else {
            misuse("Index \(position) is out of bounds (must be less than \(count)).")
        }
        return subscription(content.record.subscriptions[position])
    }

    public var first: SyncSubscription? { content.record.subscriptions.first.map(subscription) }

    public var last: SyncSubscription? { content.record.subscriptions.last.map(subscription) }

    public func makeIterator() -> AnyIterator<SyncSubscription> {
        AnyIterator(content.record.subscriptions.lazy.map(subscription).makeIterator())
    }
}
