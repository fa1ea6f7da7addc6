/// Whether a hello is taken now, or its device is told when to come again.
///
/// Hellos of one database are read one after the other. When a fleet comes back at once, the line may become longer than
/// what a device waits for an answer. Then the newest are refused while they have cost nothing, first those that ask for
/// everything: a device that goes on needs little, and has users who wait.
///
/// Numbered for tests:
/// 1. No hello is taken behind a line of more than `waitMaxMilliseconds`; none that begins anew, behind half of that.
/// 2. An empty line takes every hello, however long the last one took.
struct HelloGate {
    private var waiting: UInt64 = 0
    /// What a hello took on average, newer ones counting more.
    private var averageMicroseconds: UInt64 = 1_000

    static let waitMaxMilliseconds: UInt64 = 10_000
    private static let weight: UInt64 = 16

    /// Takes a place in the line.
    ///
    /// - Returns: nil, or after how many milliseconds to come again.
    mutating func enter(beginsAnew: Bool) -> UInt64? {
        let wait = waiting * averageMicroseconds / 1_000
        guard waiting == 0 || wait <= Self.waitMaxMilliseconds / (beginsAnew ? 2 : 1) else { return max(wait, 1_000) }
        waiting += 1
        return nil
    }

    mutating func leave(tookMicroseconds: UInt64) {
        waiting -= 1
        averageMicroseconds = (averageMicroseconds * (Self.weight - 1) + tookMicroseconds) / Self.weight
    }
}
