import CausewayModel

/// Elements that wait, by user: users take turns, and the elements of one user keep their order.
///
/// The owner decides who is served: it goes over the users from the first on, and takes what it wants.
///
/// Numbered for tests:
/// 1. A user is in the line once, if and only if something of theirs waits.
/// 2. Of one user nothing is taken before what came earlier, unless that was removed.
/// 3. A user of whom something was taken stands behind all others.
struct UserLine<Element> {
    private var waiting: ExactDictionary<[Element]> = [:]
    /// The next one first.
    private var users: [String] = []
    private(set) var count = 0

    var isEmpty: Bool { users.isEmpty }
    var userCount: Int { users.count }

    func elements(of user: String) -> [Element] { waiting[user] ?? [] }

    /// The user at a place of the line, and their next element.
    func next(at place: Int) -> (user: String, element: Element) {
        guard let first = waiting[users[place]]?.first else { preconditionFailure("A user in the line has something.") }
        return (users[place], first)
    }

    func firstIndex(where holds: (_ user: String, _ next: Element) -> Bool) -> Int? {
        users.indices.first { place in
            let (user, element) = next(at: place)
            return holds(user, element)
        }
    }

    mutating func add(_ element: Element, of user: String) {
        if waiting[user] == nil { users.append(user) }
        waiting[user, default: []].append(element)
        count += 1
    }

    /// Takes the next element of a user, who goes to the end of the line.
    mutating func take(at place: Int) -> Element {
        let element = next(at: place).element
        let user = users.remove(at: place)
        waiting[user]?.removeFirst()
        if waiting[user]?.isEmpty == true { waiting[user] = nil } else { users.append(user) }
        count -= 1
        return element
    }

    /// Checks the invariants above, in debug builds.
    func assertInvariants() {
        assert(
            users.count == waiting.count && users.allSatisfy { waiting[$0]?.isEmpty == false },
            "1: who is in the line is not who has something waiting")
        assert(users.reduce(0) { $0 + (waiting[$1]?.count ?? 0) } == count, "the count of what waits is wrong")
    }

    /// Removes a user's first element for which `holds` is true. The user keeps their place in the line.
    mutating func remove(of user: String, where holds: (Element) -> Bool) {
        guard let index = waiting[user]?.firstIndex(where: holds) else { return }
        waiting[user]?.remove(at: index)
        count -= 1
        guard waiting[user]?.isEmpty == true else { return }
        waiting[user] = nil
        users.removeAll { $0.isSame(as: user) }
    }
}

extension UserLine: Sendable where Element: Sendable {}
