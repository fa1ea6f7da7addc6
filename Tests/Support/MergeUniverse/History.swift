import CausewayModel
import CausewayOperations

/// Three writers who act and hear of each other: steps that can be left out one by one, and what they come to.
package struct History: Sendable {
    package enum Step: Equatable, Sendable {
        /// Does something, where it can be done.
        case act(Int, Intention)
        /// Receives so many of the changesets that the server has and the writer has not, as a download does.
        case hear(Int, Int)
    }

    package struct Entry: Sendable {
        package let writer: Int
        package let actions: [Stamped]
        /// How many entries of the log its writer had seen; its own ones it had seen anyway.
        package let seen: Int
    }

    package static let writers = 3
    package private(set) var authors: [Author]
    /// What everybody has seen.
    package let beginning: [Stamped]
    /// All changesets in the order in which the server had them.
    package private(set) var log: [Entry] = []
    private var heard = Array(repeating: 0, count: writers)

    package init(_ steps: [Step]) {
        var founder = Author(9)
        beginning = [.create, .deleteAndCreateOther].flatMap { founder.act($0) }
        authors = []
        for writer in 1...Self.writers {
            var author = Author(UInt64(writer))
            author.receive(beginning)
            authors.append(author)
        }
        for step in steps {
            switch step {
            case .act(let writer, let intention): act(writer, intention)
            case .hear(let writer, let count): hear(writer, count)
            }
        }
    }

    private mutating func act(_ writer: Int, _ intention: Intention) {
        let actions = authors[writer].act(intention)
        if !actions.isEmpty { log.append(Entry(writer: writer, actions: actions, seen: heard[writer])) }
    }

    private mutating func hear(_ writer: Int, _ count: Int) {
        let end = min(log.count, heard[writer] + count)
        for entry in log[heard[writer]..<end] where entry.writer != writer { authors[writer].receive(entry.actions) }
        heard[writer] = end
    }

    /// Everybody hears everything.
    package mutating func settle() {
        for writer in authors.indices { hear(writer, log.count) }
    }

    package func knows(_ entry: Int, of other: Int) -> Bool {
        other < entry && (log[other].writer == log[entry].writer || other < log[entry].seen)
    }

    /// Another order that respects causality: of what can come, always that of the first writer in an order of writers.
    package func order(preferring preference: [Int]) -> [Int] {
        var rest = Array(log.indices)
        var order: [Int] = []
        while !rest.isEmpty {
            let ready = rest.indices.filter { place in
                !rest[..<place].contains { knows(rest[place], of: $0) }
            }
            // The first of the rest is always ready.
            let next = ready.min { rank(rest[$0], preference) < rank(rest[$1], preference) } ?? 0
            order.append(rest.remove(at: next))
        }
        return order
    }

    private func rank(_ entry: Int, _ preference: [Int]) -> Int {
        preference.firstIndex(of: log[entry].writer) ?? preference.count
    }

    package func world(_ order: [Int]) -> World {
        var world = World()
        world.join(beginning, by: World.product)
        for entry in order { world.join(log[entry].actions, by: World.product) }
        return world
    }
}
