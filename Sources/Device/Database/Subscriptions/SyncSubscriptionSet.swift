import CThread
import CausewayModel
import CausewayQuery
import CausewaySyncedFile
public import Foundation
import Synchronization

/// The subscriptions of a synced Realm. They select the objects that the device holds.
///
/// ```swift
/// let subscriptions: SyncSubscriptionSet = realm.subscriptions
/// try await subscriptions.update {
///     subscriptions.append(QuerySubscription<Flight>(name: "jfk") { $0.origin == "JFK" })
///     subscriptions.remove(named: "lga")
/// }
/// // What matches "jfk" is here now.
/// ```
///
/// The value shows the subscriptions at the time it was read or last updated through it. `state` is always current. An
/// update is one step: the device moves at once from the objects of the old set to those of the new set.
///
/// A set may be passed to other threads, for instance into `onComplete`. The thread that runs an update's block sees
/// its changes at once; other threads see them when the update has ended. Updates run one after another. The set of
/// an actor's Realm is updated on that actor.
public struct SyncSubscriptionSet: Sendable {
    let content: Content

    /// The state that copies of a set share.
    ///
    /// Unchecked because of `instance`: other threads read only its constants.
    final class Content: @unchecked Sendable {
        let driver: SyncDriver
        /// The Realm the set was read from; nil in `initialSubscriptions`.
        private(set) weak var instance: RealmInstance?
        private let state: Mutex<State>

        private struct State {
            var record: SubscriptionSetRecord
            /// The update under way and the thread that runs its block. At most one, because the file has one writer.
            var update: (thread: UInt, Update)?
        }

        /// An update under way. Unchecked: only the thread that runs the block uses it.
        final class Update: @unchecked Sendable {
            var record: SubscriptionSetRecord
            /// The first error in the block. The update then fails.
            var failure: (any Error)?
            /// Turns a condition into the text for the server.
            let text: (CausewayQuery.Predicate, String) throws -> String

            init(
                _ record: SubscriptionSetRecord, text: @escaping (CausewayQuery.Predicate, String) throws -> String
            ) {
                self.record = record
                self.text = text
            }
        }

        init(driver: SyncDriver, instance: RealmInstance?, record: SubscriptionSetRecord) {
            self.driver = driver
            self.instance = instance
            state = Mutex(State(record: record))
        }

        /// The update whose block runs on this thread.
        var update: Update? {
            let thread = causeway_thread()
            return state.withLock { $0.update?.thread == thread ? $0.update?.1 : nil }
        }

        /// The set as this thread sees it, with the changes of its own update.
        var record: SubscriptionSetRecord {
            update?.record ?? state.withLock(\.record)
        }

        /// Runs the block of an update on this thread.
        func run(_ update: Update, _ body: () throws -> Void) rethrows {
            let thread = causeway_thread()
            state.withLock { $0.update = (thread, update) }
            defer { state.withLock { $0.update = nil } }
            try body()
        }

        /// Shows the result of an update to all threads.
        func publish(_ record: SubscriptionSetRecord) {
            state.withLock { if $0.record.version < record.version { $0.record = record } }
        }
    }

    init(_ driver: SyncDriver, of instance: RealmInstance? = nil) throws {
        content = Content(driver: driver, instance: instance, record: try driver.file.subscriptions())
    }

    /// The number of updates so far.
    var version: UInt64 { content.record.version }

    /// The number of subscriptions.
    ///
    /// ```swift
    /// if realm.subscriptions.count == 0 { print("nothing will come") }
    /// ```
    public var count: Int { content.record.subscriptions.count }

    /// The progress of the server with this set.
    ///
    /// ```swift
    /// if case .error(let reason) = realm.subscriptions.state { print(reason.localizedDescription) }
    /// ```
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

    /// The subscription with a name, or nil.
    ///
    /// ```swift
    /// if realm.subscriptions.first(named: "puppies") == nil { print("not yet") }
    /// ```
    public func first(named name: String) -> SyncSubscription? {
        content.record.subscriptions.first { $0.isNamed(name) }.map(subscription)
    }

    /// The oldest subscription to a query, with any name or none; nil if there is none.
    ///
    /// ```swift
    /// let puppies = realm.subscriptions.first(ofType: Dog.self) { $0.age < 2 }
    /// ```
    public func first<T: Object>(
        ofType type: T.Type, `where` query: @escaping (Query<T>) -> Query<Bool>
    ) -> SyncSubscription? {
        first(QuerySubscription<T>(query: query))
    }

    /// The oldest subscription to a query, with any name or none; nil if there is none.
    ///
    /// ```swift
    /// let puppies = subscriptions.first(ofType: Dog.self, where: "age < %@", 2)
    /// ```
    public func first<T: Object>(
        ofType type: T.Type, `where` predicateFormat: String, _ arguments: Any...
    ) -> SyncSubscription? {
        first(QuerySubscription<T>(where: NSPredicate(format: predicateFormat, argumentArray: arguments)))
    }

    /// The oldest subscription to a query, with any name or none; nil if there is none.
    ///
    /// ```swift
    /// let puppies = subscriptions.first(ofType: Dog.self, where: NSPredicate(format: "age < 2"))
    /// ```
    public func first<T: Object>(ofType type: T.Type, `where` predicate: NSPredicate) -> SyncSubscription? {
        first(QuerySubscription<T>(where: predicate))
    }

    /// The oldest subscription to a query, with any name or none; nil if there is none.
    ///
    /// ```swift
    /// let puppies = subscriptions.first(ofType: Dog.self, where: #Predicate<Dog> { $0.age < 2 })
    /// ```
    public func first<T: Object>(
        ofType type: T.Type, `where` predicate: Foundation.Predicate<T>
    ) -> SyncSubscription? {
        first(QuerySubscription<T>(where: predicate))
    }

    func first<T: Object>(_ query: QuerySubscription<T>) -> SyncSubscription? {
        guard let text = try? content.update == nil ? text(of: query) : content.predicateText(query) else { return nil }
        return content.record.subscriptions.first { $0.className == T.className() && $0.predicate.isSame(as: text) }
            .map(subscription)
    }

    fileprivate func subscription(_ record: SubscriptionRecord) -> SyncSubscription {
        SyncSubscription(content: content, record: record)
    }
}

/// The progress of the server with a subscription set.
///
/// ```swift
/// func text(_ state: SyncSubscriptionState) -> String {
///     switch state {
///     case .pending: "asked for"
///     case .complete: "here"
///     case .error(let reason): "impossible: \(reason.localizedDescription)"
///     case .superseded: "asked for otherwise"
///     }
/// }
/// ```
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
    /// Compares the cases only: two errors are always equal.
    ///
    /// ```swift
    /// let isReady = subscriptions.state == .complete
    /// ```
    public static func == (left: SyncSubscriptionState, right: SyncSubscriptionState) -> Bool {
        switch (left, right) {
        case (.pending, .pending), (.complete, .complete), (.error, .error), (.superseded, .superseded): true
        default: false
        }
    }
}

// MARK: - As a sequence

extension SyncSubscriptionSet: Sequence {
    /// The subscription at a place, in the order in which they were added. A place beyond the end stops the program.
    ///
    /// ```swift
    /// if let oldest = realm.subscriptions[0] { print(oldest.createdAt) }
    /// ```
    public subscript(position: Int) -> SyncSubscription? {
        checkBounds(position, count)
        return subscription(content.record.subscriptions[position])
    }

    /// The subscription that was added first.
    ///
    /// ```swift
    /// print(realm.subscriptions.first?.name ?? "none", realm.subscriptions.last?.name ?? "none")
    /// ```
    public var first: SyncSubscription? { content.record.subscriptions.first.map(subscription) }

    /// The subscription that was added last.
    ///
    /// ```swift
    /// if let newest = subscriptions.last { print(newest.createdAt) }
    /// ```
    public var last: SyncSubscription? { content.record.subscriptions.last.map(subscription) }

    /// Visits the subscriptions in the order in which they were added.
    ///
    /// ```swift
    /// let iterator = realm.subscriptions.makeIterator()    // as for subscription in realm.subscriptions does
    /// while let subscription = iterator.next() { print(subscription.name ?? "unnamed") }
    /// ```
    public func makeIterator() -> AnyIterator<SyncSubscription> {
        AnyIterator(content.record.subscriptions.lazy.map(subscription).makeIterator())
    }
}
