import CausewayModel
import CausewayObjectStore
import CausewayStore

/// The order in which one-way objects arrived, for those who carry them on. Written in the transaction that keeps the object.
///
/// 1. An object has one number: when it arrives again, the old number goes.
/// 2. Numbers rise. The next one is at least the milliseconds of receipt, shifted by 16 bits, so that a record that is
///    restored from an older copy gives none a second time, unless its clock is behind too.
/// 3. The record keeps the order once somebody has asked for it, and never stops.
struct Arrivals {
    private let transaction: Transaction
    /// The number of the newest arrival.
    private(set) var newest: UInt64
    private static let name = Array("arrivals".utf8)

    /// Nil while the order is not kept.
    init?(in transaction: Transaction) {
        guard let newest = Self.newest(in: transaction) else { return nil }
        self.transaction = transaction
        self.newest = newest
    }

    static func newest(in transaction: Transaction) -> UInt64? {
        transaction.tree(Layout.meta).get(name)?.withUnsafeBytes { Layout.number($0) }
    }

    /// Begins to keep the order.
    static func begin(in transaction: Transaction) -> Arrivals {
        Arrivals(transaction, newest: 0)
    }

    private init(_ transaction: Transaction, newest: UInt64) {
        self.transaction = transaction
        self.newest = newest
    }

    // MARK: - Writing

    /// - Parameters:
    ///   - clock: what the clock reads, for the number.
    ///   - time: the time by a clock that is believed (`Meta.receive(at:)`), for those who ask how old the object is.
    mutating func note(_ row: Row, clock: UInt64, receivedAt time: UInt64) {
        let place = Layout.row(row.classNumber, row.key)
        let arrived = transaction.tree(Layout.arrived)
        if let known = arrived.get(place) { transaction.tree(Layout.arrivals).remove(known) }
        newest = max(newest + 1, min(clock, Self.timeMax) << 16)
        arrived.put(place, Layout.bytes(newest))
        transaction.tree(Layout.arrivals).put(Layout.bytes(newest), place + Layout.bytes(time))
    }

    mutating func lift(to sequence: UInt64) { newest = max(newest, sequence) }

    /// Leaves room for counting on.
    private static let timeMax: UInt64 = (1 << 47) - 1

    /// Call at the end of the transaction.
    func save() {
        transaction.tree(Layout.meta).put(Self.name, Layout.bytes(newest))
    }

    func isKnown(_ row: Row) -> Bool {
        transaction.tree(Layout.arrived).get(Layout.row(row.classNumber, row.key)) != nil
    }

    static func forget(_ arrival: OneWayArrival, in transaction: Transaction) {
        transaction.tree(Layout.arrivals).remove(Layout.bytes(arrival.sequence))
        transaction.tree(Layout.arrived).remove(Layout.row(arrival.row.classNumber, arrival.row.key))
    }

    /// Forgets all objects of a class, which is removed.
    static func forget(classNumber: Int, in transaction: Transaction) {
        let first = Layout.bytes(UInt32(truncatingIfNeeded: classNumber))
        let end = Layout.bytes(UInt32(truncatingIfNeeded: classNumber + 1))
        let (arrived, arrivals) = (transaction.tree(Layout.arrived), transaction.tree(Layout.arrivals))
        arrived.scan(from: first, upTo: end) { _, sequence in
            arrivals.remove(Array(sequence))
            return true
        }
        arrived.removeRange(from: first, upTo: end)
    }

    // MARK: - Reading

    static func list(
        after sequence: UInt64, countMax: Int, _ catalog: RecordCatalog, in transaction: Transaction
    ) throws(StoreFailure) -> [OneWayArrival] {
        guard sequence < .max else { return [] }
        var found: [OneWayArrival] = []
        var isDamaged = false
        transaction.tree(Layout.arrivals).scan(from: Layout.bytes(sequence + 1)) { key, value in
            guard let arrival = OneWayArrival(key, value), catalog.knows(arrival.row.classNumber) else {
                isDamaged = true
                return false
            }
            found.append(arrival)
            return found.count < countMax
        }
        if isDamaged { throw StoreFailure(missing: "the class or the row of a one-way object", Layout.arrivals) }
        return found
    }
}

extension OneWayArrival {
    init?(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard let sequence: UInt64 = Layout.number(key), let classNumber: UInt32 = Layout.number(value),
            let row: UInt64 = Layout.number(value, at: 4), let time: UInt64 = Layout.number(value, at: 12)
        else { return nil }
        self.init(
            sequence: sequence, row: Row(Int(classNumber), ObjectKey(Int64(bitPattern: row))), time: time)
    }
}
