import CausewayModel
import CausewayObjectStore
import CausewayStore

/// Looks for clients that have not been heard of for long, a part of them at a time, and all of them once a day.
///
/// 1. A client that never wrote anything is forgotten: there is nothing that could be applied twice.
/// 2. Of a client that wrote, the numbers stay [I2], so that what it sends again is known. Its user stays, so that nobody
///    else takes its name. What it was not told of its refusals stays too [I7].
/// 3. What goes is what it was told of its refusals, which is kept for other copies of its file.
struct ClientKeeping: Hashable {
    /// The client at which the next part begins; nil where all were looked at.
    private(set) var next: UInt64?
    /// The day of the last round that began.
    private(set) var day: UInt64 = 0

    init(next: UInt64? = nil, day: UInt64 = 0) {
        self.next = next
        self.day = day
    }

    static let partMax = 1_024

    struct Outcome {
        /// Clients that changed.
        var changed = 0
        var hasMore = false
    }

    /// The day of a time in milliseconds since 1970.
    static func day(of time: UInt64) -> UInt64 { time / dayMilliseconds }

    static let dayMilliseconds: UInt64 = 86_400_000

    /// Looks at the next part.
    ///
    /// - Parameters:
    ///   - today: by a clock that is believed.
    ///   - leap: the day of the last leap that was believed: whoever was heard of before counts as heard of then.
    ///   - daysMax: after how many days in which nothing was heard of a client.
    mutating func work(
        _ today: UInt64, since leap: UInt64, daysMax: UInt64, in transaction: Transaction
    ) throws(StoreFailure) -> Outcome {
        if next == nil, day != today { (next, day) = (0, today) }
        guard let start = next else { return Outcome() }
        var (found, last): ([ClientID], UInt64?) = ([], nil)
        transaction.tree(Layout.clients).scan(from: Layout.bytes(start)) { key, _ in
            guard let number: UInt64 = Layout.number(key) else { return true }
            found.append(ClientID(number))
            last = number
            return found.count < Self.partMax
        }
        next = found.count == Self.partMax ? last.flatMap { $0 == .max ? nil : $0 + 1 } : nil
        var outcome = Outcome(hasMore: next != nil)
        for client in found where try keep(client, today, leap, daysMax, transaction) { outcome.changed += 1 }
        return outcome
    }

    /// Whether it changed anything.
    private func keep(
        _ client: ClientID, _ today: UInt64, _ leap: UInt64, _ daysMax: UInt64, _ transaction: Transaction
    ) throws(StoreFailure) -> Bool {
        guard var state = try ClientState(of: client, in: transaction) else { return false }
        guard state.heardDay > 0 else {
            // Of an earlier build, which did not note the day: it counts from now on.
            state.heardDay = max(1, today)
            state.save(for: client, in: transaction)
            return true
        }
        let heard = max(state.heardDay, leap)
        guard today > heard, today - heard > daysMax else { return false }
        guard state.mustStay else {
            _ = transaction.tree(Layout.clients).remove(Layout.bytes(client.rawValue))
            return true
        }
        let refusals = RefusalTree(in: transaction)
        guard refusals.hasAny(of: client, after: 0, through: state.told) else { return false }
        refusals.thin(client, through: state.told, toBytes: 0)
        return true
    }
}

extension ClientState {
    /// Whether it has written: then its numbers stay [I2].
    var mustStay: Bool { committed > 0 || ingested > 0 }
}
