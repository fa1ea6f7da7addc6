package import Foundation

/// One piece of work done by both sides in turn, so that a busy moment of the machine falls on both.
///
/// Both sides are measured by the same rules, and must give the same answer. Sums of doubles may differ in the last
/// digits.
package struct Duel {
    package let name: String
    package let ours: Sample
    package let theirs: Sample
    package let cache: Conditions.Cache

    package struct Disagreement: Error, CustomStringConvertible {
        package let description: String
        package init(description: String) { self.description = description }
    }

    package typealias Work = () throws -> [Double]

    /// From here on a first run is the only one.
    private static let slow = Duration.seconds(4).nanoseconds
    /// Up to here a round has many runs of a side, which are over before the clock is warm.
    private static let quick = Duration.milliseconds(5).nanoseconds
    private static let rounds = 5
    private static let quickRuns = 5

    package var conditions: Conditions { cache == .hot ? .hot(ours, theirs) : .cold(ours, theirs) }

    // MARK: - Hot

    /// A first run of each is for the answers and fills the caches; what follows counts.
    package init(_ name: String, smoke: Bool, ours: Work, theirs: Work) throws {
        self.name = name
        cache = .hot
        var first = (ours: Stopwatch(), theirs: Stopwatch())
        try Self.compare(name, try first.ours.time(ours), try first.theirs.time(theirs))
        let (ourTime, theirTime) = (first.ours.last ?? 0, first.theirs.last ?? 0)
        guard !smoke, max(ourTime, theirTime) < Self.slow else {
            (self.ours, self.theirs) = (first.ours.sample(), first.theirs.sample())
            return
        }
        var watches = (ours: Stopwatch(), theirs: Stopwatch())
        for _ in 0..<Self.rounds {
            for _ in 0..<Self.runs(afterFirst: ourTime) { try watches.ours.time(ours) }
            for _ in 0..<Self.runs(afterFirst: theirTime) { try watches.theirs.time(theirs) }
        }
        (self.ours, self.theirs) = (watches.ours.sample(), watches.theirs.sample())
    }

    /// How often a side runs in each round, by what its first run took, in nanoseconds.
    package static func runs(afterFirst nanoseconds: Double) -> Int { nanoseconds < quick ? quickRuns : 1 }

    /// Where we took more than one thread, what both do on one processor comes second.
    package static func onAllThenOneProcessor(
        _ name: String, smoke: Bool, ours: Work, theirs: Work
    ) throws -> [Duel] {
        let all = try Duel(name, smoke: smoke, ours: ours, theirs: theirs)
        guard all.ours.threads > 1 else { return [all] }
        let one = try OneProcessor.run {
            try Duel(name + onOneProcessor, smoke: smoke, ours: ours, theirs: theirs)
        }
        return [all, Duel(onOneProcessor: one)]
    }

    /// What the name of a row ends in that was measured so.
    package static let onOneProcessor = ", on one processor"

    private init(onOneProcessor duel: Duel) {
        (name, cache) = (duel.name, duel.cache)
        (ours, theirs) = (duel.ours.onOneProcessor, duel.theirs.onOneProcessor)
    }

    // MARK: - Cold

    /// Before each run the file is dropped from memory and opened; neither counts.
    ///
    /// - Parameters:
    ///   - ours: Opens the file and gives the work to do, which alone keeps it open.
    ///   - theirs: As `ours`.
    package init(
        cold name: String, runs: Int, ourFile: URL, theirFile: URL, ours: () throws -> Work, theirs: () throws -> Work
    ) throws {
        self.name = name
        cache = .cold
        var watches = (ours: Stopwatch(), theirs: Stopwatch())
        for _ in 0..<runs {
            try Self.compare(
                name, try Self.runCold(ourFile, &watches.ours, ours),
                try Self.runCold(theirFile, &watches.theirs, theirs))
        }
        (self.ours, self.theirs) = (watches.ours.sample(), watches.theirs.sample())
    }

    private static func runCold(_ file: URL, _ watch: inout Stopwatch, _ open: () throws -> Work) throws -> [Double] {
        try PageCache.drop(file)
        let work = try open()
        return try watch.time(work)
    }

    // MARK: - Answers

    private static func compare(_ name: String, _ ours: [Double], _ theirs: [Double]) throws {
        let agree =
            ours.count == theirs.count
            && zip(ours, theirs).allSatisfy { abs($0 - $1) <= 1e-9 * max(abs($0), abs($1)) }
        guard agree else {
            throw Disagreement(description: "\(name): we answer \(ours) and the peer \(theirs)")
        }
    }
}
