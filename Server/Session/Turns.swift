import CausewayModel

/// Whose turn it is among sessions, or requests, of which only so many may do something at a time: users take turns, and
/// the sessions of one user in the order in which they came.
///
/// Numbered for tests:
/// 1. It is the turn of no more sessions than there are places, and of one user's in no more than `placesOfUser` of them.
/// 2. Nobody waits who could have a turn.
/// 3. A session that waits, or whose turn it is, must leave once; whose turn comes then is said by `leave`, and only there.
package struct Turns: Sendable {
    private let places: Int
    private let placesOfUser: Int
    /// Whose turn it is, and their users.
    private var inside: [UInt64: String] = [:]
    private var waiting: ExactDictionary<[UInt64]> = [:]
    /// Users with sessions that wait, each once, the next one first.
    private var users: [String] = []

    /// - Parameter placesOfUser: half of the places when left out, so that nobody's thousand sessions take all, however
    ///   long they stay.
    package init(places: Int, placesOfUser: Int? = nil) {
        precondition(places > 0, "Turns without a place never come.")
        self.places = places
        self.placesOfUser = placesOfUser ?? max(places / 2, 1)
    }

    /// Whether it is the session's turn. If not it waits for it, behind the user's others. To be asked again at will.
    package mutating func enter(_ session: UInt64, of user: String) -> Bool {
        if inside[session] != nil { return true }
        if isFree(for: user) {
            inside[session] = user
            return true
        }
        if waiting[user] == nil { users.append(user) }
        if waiting[user]?.contains(session) != true { waiting[user, default: []].append(session) }
        return false
    }

    /// The session is done, or waits no longer; of one that did neither this means nothing.
    ///
    /// - Returns: the session whose turn it is now, if one waits.
    package mutating func leave(_ session: UInt64, of user: String) -> UInt64? {
        if inside.removeValue(forKey: session) != nil { return admitNext() }
        guard let place = waiting[user]?.firstIndex(of: session) else { return nil }
        waiting[user]?.remove(at: place)
        if waiting[user]?.isEmpty == true {
            waiting[user] = nil
            users.removeAll { $0.isSame(as: user) }
        }
        return nil
    }

    /// Whether it is the session's turn and another's would come if it left.
    package func isAwaited(_ session: UInt64) -> Bool {
        guard let user = inside[session] else { return false }
        return users.contains { $0.isSame(as: user) || hasRoom(for: $0) }
    }

    /// One place became free, so that no more than one session can go.
    private mutating func admitNext() -> UInt64? {
        guard let place = users.firstIndex(where: { isFree(for: $0) }) else { return nil }
        let user = users.remove(at: place)
        guard let session = waiting[user]?.removeFirst() else { return nil }
        if waiting[user]?.isEmpty == true { waiting[user] = nil } else { users.append(user) }
        inside[session] = user
        return session
    }

    private func isFree(for user: String) -> Bool {
        inside.count < places && hasRoom(for: user)
    }

    private func hasRoom(for user: String) -> Bool {
        inside.values.count(where: { $0.isSame(as: user) }) < placesOfUser
    }
}
