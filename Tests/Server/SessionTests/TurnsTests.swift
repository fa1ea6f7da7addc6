import CausewaySession
import Testing

@Suite("Turns")
struct TurnsTests {
    @Test("users take turns, and the sessions of one user go in the order in which they came")
    func order() {
        var turns = Turns(places: 1)
        #expect(turns.enter([1, 2, 3, 4], of: "ann") == [1])
        #expect(turns.enter([5], of: "ben") == [])
        #expect(turns.enter([6], of: "cid") == [])
        var order: [UInt64] = [1]
        while let last = order.last, let next = turns.leave(last, of: user(last)).first { order.append(next) }
        #expect(order == [1, 2, 5, 6, 3, 4])
        #expect(turns.enter([7], of: "ann") == [7])
    }

    @Test("nobody has more than half of the places, though no one else wants them")
    func half() {
        var turns = Turns(places: 4)
        #expect(turns.enter([1, 2, 3], of: "ann") == [1, 2])
        #expect(turns.enter([5], of: "ben") == [5])
        // Ann would have a turn for one of her own only.
        #expect(turns.isAwaited(1) && !turns.isAwaited(5))
        #expect(turns.leave(5, of: "ben") == [])
        #expect(turns.leave(1, of: "ann") == [3])
    }

    @Test("who asks again keeps the turn or the place in the queue; who stops waiting is passed over")
    func leaving() {
        var turns = Turns(places: 1)
        #expect(turns.enter([1, 1], of: "ann") == [1, 1])
        #expect(!turns.isAwaited(1))
        #expect(turns.enter([2, 3, 2, 4], of: "ann") == [])
        #expect(turns.enter([5], of: "ben") == [])
        #expect(turns.isAwaited(1) && !turns.isAwaited(2))
        #expect(turns.leave(2, of: "ann") == [])
        #expect(turns.leave(5, of: "ben") == [])
        #expect(turns.leave(6, of: "cid") == [])
        #expect(turns.leave(1, of: "ann") == [3])
        // A turn is given back once.
        #expect(turns.leave(1, of: "ann") == [])
        #expect(turns.leave(3, of: "ann") == [4])
    }

    @Test("who needs many places is not overtaken for ever, and goes alone where there are fewer")
    func manyPlaces() {
        var turns = Turns(places: 4)
        #expect(turns.enter([1], of: "ann") == [1])
        #expect(turns.enter(5, of: "ben", places: 9) == false)
        // All wait for the one that is inside, though one who needs fewer places would not have to.
        #expect(turns.isAwaited(1))
        #expect(turns.places(of: 1) == 1 && turns.places(of: 5) == nil && turns.placesGiven(for: 9) == 4)
        // There are places, but one before them waits for more.
        #expect(turns.enter([6, 7], of: "cid") == [])
        #expect(turns.leave(1, of: "ann") == [5])
        #expect(turns.leave(5, of: "ben") == [6, 7])
        #expect(turns.enter(5, of: "ben", places: 9) == false)
        #expect(turns.enter([1], of: "ann") == [])
        // A session that stops waiting blocks nobody.
        #expect(turns.leave(5, of: "ben") == [1])
    }

    @Test(
        "every sequence of six steps of three sessions of one user and one of another", arguments: 1...4,
        [[1: 1, 2: 1, 3: 1, 5: 1], [1: 1, 2: 2, 3: 1, 5: 3]] as [[UInt64: Int]])
    func everySequence(places: Int, needed: [UInt64: Int]) {
        walk(Turns(places: places), Known(places: places, needed: needed), [])
    }

    /// What is known from outside.
    private struct Known {
        let places: Int
        let needed: [UInt64: Int]
        var inside: Set<UInt64> = []
        /// In the order in which they came.
        var waiting: [UInt64] = []

        func places(of sessions: some Sequence<UInt64>) -> Int {
            sessions.reduce(0) { $0 + min(needed[$1] ?? 1, places) }
        }

        func inside(of user: String) -> [UInt64] { inside.filter { TurnsTests.user($0) == user } }

        func mayHave(_ session: UInt64) -> Bool {
            let held = inside(of: TurnsTests.user(session))
            return held.isEmpty || places(of: held + [session]) <= max(places / 2, 1)
        }

        func fits(_ session: UInt64) -> Bool {
            inside.isEmpty || places(of: inside.union([session])) <= places
        }

        /// The first of each user, if he may have another place.
        var candidates: [UInt64] {
            ["ann", "ben"].compactMap { user in waiting.first { TurnsTests.user($0) == user } }.filter(mayHave)
        }
    }

    private func walk(_ turns: Turns, _ known: Known, _ path: [String]) {
        if let problem = problem(turns, known) {
            Issue.record("\(path): \(problem)")
            return
        }
        guard path.count < 6 else { return }
        for session in [1, 2, 3, 5] as [UInt64] {
            let path = path + ["enter \(session)"]
            var (turns, next) = (turns, known)
            let goes = turns.enter(session, of: user(session), places: known.needed[session] ?? 1)
            let canGo = known.mayHave(session) && known.fits(session) && known.candidates.isEmpty
            if goes != (known.inside.contains(session) || canGo) { Issue.record("\(path): \(goes)") }
            if goes {
                next.inside.insert(session)
            } else if !next.waiting.contains(session) {
                next.waiting.append(session)
            }
            walk(turns, next, path)
        }
        for session in known.inside.sorted() + known.waiting {
            let path = path + ["leave \(session)"]
            var (turns, next) = (turns, known)
            next.inside.remove(session)
            next.waiting.removeAll { $0 == session }
            for admitted in turns.leave(session, of: user(session)) {
                let first = next.waiting.first { user($0) == user(admitted) }
                if first != admitted || !next.mayHave(admitted) || !next.fits(admitted) {
                    Issue.record("\(path): \(admitted)")
                }
                next.waiting.removeAll { $0 == admitted }
                next.inside.insert(admitted)
            }
            walk(turns, next, path)
        }
    }

    private func problem(_ turns: Turns, _ known: Known) -> String? {
        if known.inside.count > 1, known.places(of: known.inside) > known.places { return "more than there are places" }
        for user in ["ann", "ben"] {
            let held = known.inside(of: user)
            if held.count > 1, known.places(of: held) > max(known.places / 2, 1) {
                return "\(user) has more than half"
            }
        }
        let candidates = known.candidates
        if !candidates.isEmpty, candidates.allSatisfy(known.fits) { return "\(candidates) wait and could go" }
        for session in known.inside {
            // Who may have a turn and has none waits for places, whoever has them.
            let isAwaited =
                !candidates.isEmpty || known.waiting.contains { user($0) == user(session) }
            if turns.isAwaited(session) != isAwaited { return "\(session) is awaited: \(!isAwaited)" }
        }
        return nil
    }

    private static func user(_ session: UInt64) -> String {
        session < 5 ? "ann" : session == 5 ? "ben" : "cid"
    }

    private func user(_ session: UInt64) -> String { Self.user(session) }
}

extension Turns {
    /// - Returns: those whose turn it is at once.
    fileprivate mutating func enter(_ sessions: [UInt64], of user: String) -> [UInt64] {
        var inside: [UInt64] = []
        for session in sessions where enter(session, of: user) { inside.append(session) }
        return inside
    }
}
