/// One piece of work done by both sides in turn, so that a busy moment of the machine falls on both.
struct Duel {
    /// The medians, in nanoseconds.
    let ours: Double
    let theirs: Double
    /// What to add to the name of the row; empty when there were five runs or more.
    let remark: String

    struct Disagreement: Error, CustomStringConvertible {
        let description: String
    }

    /// From here on a first run is the only one.
    private static let slow = Duration.seconds(4)
    /// Up to here a round has many runs of ours, which are over before the clock is warm.
    private static let quick = Duration.milliseconds(5)

    /// - Throws: `Disagreement` when the answers differ. Sums of doubles may differ in the last digits.
    init(_ name: String, smoke: Bool, ours: () throws -> [Double], theirs: () throws -> [Double]) throws {
        let clock = ContinuousClock()
        func timed(_ body: () throws -> [Double]) rethrows -> (time: Duration, answer: [Double]) {
            var answer: [Double] = []
            let time = try clock.measure { answer = try body() }
            return (time, answer)
        }
        let first = (ours: try timed(ours), theirs: try timed(theirs))
        guard Self.agree(first.ours.answer, first.theirs.answer) else {
            throw Disagreement(
                description: "\(name): we answer \(first.ours.answer) and the peer \(first.theirs.answer)")
        }
        guard !smoke, max(first.ours.time, first.theirs.time) < Self.slow else {
            (self.ours, self.theirs) = (first.ours.time.nanoseconds, first.theirs.time.nanoseconds)
            remark = smoke ? "" : " (one run)"
            return
        }
        var (ourTimes, theirTimes): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
            for _ in 0..<(first.ours.time < Self.quick ? 5 : 1) { ourTimes.append(try timed(ours).time.nanoseconds) }
            theirTimes.append(try timed(theirs).time.nanoseconds)
        }
        (self.ours, self.theirs) = (median(ourTimes), median(theirTimes))
        remark = ""
    }

    private static func agree(_ left: [Double], _ right: [Double]) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { abs($0 - $1) <= 1e-9 * max(abs($0), abs($1)) }
    }
}
