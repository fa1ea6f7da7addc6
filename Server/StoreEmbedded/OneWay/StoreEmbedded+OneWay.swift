import CausewayModel
import CausewayObjectStore
import CausewayQuery
package import CausewayStore
import Synchronization

extension StoreEmbedded: OneWayKeeping {
    package var newestArrival: UInt64 { arrivals.load(ordering: .acquiring) }

    package func keepOneWayOrder() throws(StoreFailure) { try keepOneWayOrder(.call) }

    func keepOneWayOrder(_ writing: Writing) throws(StoreFailure) {
        let order = try write(as: writing) { transaction, _ throws(StoreFailure) in
            let order = try beginOrder(in: transaction)
            return (order, order != nil)
        }
        if let order { noteArrivals(order) }
    }

    /// - Returns: nil where it is kept already.
    func beginOrder(in transaction: Transaction) throws(StoreFailure) -> Arrivals? {
        guard Arrivals.newest(in: transaction) == nil else { return nil }
        var order = Arrivals.begin(in: transaction)
        for plan in catalog(of: transaction).oneWayClasses {
            let keys: [ObjectKey]
            do throws(StoreError) {
                keys = try transaction.keys(plan.name, matching: .constant(true))
            } catch {
                throw StoreFailure(error)
            }
            for key in keys { order.note(Row(plan.number, key), clock: 0, receivedAt: 0) }
        }
        order.save()
        return order
    }

    /// Tells readers how far the order goes. Nobody finds a number before its transaction is committed.
    func noteArrivals(_ order: Arrivals) {
        arrivals.max(order.newest, ordering: .releasing)
    }

    package func liftArrivals(above sequence: UInt64) throws(StoreFailure) { try liftArrivals(above: sequence, .call) }

    func liftArrivals(above sequence: UInt64, _ writing: Writing) throws(StoreFailure) {
        try write(as: writing) { transaction, _ in ((), lift(above: sequence, in: transaction)) }
    }

    /// - Returns: whether that changes anything.
    func lift(above sequence: UInt64, in transaction: Transaction) -> Bool {
        guard var order = Arrivals(in: transaction), order.newest < sequence else { return false }
        order.lift(to: sequence)
        order.save()
        return true
    }

    package func removeOneWay(
        _ due: DueArrivals, at time: UInt64, after start: UInt64, countMax: Int
    ) throws(StoreFailure) -> UInt64? {
        try write { transaction, meta throws(StoreFailure) in
            try removing(due, at: time, after: start, countMax: countMax, in: transaction, &meta)
        }
    }

    func removing(
        _ due: DueArrivals, at time: UInt64, after start: UInt64, countMax: Int, in transaction: Transaction,
        _ meta: inout Meta
    ) throws(StoreFailure) -> (outcome: UInt64?, commits: Bool) {
        meta.receive(at: time)
        let catalog = catalog(of: transaction)
        let listed = try Arrivals.list(after: start, countMax: countMax, catalog, in: transaction)
        let old = listed.prefix { $0.sequence <= due.through }
        var isChanged = false
        for arrival in old
        where due.includes(catalog[arrival.row.classNumber].name)
            && meta.received - min(meta.whenReceived(arrival.time), meta.received) > due.ageMinMilliseconds
        {
            try remove(arrival.row, catalog, in: transaction)
            Arrivals.forget(arrival, in: transaction)
            isChanged = true
        }
        return (old.count == countMax ? old.last?.sequence : nil, isChanged)
    }

    /// Removes an object with what is embedded in it, and the stamps of that.
    private func remove(_ row: Row, _ catalog: RecordCatalog, in transaction: Transaction) throws(StoreFailure) {
        let parts = HeldParts(of: row, catalog, in: transaction)
        parts.table(row.classNumber).delete(row.key)
        try parts.forgetGone()
    }

    // MARK: - Positions

    package func position(of name: String) throws(StoreFailure) -> [UInt8]? {
        try read { $0.tree(Layout.positions).get(Array(name.utf8)) }
    }

    package func savePosition(_ position: [UInt8], of name: String) throws(StoreFailure) {
        try savePosition(position, of: name, .call)
    }

    func savePosition(_ position: [UInt8], of name: String, _ writing: Writing) throws(StoreFailure) {
        // What a position that is lost with a crash leads to is a repetition.
        try write(Self.repeatable, as: writing) { transaction, _ in
            transaction.tree(Layout.positions).put(Array(name.utf8), position)
            return ((), true)
        }
    }
}
