import CausewayObjectStore
import CausewayOperations

// Which openings made what is in the logs. The state has the newest ones, which are enough for a file that is synced now and
// then. The others are here, so that a file that was opened often without a server is still known for a copy, and its
// changesets by who made them. Keys descend with the numbers: the first at or behind a key is the run that a number is in.

extension Trees {
    /// The two logs that leave.
    enum Lane: UInt8 {
        case changesets, oneWay
    }

    /// - Parameter runs: those that the state let go of.
    func keep(_ runs: [Openings.Run], of lane: Lane) {
        for run in runs { openings.put(Self.key(lane, run.first), Self.key(run.id)) }
    }

    /// The opening that made an entry of a log; nil when nobody knows.
    ///
    /// - Parameter newest: those of the state.
    func opening(of number: UInt64, in lane: Lane, _ newest: Openings) -> UInt64? {
        if let first = newest.runs.first, first.first <= number { return newest.id(of: number) }
        return kept(at: number, of: lane).flatMap { $0.id == 0 ? nil : $0.id }
    }

    /// All that are known.
    func openings(of lane: Lane, _ newest: Openings) -> Openings {
        var runs: [Openings.Run] = []
        openings.scan(from: [lane.rawValue], upTo: [lane.rawValue + 1]) { key, value in
            runs.append(Self.run(key, value))
            return true
        }
        // A file whose openings are out of order was written by nothing that we know of, and says nothing.
        return Openings(runs.reversed() + newest.runs) ?? newest
    }

    /// Forgets what is older than the opening that made an entry.
    func forgetOpenings(before number: UInt64, of lane: Lane, _ newest: Openings) {
        guard !openings.isEmpty else { return }
        let oldest = newest.runs.first.map { $0.first <= number } == true ? nil : kept(at: number, of: lane)
        // Where the state has it, none is needed here. Where nobody has, all begin behind it.
        if let oldest {
            openings.removeRange(from: Self.key(lane, oldest.first) + [0], upTo: [lane.rawValue + 1])
        } else if let first = newest.runs.first, first.first <= number {
            openings.removeRange(from: [lane.rawValue], upTo: [lane.rawValue + 1])
        }
    }

    private func kept(at number: UInt64, of lane: Lane) -> Openings.Run? {
        var found: Openings.Run?
        openings.scan(from: Self.key(lane, number), upTo: [lane.rawValue + 1]) { key, value in
            found = Self.run(key, value)
            return false
        }
        return found
    }

    private static func key(_ lane: Lane, _ first: UInt64) -> [UInt8] { [lane.rawValue] + key(~first) }

    private static func run(_ key: some Sequence<UInt8>, _ value: some Sequence<UInt8>) -> Openings.Run {
        Openings.Run(id: number(value), first: ~number(key.dropFirst()))
    }
}
