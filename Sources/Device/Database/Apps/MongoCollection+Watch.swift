public import Dispatch

/// Hears of what a ``MongoCollection`` is watched for. Our server has no MongoDB: a delegate is told so when its stream
/// closes, which it does at once.
///
/// ```swift
/// final class Watcher: ChangeEventDelegate {
///     func changeStreamDidOpen(_ changeStream: ChangeStream) {}
///     func changeStreamDidClose(with error: (any Error)?) { log("\(error as Any)") }
///     func changeStreamDidReceive(error: any Error) {}
///     func changeStreamDidReceive(changeEvent: AnyBSON?) {}
/// }
/// ```
public protocol ChangeEventDelegate: AnyObject {
    /// The stream is open. Never called.
    func changeStreamDidOpen(_ changeStream: ChangeStream)
    /// The stream is closed, with `AppError.mongoDBError` always.
    func changeStreamDidClose(with error: (any Error)?)
    /// Something went wrong while the stream was open. Never called.
    func changeStreamDidReceive(error: any Error)
    /// A document changed. Never called.
    func changeStreamDidReceive(changeEvent: AnyBSON?)
}

/// What watching a ``MongoCollection`` gives.
///
/// ```swift
/// func watch(_ watcher: any ChangeEventDelegate) {
///     let stream = collection.watch(delegate: watcher)
///     stream.close()
/// }
/// ```
public final class ChangeStream: Sendable {
    init() {}

    /// Ends the stream, which has ended by itself.
    public func close() {}
}

extension MongoCollection {
    /// Watches the collection, which our server does not provide: the delegate hears on the queue that the stream was
    /// closed with `AppError.mongoDBError`.
    ///
    /// ```swift
    /// func watch(_ watcher: any ChangeEventDelegate) -> ChangeStream { collection.watch(delegate: watcher, queue: .main) }
    /// ```
    ///
    /// Observe a synced Realm instead.
    public func watch(delegate: any ChangeEventDelegate, queue: DispatchQueue = .main) -> ChangeStream {
        let (delegate, error) = (Transferred(delegate), absent("watch"))
        queue.async { delegate.value.changeStreamDidClose(with: error) }
        return ChangeStream()
    }

    /// The same for the changes that a filter matches.
    public func watch(
        matchFilter: Document, delegate: any ChangeEventDelegate, queue: DispatchQueue = .main
    ) -> ChangeStream {
        watch(delegate: delegate, queue: queue)
    }

    /// The same for the documents of some ids.
    public func watch(
        filterIds: [ObjectId], delegate: any ChangeEventDelegate, queue: DispatchQueue = .main
    ) -> ChangeStream {
        watch(delegate: delegate, queue: queue)
    }
}
