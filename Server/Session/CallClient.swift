package import CausewayModel
import CausewayStore
import Synchronization

/// The client as which the server writes for one user who calls: what it makes bears its number, as with a device.
///
/// Its number is drawn anew when the server starts, so that no id is given twice, whatever a clock says.
package final class CallClient: Sendable {
    package let id: ClientID
    private let counter = Atomic<UInt64>(0)
    /// The day on which the record last heard of it: the record forgets clients that it does not hear of.
    private let heardDay: Atomic<UInt64>

    init(_ id: ClientID, day: UInt64) {
        self.id = id
        heardDay = Atomic(day)
    }

    /// Whether the record has not heard of it on this day yet. Says so once.
    func isDue(on day: UInt64) -> Bool { heardDay.exchange(day, ordering: .relaxed) != day }

    /// Ids with consecutive counters that were never given before; the first of them.
    package func nextID(_ count: Int = 1) -> ElementID {
        let last = counter.wrappingAdd(UInt64(count), ordering: .relaxed).newValue
        return ElementID(client: id, counter: last - UInt64(count) + 1)
    }
}

/// The clients of the users who have called since the start.
final class CallClients: Sendable {
    private let known = Mutex<[ExactString: CallClient]>([:])

    /// How many are kept. Beyond that all are dropped, and the users get others.
    static let countMax = 10_000

    subscript(user: String) -> CallClient? { known.withLock { $0[ExactString(user)] } }

    /// Drops a client that the record has forgotten: its user gets another one with the next call.
    func forget(_ id: ClientID) {
        known.withLock { known in
            for (user, client) in known where client.id == id { known[user] = nil }
        }
    }

    /// Keeps a client, unless another call of the user was faster.
    ///
    /// - Returns: the one that is kept.
    func keep(_ client: CallClient, of user: String) -> CallClient {
        known.withLock { known in
            if let faster = known[ExactString(user)] { return faster }
            if known.count >= Self.countMax { known.removeAll() }
            known[ExactString(user)] = client
            return client
        }
    }
}
