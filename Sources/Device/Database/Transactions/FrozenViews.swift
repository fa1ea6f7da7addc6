import CThread
import CausewayObjectStore

/// Gives each thread that reads a frozen Realm a transaction of its own on the snapshot.
///
/// Reading fills the caches of a transaction, so no two threads may share one; the snapshot below may be read by any
/// number of threads. A thread finds its view without waiting: each thread adds only its own view, at the front of the
/// list that its number selects.
///
/// Unchecked: the lists change atomically. What is in a view belongs to its thread or never changes.
final class FrozenViews: @unchecked Sendable {
    private final class View {
        let thread: UInt
        let transaction: Transaction
        let next: UnsafeRawPointer?
        /// The tables that the thread has asked for.
        @exclusivity(unchecked) private var tables: [(model: Unmanaged<ObjectModel>, table: Table)] = []

        init(_ thread: UInt, _ transaction: Transaction, next: UnsafeRawPointer?) {
            self.thread = thread
            self.transaction = transaction
            self.next = next
        }

        func table(of model: ObjectModel) -> Table? {
            let wanted = Unmanaged.passUnretained(model)
            for known in tables where known.model.toOpaque() == wanted.toOpaque() { return known.table }
            guard let table = transaction.table(model.className) else { return nil }
            // Models are never released.
            tables.append((wanted, table))
            return table
        }
    }

    private static let listCount = 16
    private let lists = PublishedPointers(FrozenViews.listCount)
    /// Used only to make copies, which does not change it.
    private let first: Transaction

    /// - Parameter transaction: a transaction on the snapshot, for the current thread.
    init(_ transaction: Transaction) {
        first = transaction
        add(transaction)
    }

    deinit {
        for list in 0..<Self.listCount {
            var next = lists[list]
            while let pointer = next {
                let view = Unmanaged<View>.fromOpaque(pointer).takeRetainedValue()
                view.transaction.end()
                next = view.next
            }
        }
        lists.deallocate()
    }

    /// The transaction of the current thread.
    var transaction: Transaction { view._withUnsafeGuaranteedRef { $0.transaction } }

    /// A class's table in the transaction of the current thread.
    func table(of model: ObjectModel) -> Table? { view._withUnsafeGuaranteedRef { $0.table(of: model) } }

    private static func list(of thread: UInt) -> Int {
        // Threads' numbers are addresses far from each other.
        Int(truncatingIfNeeded: (UInt64(thread) &* 0x9E37_79B9_7F4A_7C15) >> 60)
    }

    private var view: Unmanaged<View> {
        let thread = causeway_thread()
        var next = lists[Self.list(of: thread)]
        while let pointer = next {
            let view = Unmanaged<View>.fromOpaque(pointer)
            if view._withUnsafeGuaranteedRef({ $0.thread }) == thread { return view }
            next = view._withUnsafeGuaranteedRef { $0.next }
        }
        do {
            return add(try first.frozenCopy())
        } catch {
            misuse("The Realm file can no longer be read: \(error.message)")
        }
    }

    @discardableResult
    private func add(_ transaction: Transaction) -> Unmanaged<View> {
        let thread = causeway_thread()
        let list = Self.list(of: thread)
        while true {
            let head = lists[list]
            let view = Unmanaged.passRetained(View(thread, transaction, next: head))
            if lists.exchange(at: list, head, for: UnsafeRawPointer(view.toOpaque())) { return view }
            view.release()
        }
    }
}
