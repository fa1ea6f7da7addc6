package import CausewayModel
package import CausewaySession
package import CausewayStore

/// Removes one-way objects that every sink has, once they are old enough.
package struct Retention: Sendable {
    private let keeping: any OneWayKeeping
    private let sinks: [CarrierState]
    private let milliseconds: UInt64
    private let classes: Set<ExactString>?
    private let thread: StoreThread

    /// How many one transaction removes; commits of devices come in between.
    static let countAtOnce = 1_000

    /// - Parameters:
    ///   - sinks: all of the database.
    ///   - milliseconds: how long an object stays after its receipt.
    ///   - classes: those that a sink takes; nil is every class. What no sink takes stays.
    package init(
        _ keeping: any OneWayKeeping, sinks: [CarrierState], milliseconds: UInt64, classes: Set<ExactString>?,
        thread: StoreThread = StoreThread(label: "causeway.retention")
    ) {
        self.keeping = keeping
        self.sinks = sinks
        self.milliseconds = milliseconds
        self.classes = classes
        self.thread = thread
    }

    /// Removes what is due. Until each sink has said how far it is, nothing is.
    package func sweep(at time: UInt64) async throws(StoreFailure) {
        guard let through = sinks.map(\.now.position).min(), through > 0, time > milliseconds else { return }
        let due = DueArrivals(through: through, receivedBefore: time - milliseconds, classes: classes)
        var start: UInt64? = 0
        while let after = start, !Task.isCancelled {
            start = try await thread.result { [keeping] () throws(StoreFailure) in
                try keeping.removeOneWay(due, after: after, countMax: Self.countAtOnce)
            }.get()
        }
    }
}
