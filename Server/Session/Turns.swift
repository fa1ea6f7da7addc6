import CausewayModel

/// Whose turn it is, where only so many sessions or requests may do something at a time. Users take turns; the sessions
/// of one user keep their order.
///
/// A session may need several places. It waits until they are free, and nobody overtakes it meanwhile. One that needs
/// more places than there are goes alone.
///
/// Invariants, numbered for tests:
/// 1. All sessions inside have no more places than there are, and those of one user no more than `placesOfUser`. The
///    exceptions are a session that is alone, and a user's only session.
/// 2. Nobody waits who could have a turn, unless an earlier one waits for more places than are free.
/// 3. A session that waits or has its turn must leave once. Only `leave` says whose turns come then.
package struct Turns: Sendable {
    private struct Session {
        var id: UInt64
        var places: Int
    }

    private let places: Int
    private let placesOfUser: Int
    /// Whose turn it is, with their users.
    private var inside: [UInt64: (user: String, places: Int)] = [:]
    private var line = UserLine<Session>()

    /// - Parameter placesOfUser: half of the places when left out, so that a user's thousand sessions do not take all
    ///   of them, however long they stay.
    package init(places: Int, placesOfUser: Int? = nil) {
        precondition(places > 0, "Turns without a place never come.")
        self.places = places
        self.placesOfUser = placesOfUser ?? max(places / 2, 1)
    }

    /// How many places the session has; nil when it is not its turn.
    package func places(of session: UInt64) -> Int? { inside[session]?.places }

    /// Whether it is the session's turn. If not, it waits for it, behind the user's others. May be called again at any
    /// time.
    ///
    /// - Parameter needed: how many places it needs. The number of the first call counts until it leaves.
    package mutating func enter(_ session: UInt64, of user: String, places needed: Int = 1) -> Bool {
        defer { assertInvariants() }
        if inside[session] != nil { return true }
        let needed = placesGiven(for: needed)
        if nextPlace == nil, hasRoom(for: user, needed), hasRoom(needed) {
            inside[session] = (user, needed)
            return true
        }
        if !line.elements(of: user).contains(where: { $0.id == session }) {
            line.add(Session(id: session, places: needed), of: user)
        }
        return false
    }

    /// The places that a session gets: one that needs more than there are gets all of them.
    package func placesGiven(for needed: Int) -> Int { min(max(needed, 1), places) }

    /// The session is done, or waits no longer. Does nothing for a session that did neither.
    ///
    /// - Returns: the sessions whose turn it is now.
    package mutating func leave(_ session: UInt64, of user: String) -> [UInt64] {
        defer { assertInvariants() }
        if inside.removeValue(forKey: session) != nil { return admit() }
        line.remove(of: user) { $0.id == session }
        return admit()
    }

    /// Whether it is the session's turn, and another waits for places that it has, alone or with others.
    package func isAwaited(_ session: UInt64) -> Bool {
        guard let user = inside[session]?.user else { return false }
        // Whoever may enter next waits for everybody inside. A user with all their places is waited for only by their
        // own.
        return nextPlace != nil || !line.elements(of: user).isEmpty
    }

    private mutating func admit() -> [UInt64] {
        var admitted: [UInt64] = []
        while let place = nextPlace {
            let (user, next) = line.next(at: place)
            guard hasRoom(next.places) else { break }
            _ = line.take(at: place)
            inside[next.id] = (user, next.places)
            admitted.append(next.id)
        }
        return admitted
    }

    /// Checks the invariants above, in debug builds.
    private func assertInvariants() {
        assert(
            inside.count <= 1 || inside.values.reduce(0) { $0 + $1.places } <= places, "1: more places than there are")
        if let place = nextPlace {
            assert(!hasRoom(line.next(at: place).element.places), "2: somebody waits who could have a turn")
        }
        line.assertInvariants()
    }

    /// The first user in line who may have another place.
    private var nextPlace: Int? { line.firstIndex { user, next in hasRoom(for: user, next.places) } }

    private func hasRoom(_ needed: Int) -> Bool {
        inside.isEmpty || inside.values.reduce(needed) { $0 + $1.places } <= places
    }

    private func hasRoom(for user: String, _ needed: Int) -> Bool {
        let held = inside.values.reduce(0) { $1.user.isSame(as: user) ? $0 + $1.places : $0 }
        return held == 0 || held + needed <= placesOfUser
    }
}
