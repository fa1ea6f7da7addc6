import CausewayJournal
package import CausewayStore

// What carriers keep of a database that has many nodes: all nodes know it, so that any can go on carrying.

extension StoreReplicated: OneWayKeeping {
    package var newestArrival: UInt64 { replica.newestArrival }

    package func keepOneWayOrder() throws(StoreFailure) { _ = try decided(.keeping(.keepOrder)) }

    package func liftArrivals(above sequence: UInt64) throws(StoreFailure) {
        _ = try decided(.keeping(.lift(above: sequence)))
    }

    package func removeOneWay(
        _ due: DueArrivals, at time: UInt64, after start: UInt64, countMax: Int
    ) throws(StoreFailure) -> UInt64? {
        try decided(.keeping(.remove(due, time: time, after: start, countMax: countMax))).removedNext
    }

    package func position(of name: String) throws(StoreFailure) -> [UInt8]? { try replica.position(of: name) }

    /// Is in the journal when this returns.
    package func savePosition(_ position: [UInt8], of name: String) throws(StoreFailure) {
        _ = try decided(.keeping(.savePosition(position, name: name)))
    }
}
