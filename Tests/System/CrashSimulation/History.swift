/// Every state a workload committed or tried to commit, and from when on which of them may not be lost any more.
///
/// Moments are positions in the disk's log: how many operations it has.
struct History {
    struct State {
        var fingerprint: Fingerprint
        /// Needed as long as a power loss can bring the state back.
        var contents: Contents
        /// The moment its commit began; before it none of it can be on the disk.
        var begun: Int
        /// From this moment on it is known to be lost.
        var lost = Int.max
    }

    /// From a moment on, no state older than this one may be found.
    private struct Floor {
        var moment: Int
        var state: Int
    }

    private(set) var states: [State] = []
    private var floors: [Floor] = []

    var newest: Int { states.count - 1 }

    mutating func begin(_ contents: Contents, version: UInt64, at moment: Int) {
        states.append(
            State(fingerprint: contents.fingerprint(version: version), contents: contents, begun: moment))
    }

    /// The newest one was undone before any of it could count.
    mutating func undoNewest() {
        states.removeLast()
    }

    mutating func becameDurable(_ state: Int, at moment: Int) {
        floors.append(Floor(moment: moment, state: state))
    }

    /// The state was found after a power loss: it is on the disk, and what came after it is nowhere.
    mutating func wasFound(_ state: Int, at moment: Int) {
        becameDurable(state, at: moment)
        for later in states.indices where later > state { states[later].lost = min(states[later].lost, moment) }
    }

    // MARK: - Questions

    /// Whether the file was made by then, and somebody told so.
    func isCreated(at moment: Int) -> Bool { floors.contains { $0.moment <= moment } }

    func floor(at moment: Int) -> Int {
        floors.last { $0.moment <= moment }?.state ?? 0
    }

    /// The state with a fingerprint that a power loss at a moment may bring back.
    func match(_ fingerprint: Fingerprint, at moment: Int) -> Int? {
        states.indices.last { index in
            index >= floor(at: moment) && states[index].begun <= moment && moment < states[index].lost
                && states[index].fingerprint == fingerprint
        }
    }

    /// What a state that may not be found is, for the report.
    func describe(_ fingerprint: Fingerprint, at moment: Int) -> String {
        let floor = floor(at: moment)
        let expected = "found \(fingerprint); at least commit \(floor) had to be there: \(states[floor].fingerprint)"
        if let older = states.indices.last(where: { states[$0].fingerprint == fingerprint }) {
            return "\(expected). What was found is commit \(older), which is "
                + (older < floor ? "older" : "none that could be on the disk then")
        }
        return "\(expected). What was found is no committed state at all"
    }
}
