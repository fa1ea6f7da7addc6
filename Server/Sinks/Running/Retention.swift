import CausewayModel
package import CausewaySession
package import CausewayStore

/// Removes one-way objects that every sink has, once they are old enough.
package struct Retention: Sendable {
    private let keeping: any OneWayKeeping
    private let sinks: [CarrierState]
    private let milliseconds: UInt64
    private let thread: StoreThread

    /// How many one transaction removes; commits of devices come in between.
    static let countAtOnce = 1_000

    /// - Parameters:
    ///   - sinks: all of the database.
    ///   - milliseconds: how long an object stays after its receipt.
    package init(
        _ keeping: any OneWayKeeping, sinks: [CarrierState], milliseconds: UInt64,
        thread: StoreThread = StoreThread(label: "causeway.retention")
    ) {
        self.keeping = keeping
        self.sinks = sinks
        self.milliseconds = milliseconds
        self.thread = thread
    }

    /// Removes what is due. Until each sink has said how far it is, nothing is. What no sink takes stays, and so does what arrived
    /// before one of its sinks took the class.
    package func sweep(at time: UInt64) async throws(StoreFailure) {
        guard let through = sinks.map(\.now.position).min(), through > 0 else { return }
        let taken = sinks.compactMap(\.classes)
        guard taken.count == sinks.count else { return }
        for part in DuePart.all(of: taken) {
            let due = DueArrivals(through: through, ageMinMilliseconds: milliseconds, classes: part.classes)
            try await remove(due, at: time, after: part.since)
        }
    }

    private func remove(_ due: DueArrivals, at time: UInt64, after since: UInt64) async throws(StoreFailure) {
        var start: UInt64? = since
        while let after = start, !Task.isCancelled {
            start = try await thread.result { [keeping] () throws(StoreFailure) in
                try keeping.removeOneWay(due, at: time, after: after, countMax: Self.countAtOnce)
            }.get()
        }
    }
}

/// Classes of which all sinks that take them do so since one arrival.
private struct DuePart {
    /// Nil is every class.
    var classes: Set<ExactString>?
    var since: UInt64

    static func all(of sinks: [TakenClasses]) -> [DuePart] {
        let names = Set(sinks.flatMap { $0.named.keys.map { ExactString($0) } })
        var bySince: [UInt64: Set<ExactString>] = [:]
        for name in names {
            if let since = sinks.compactMap({ $0.since(name.string) }).max() {
                bySince[since, default: []].insert(name)
            }
        }
        var parts = bySince.map { DuePart(classes: $0.value, since: $0.key) }
        // Where a sink takes every class: the others cannot be named, so the latest number of all counts.
        if let others = sinks.compactMap(\.others).max() {
            parts.append(DuePart(classes: nil, since: max(others, bySince.keys.max() ?? 0)))
        }
        return parts
    }
}
