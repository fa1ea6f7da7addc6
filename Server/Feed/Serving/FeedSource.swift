package import CausewayModel
package import CausewaySession
package import CausewayStore
import Synchronization

/// One database, as the feed reads it.
package final class FeedSource: Sendable {
    package let backend: any StoreBackend
    package let bell: NewsBell
    /// The opening of the database, for callers that are found in one; nil where there is only one.
    let opening: DatabaseOpening?
    /// Every reader's steps run here, in turn.
    package let thread: StoreThread
    private let readers = Mutex(Readers())
    private let ending = Mutex<FeedFailure?>(nil)

    private struct Readers {
        /// How far each has read.
        var positions: [UInt64: ServerVersion] = [:]
        var ofUser: [ExactString: Int] = [:]
        var lastNumber: UInt64 = 0
    }

    package static let readersMax = 64
    package static let readersMaxOfUser = 16

    package init(
        _ backend: any StoreBackend, opening: DatabaseOpening? = nil,
        thread: StoreThread = StoreThread(label: "causeway.feed")
    ) {
        self.backend = backend
        self.opening = opening
        self.thread = thread
        bell = NewsBell { backend.version.rawValue }
    }

    /// How many read at the moment.
    package var readerCount: Int { readers.withLock { $0.positions.count } }

    /// The version up to which the reader has read that is furthest behind; nil without readers.
    package var slowestPosition: ServerVersion? { readers.withLock { $0.positions.values.min() } }

    /// A place among the readers; it is given back with the last reference.
    func place(for user: String, at position: ServerVersion) throws(FeedFailure) -> FeedPlace {
        let name = ExactString(user)
        let number: UInt64? = readers.withLock { readers in
            guard readers.positions.count < Self.readersMax, readers.ofUser[name, default: 0] < Self.readersMaxOfUser
            else { return nil }
            readers.lastNumber += 1
            readers.positions[readers.lastNumber] = position
            readers.ofUser[name, default: 0] += 1
            return readers.lastNumber
        }
        guard let number else {
            throw FeedFailure(
                .busy,
                "\(Self.readersMax) readers follow this database, or \(Self.readersMaxOfUser) of this user. Close one, or "
                    + "connect again later.")
        }
        return FeedPlace(number, name, of: self)
    }

    fileprivate func reached(_ position: ServerVersion, _ number: UInt64) {
        readers.withLock { $0.positions[number] = position }
    }

    fileprivate func leave(_ number: UInt64, _ user: ExactString) {
        readers.withLock { readers in
            readers.positions[number] = nil
            let left = readers.ofUser[user, default: 1] - 1
            readers.ofUser[user] = left > 0 ? left : nil
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
    package func end(_ failure: FeedFailure = .serverEnds) {
        ending.withLock { $0 = $0 ?? failure }
        bell.end()
    }

    /// Why all readers end, once they do.
    var failure: FeedFailure? { ending.withLock { $0 } }
}

/// A reader's place, which is given back when nobody refers to it any more.
final class FeedPlace: Sendable {
    private let number: UInt64
    private let user: ExactString
    private let source: FeedSource

    fileprivate init(_ number: UInt64, _ user: ExactString, of source: FeedSource) {
        (self.number, self.user, self.source) = (number, user, source)
    }

    /// Notes how far the reader is.
    func reached(_ position: ServerVersion) { source.reached(position, number) }

    deinit { source.leave(number, user) }
}

extension FeedFailure {
    package static let serverEnds = FeedFailure(
        .serverEnds, "The server ends. Connect again, and go on from the last position.")
}
