import CausewaySeeds
import Testing

@testable import CausewaySession

@Suite("A line in which users take turns")
struct UserLineTests {
    private static let seeds = SeedList.drawn(for: "user-line", count: 4)

    @Test("who was served stands behind all others, and a user's own keep their order", arguments: seeds)
    func turns(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        // Two of them look alike and are two.
        let names = ["ann", "ben", "\u{E9}", "e\u{301}"]
        var line = UserLine<Int>()
        var users: [Int] = []
        var waiting: [[Int]] = names.map { _ in [] }
        for element in 0..<600 {
            let user = numbers.below(names.count)
            switch numbers.below(5) {
            case 0...1:
                line.add(element, of: names[user])
                if waiting[user].isEmpty { users.append(user) }
                waiting[user].append(element)
            case 2...3 where !users.isEmpty:
                let place = numbers.below(users.count)
                let taken = users.remove(at: place)
                #expect(line.take(at: place) == waiting[taken].removeFirst(), "seed \(seed)")
                if !waiting[taken].isEmpty { users.append(taken) }
            case 4:
                // One of theirs, or one that does not wait.
                let gone = waiting[user].isEmpty || numbers.once(in: 4) ? -1 : numbers.one(of: waiting[user])
                line.remove(of: names[user]) { $0 == gone }
                waiting[user].removeAll { $0 == gone }
                if waiting[user].isEmpty { users.removeAll { $0 == user } }
            default: continue
            }
            #expect(line.count == waiting.reduce(0) { $0 + $1.count }, "seed \(seed)")
            #expect(line.userCount == users.count && line.isEmpty == users.isEmpty, "seed \(seed)")
            for (place, user) in users.enumerated() {
                let next = line.next(at: place)
                #expect(next.user.utf8.elementsEqual(names[user].utf8), "seed \(seed)")
                #expect(next.element == waiting[user].first, "seed \(seed)")
            }
            for (user, elements) in waiting.enumerated() {
                #expect(line.elements(of: names[user]) == elements, "seed \(seed)")
            }
            #expect(
                line.firstIndex { _, next in next.isMultiple(of: 2) }
                    == users.firstIndex { waiting[$0].first?.isMultiple(of: 2) == true }, "seed \(seed)")
        }
    }
}
