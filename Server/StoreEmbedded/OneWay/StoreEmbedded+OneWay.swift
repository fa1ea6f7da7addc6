import CausewayModel
import CausewayObjectStore
import CausewayQuery
package import CausewayStore
import Synchronization

extension StoreEmbedded: OneWayKeeping {
    package var newestArrival: UInt64 { arrivals.load(ordering: .acquiring) }

    package func keepOneWayOrder() throws(StoreFailure) {
        try write { transaction, _ throws(StoreFailure) in
            guard Arrivals.newest(in: transaction) == nil else { return ((), false) }
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
            noteArrivals(order)
            return ((), true)
        }
    }

    /// Tells readers how far the order goes. Nobody finds a number before its transaction is committed.
    func noteArrivals(_ order: Arrivals) {
        arrivals.max(order.newest, ordering: .releasing)
    }

    package func liftArrivals(above sequence: UInt64) throws(StoreFailure) {
        try write { transaction, _ in
            guard var order = Arrivals(in: transaction), order.newest < sequence else { return ((), false) }
            order.lift(to: sequence)
            order.save()
            return ((), true)
        }
    }

    package func removeOneWay(
        _ due: DueArrivals, at time: UInt64, after start: UInt64, countMax: Int
    ) throws(StoreFailure) -> UInt64? {
        try write { transaction, meta throws(StoreFailure) in
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
        // What a position that is lost with a crash leads to is a repetition.
        try write(Self.repeatable) { transaction, _ in
            transaction.tree(Layout.positions).put(Array(name.utf8), position)
            return ((), true)
        }
    }
}
