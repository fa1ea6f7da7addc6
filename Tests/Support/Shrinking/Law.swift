package import CausewaySeeds

/// Something that must hold of every generated case. A case of which it does not hold is made as small as it gets.
///
///     let law = Law("reversing twice changes nothing") { random in
///         (0..<random.below(20)).map { _ in random.below(10) }
///     } smaller: {
///         $0.withLess()
///     } broken: { numbers in
///         Array(numbers.reversed().reversed()) == numbers ? nil : "it did"
///     }
///     #expect(law.counterexample(seeds: 0..<100) == nil)
package struct Law<Case> {
    package let name: String
    private let generate: (inout SeededNumbers) -> Case
    private let smaller: (Case) -> [Case]
    private let broken: (Case) -> String?

    /// - Parameters:
    ///   - smaller: cases that are less than one, those that are least first; none of them as large.
    ///   - broken: how the law is broken, nil where it holds.
    package init(
        _ name: String,
        generate: @escaping (inout SeededNumbers) -> Case,
        smaller: @escaping (Case) -> [Case],
        broken: @escaping (Case) -> String?
    ) {
        self.name = name
        self.generate = generate
        self.smaller = smaller
        self.broken = broken
    }

    /// Tries a case a seed; gives the first that breaks the law, made small, with the seed it came from.
    package func counterexample(seeds: some Sequence<UInt64>) -> Counterexample<Case>? {
        for seed in seeds {
            var random = SeededNumbers(seed: seed)
            let generated = generate(&random)
            guard let how = broken(generated) else { continue }
            return shrunk(Counterexample(law: name, seed: seed, minimal: generated, how: how))
        }
        return nil
    }

    /// How many cases are tried on the way down: enough for a few hundred steps, and an end to a mistaken `smaller`.
    private static var attemptsMax: Int { 20_000 }

    private func shrunk(_ counterexample: Counterexample<Case>) -> Counterexample<Case> {
        var smallest = counterexample
        var attempts = 0
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for candidate in smaller(smallest.minimal) {
                attempts += 1
                guard attempts <= Self.attemptsMax else { return smallest }
                guard let how = broken(candidate) else { continue }
                smallest.minimal = candidate
                smallest.how = how
                smallest.steps += 1
                isSmaller = true
                break
            }
        }
        return smallest
    }
}

/// A case that breaks a law, of which no smaller one does.
package struct Counterexample<Case>: CustomStringConvertible {
    package let law: String
    package let seed: UInt64
    package internal(set) var minimal: Case
    package internal(set) var how: String
    /// How often it was made smaller.
    package internal(set) var steps = 0

    package var description: String {
        "\(law): seed \(seed), after \(steps) steps of shrinking: \(how): \(minimal)"
    }
}
