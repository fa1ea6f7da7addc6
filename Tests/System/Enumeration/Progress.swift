import CausewayMergeUniverse
import Synchronization

/// What the workers share: which scenarios come next, and what was found.
final class Progress: Sendable {
    private let enumeration: Enumeration
    private let part: Part
    private let next = Atomic(0)
    private let found = Mutex(Found())

    private struct Found {
        var cases = 0
        var scenarios = 0
        var tenths = 0
        var difference: (number: Int, how: String)?
    }

    init(_ enumeration: Enumeration, _ part: Part) {
        self.enumeration = enumeration
        self.part = part
    }

    var cases: Int { found.withLock { $0.cases } }
    var scenarios: Int { found.withLock { $0.scenarios } }
    var difference: (number: Int, how: String)? { found.withLock { $0.difference } }

    /// Scenarios that one worker takes at once.
    private static let blockScenarios = 4096

    /// Takes scenarios until there are none left, or something differs.
    func work() {
        while difference == nil {
            let first = next.add(Self.blockScenarios, ordering: .relaxed).oldValue
            guard first < enumeration.scenarios else { return }
            work(first..<min(first + Self.blockScenarios, enumeration.scenarios))
        }
    }

    private func work(_ numbers: Range<Int>) {
        var (cases, scenarios) = (0, 0)
        for number in numbers where SpreadParts.part(ofScenario: number, of: part.count) == part.number {
            guard let family = enumeration.family(ofScenario: number) else { continue }
            switch family.check(scenario: number - family.firstScenario) {
            case .impossible: break
            case .agrees(let orders):
                cases += orders
                scenarios += 1
            case .differs(let number, let how):
                found.withLock { if number < $0.difference?.number ?? .max { $0.difference = (number, how) } }
                return
            }
        }
        let tenths = numbers.upperBound * 1000 / enumeration.scenarios
        let line = found.withLock { found -> String? in
            found.cases += cases
            found.scenarios += scenarios
            guard tenths >= found.tenths + 20 else { return nil }
            found.tenths = tenths
            return "causeway-enumeration: \(tenths / 10) %, \(found.cases) cases"
        }
        if let line { print(line) }
    }
}
