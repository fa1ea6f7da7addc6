import CausewayModel
package import CausewaySession
package import CausewayStore
import Synchronization

/// One database, as the feed reads it.
package final class FeedSource: Sendable {
    package let backend: any StoreBackend
    package let bell: NewsBell
    /// Every reader's steps run here, in turn.
    package let thread: StoreThread
    private let readers = Mutex(Readers())

    private struct Readers {
        var count = 0
        var ofUser: [ExactString: Int] = [:]
    }

    package static let readersMax = 64
    package static let readersMaxOfUser = 16

    package init(_ backend: any StoreBackend, thread: StoreThread = StoreThread(label: "causeway.feed")) {
        self.backend = backend
        self.thread = thread
        bell = NewsBell { backend.version.rawValue }
    }

    /// How many read at the moment.
    package var readerCount: Int { readers.withLock { $0.count } }

    /// A place among the readers; it is given back with the last reference.
    func place(for user: String) throws(FeedFailure) -> FeedPlace {
        let name = ExactString(user)
        let isFree = readers.withLock { readers in
            guard readers.count < Self.readersMax, readers.ofUser[name, default: 0] < Self.readersMaxOfUser else {
                return false
            }
            readers.count += 1
            readers.ofUser[name, default: 0] += 1
            return true
        }
        guard isFree else {
            throw FeedFailure(
                .busy,
                "\(Self.readersMax) readers follow this database, or \(Self.readersMaxOfUser) of this user. Close one, or "
                    + "connect again later.")
        }
        return FeedPlace { [self] in
            readers.withLock { readers in
                readers.count -= 1
                let left = readers.ofUser[name, default: 1] - 1
                readers.ofUser[name] = left > 0 ? left : nil
            }
        }
    }

    /// Takes a snapshot and has the body work on it, on the feed's thread.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreSnapshot) throws(FeedFailure) -> Value
    ) async throws(FeedFailure) -> Value {
        let result = await thread.runFreely { [backend] in
            Result { () throws(FeedFailure) -> Value in
                let snapshot: any StoreSnapshot
                do throws(StoreFailure) {
                    snapshot = try backend.snapshot()
                } catch {
                    throw FeedFailure(error)
                }
                return try body(snapshot)
            }
        }
        return try result.get()
    }

    /// Ends all readers, with a word.
    package func end() {
        bell.end()
    }
}

/// Gives something back when nobody refers to it any more.
final class FeedPlace: Sendable {
    private let giveBack: @Sendable () -> Void

    init(_ giveBack: @escaping @Sendable () -> Void) {
        self.giveBack = giveBack
    }

    deinit { giveBack() }
}
