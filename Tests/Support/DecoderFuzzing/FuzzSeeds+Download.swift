import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayWire

extension FuzzSeeds {
    mutating func downloadMessage() -> DownloadMessage {
        switch numbers.below(8) {
        case 0: .mark(numbers.next())
        case 1: .heartbeat(serverTime: numbers.next())
        case 2: .queriesRefused(querySet: numbers.next(), failure())
        case 3: .end(failure())
        case 4: .digestsWanted(question())
        default: .changes(chunk())
        }
    }

    // MARK: - Resync

    mutating func question() -> DigestQuestion {
        DigestQuestion(
            number: UInt64(numbers.below(9)), seed: numbers.next(), acknowledged: 3,
            asks: (0..<numbers.below(5)).compactMap { _ in
                let bits = UInt8(6 * numbers.below(11))
                let prefix = numbers.next() & ((1 as UInt64) << bits - 1)
                return DigestRange(numbers.one(of: ["Note", "Place"]), bits: bits, prefix: prefix).map {
                    DigestAsk($0, numbers.one(of: [.whole, .parts, .objects]))
                }
            })
    }

    mutating func reports() -> [DigestReport] {
        (0..<numbers.below(4)).map { _ in
            switch numbers.below(3) {
            case 0: .whole(rangeDigest())
            case 1: .parts((0..<64).map { _ in rangeDigest() })
            default: .objects((0..<numbers.below(5)).map { _ in ObjectDigest(key(), digest()) })
            }
        }
    }

    private mutating func rangeDigest() -> RangeDigest {
        numbers.once(in: 2) ? .empty : RangeDigest(count: UInt64(numbers.below(1_000)) + 1, sum: digest())
    }

    private mutating func digest() -> Digest { Digest(low: numbers.next(), high: numbers.next()) }
}
