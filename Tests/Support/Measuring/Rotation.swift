/// Several sides do the same small thing many times: a block of each in turn, so that a busy moment of the disk falls on
/// all of them, and none is measured in the wake of another alone.
package enum Rotation {
    /// - Parameters:
    ///   - warmUp: So many of each side come first and do not count.
    ///   - count: So many of each side count.
    ///   - block: So many of one side follow each other.
    ///   - sides: What each does, told the number of the time.
    package static func run(
        warmUp: Int, count: Int, block: Int, _ sides: [(Int) throws -> Void]
    ) throws -> [Sample] {
        var watches = sides.map { _ in Stopwatch() }
        for start in stride(from: 0, to: warmUp + count, by: block) {
            for (side, work) in sides.enumerated() {
                for number in start..<min(start + block, warmUp + count) {
                    if number < warmUp { try work(number) } else { try watches[side].time { try work(number) } }
                }
            }
        }
        return watches.map { $0.sample() }
    }
}
