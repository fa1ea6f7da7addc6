package import CausewayModel

/// A one-way object in the order of arrival.
package struct OneWayArrival: Hashable, Sendable {
    /// Rises with every object that arrives, with gaps. An object that arrives again gets a new number, and the old one is
    /// gone.
    package var sequence: UInt64
    package var row: Row
    /// When the server received it, in milliseconds since 1970, by a clock that is believed; zero for one that arrived before the order was kept.
    package var time: UInt64

    package init(sequence: UInt64, row: Row, time: UInt64) {
        self.sequence = sequence
        self.row = row
        self.time = time
    }
}

/// One-way objects for those who carry them on, and durable positions for whoever reads the database step by step.
package protocol OneWayKeeping: Sendable {
    /// Makes the record note the order of arrival, now and whenever it is opened. Objects that are there already follow in
    /// the order of their rows. Call it before devices are served: the first time it goes over all one-way objects.
    func keepOneWayOrder() throws(StoreFailure)

    /// The number of the newest arrival; zero before the first, and while the order is not kept.
    var newestArrival: UInt64 { get }

    /// Makes the next arrivals get greater numbers than this one: for a reader that is further than a record that was
    /// restored from an older copy.
    func liftArrivals(above sequence: UInt64) throws(StoreFailure)

    /// Goes over the oldest objects, at most so many in one transaction, and removes some.
    ///
    /// - Parameter time: now, in milliseconds since 1970. The record decides whether to believe it: a clock that is wrong for a
    ///   moment, or that leaps, removes nothing.
    /// - Returns: where to go on; nil when none is left to go over.
    func removeOneWay(
        _ due: DueArrivals, at time: UInt64, after start: UInt64, countMax: Int
    ) throws(StoreFailure) -> UInt64?

    /// The position that somebody has saved under a name.
    func position(of name: String) throws(StoreFailure) -> [UInt8]?

    /// Saves a position. It is durable within a tenth of a second; a crash before may bring the earlier one back.
    func savePosition(_ position: [UInt8], of name: String) throws(StoreFailure)
}

/// Which one-way objects are to be removed.
package struct DueArrivals: Hashable, Sendable {
    /// The last number.
    package var through: UInt64
    /// How long ago they were received, by the record's clock: longer than this.
    package var ageMinMilliseconds: UInt64
    /// Nil is every class.
    package var classes: Set<ExactString>?

    package init(through: UInt64, ageMinMilliseconds: UInt64, classes: Set<ExactString>? = nil) {
        self.through = through
        self.ageMinMilliseconds = ageMinMilliseconds
        self.classes = classes
    }

    package func includes(_ className: String) -> Bool { classes?.contains(ExactString(className)) ?? true }
}
