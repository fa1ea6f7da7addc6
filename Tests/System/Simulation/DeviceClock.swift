import CausewaySeeds

/// What a device believes the time is. It writes its stamps by this clock, corrected by what the server told it.
struct DeviceClock: CustomStringConvertible {
    enum Kind {
        case right
        /// By so many milliseconds.
        case off(Int64)
        /// It says the same for ever.
        case frozen
        /// It goes back by so much every so often.
        case fallingBack(by: Int64, every: UInt64)
    }

    private(set) var kind: Kind

    init(_ random: inout SeededNumbers) {
        switch random.below(10) {
        case 0...3: kind = .right
        case 4...5: kind = .off(Int64(random.below(20_000)) - 10_000)
        case 6: kind = .off(365 * 86_400_000)
        case 7: kind = .off(-365 * 86_400_000)
        case 8: kind = .frozen
        default: kind = .fallingBack(by: 3_000, every: 2_000)
        }
    }

    init(off milliseconds: Int64) { kind = .off(milliseconds) }

    /// Somebody sets it anew.
    mutating func change(_ random: inout SeededNumbers) { self = DeviceClock(&random) }

    func reading(at now: UInt64) -> UInt64 {
        switch kind {
        case .right: now
        case .off(let milliseconds): UInt64(clamping: Int64(now) + milliseconds)
        case .frozen: World.beginning + 5_000
        case .fallingBack(let milliseconds, let every):
            UInt64(clamping: Int64(now) - Int64((now - World.beginning) / every) * milliseconds)
        }
    }

    var description: String {
        switch kind {
        case .right: "right"
        case .off(let milliseconds): "\(milliseconds > 0 ? "+" : "")\(milliseconds) ms"
        case .frozen: "frozen"
        case .fallingBack: "falling back"
        }
    }
}
