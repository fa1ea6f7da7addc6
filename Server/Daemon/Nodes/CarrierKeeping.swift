import CausewayStore
import CausewayStoreReplicated

/// What carriers of a node keep in the journal, as long as it is this node's turn: a late one must not set back how far the next one is.
struct CarrierKeeping: OneWayKeeping {
    let record: StoreReplicated
    let turn: CarrierTurn

    private static let over = StoreFailure(.busy, "Another node carries the changes of the database on now.")

    private func requireTurn() throws(StoreFailure) {
        guard turn.isHere else { throw Self.over }
    }

    var newestArrival: UInt64 { record.newestArrival }

    func keepOneWayOrder() throws(StoreFailure) { try record.keepOneWayOrder() }

    func liftArrivals(above sequence: UInt64) throws(StoreFailure) {
        try requireTurn()
        try record.liftArrivals(above: sequence)
    }

    func removeOneWay(
        _ due: DueArrivals, at time: UInt64, after start: UInt64, countMax: Int
    ) throws(StoreFailure) -> UInt64? {
        try requireTurn()
        return try record.removeOneWay(due, at: time, after: start, countMax: countMax)
    }

    func position(of name: String) throws(StoreFailure) -> [UInt8]? { try record.position(of: name) }

    func savePosition(_ position: [UInt8], of name: String) throws(StoreFailure) {
        try requireTurn()
        try record.savePosition(position, of: name)
    }
}
