import CausewayObjectStore
import CausewayOperations

// Which openings made the entries of the logs. The state has the newest ones, which are enough for a file that is
// synced now and then. The older ones are here. So even a file that was often opened without a server is recognised as
// a copy, and the opening of each changeset is known. Keys descend as numbers ascend: the first key at or behind that
// of a number is the run that the number is in.

extension Trees {
    /// The two logs that are sent to the server.
    enum Lane: UInt8 {
        case changesets, oneWay
    }

    /// - Parameter runs: the runs that the state has dropped.
    func keep(_ runs: [Openings.Run], of lane: Lane) {
        for run in runs { openings.put(Self.key(lane, run.first), Self.key(run.id)) }
    }

    /// The opening that made an entry of a log; nil if unknown.
    ///
    /// - Parameter newest: the openings of the state.
    func opening(of number: UInt64, in lane: Lane, _ newest: Openings) -> UInt64? {
        if let first = newest.runs.first, first.first <= number { return newest.id(of: number) }
        return kept(at: number, of: lane).flatMap { $0.id == 0 ? nil : $0.id }
    }

    /// All known openings of a log, oldest first.
    func openings(of lane: Lane, _ newest: Openings) -> Openings {
        var runs: [Openings.Run] = []
        openings.scan(from: [lane.rawValue], upTo: [lane.rawValue + 1]) { key, value in
            runs.append(Self.run(key, value))
            return true
        }
        // Openings out of order were written by nothing that we know of, and are ignored.
        return Openings(runs.reversed() + newest.runs) ?? newest
    }

    /// Forgets the openings older than the one that made an entry.
    func forgetOpenings(before number: UInt64, of lane: Lane, _ newest: Openings) {
        guard !openings.isEmpty else { return }
        let oldest = newest.runs.first.map { $0.first <= number } == true ? nil : kept(at: number, of: lane)
        // If the state has that one, none is needed here. If nobody has it, all begin behind it.
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
