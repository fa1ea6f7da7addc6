import CausewayJourneyUniverse
import Synchronization

/// What the workers share: which journeys come next, and what was found.
final class JourneyProgress: Sendable {
    private let journeys: Journeys
    private let part: Part
    private let next = Atomic(0)
    private let found = Mutex(Found())

    private struct Found {
        var cases = 0
        var difference: (number: Int, how: String)?
    }

    init(_ journeys: Journeys, _ part: Part) {
        self.journeys = journeys
        self.part = part
    }

    var cases: Int { found.withLock { $0.cases } }
    var difference: (number: Int, how: String)? { found.withLock { $0.difference } }

    /// Cases that share a server and three devices.
    private static let casesAtOnce = 500

    /// Takes a corner with an itinerary at a time, until there are none left or something differs.
    func work() throws {
        while difference == nil {
            let first = next.add(Journeys.block, ordering: .relaxed).oldValue
            guard first < journeys.cases else { return }
            var numbers = (first..<min(first + Journeys.block, journeys.cases)).filter(part.includes)
            while !numbers.isEmpty, difference == nil {
                try work(Array(numbers.prefix(Self.casesAtOnce)))
                numbers.removeFirst(min(Self.casesAtOnce, numbers.count))
            }
            print("causeway-enumeration: journeys through \(first + Journeys.block) of \(journeys.cases)")
        }
    }

    private func work(_ numbers: [Int]) throws {
        let outcome = try journeys.run(numbers)
        found.withLock { found in
            found.cases += outcome.cases
            guard let first = outcome.differences.first, first.number < found.difference?.number ?? .max else { return }
            found.difference = first
        }
    }
}
