import CausewaySeeds

/// One story: a number, and whether rules change in it.
struct SimulationSeed: Hashable, Sendable {
    let number: UInt64
    let hasRules: Bool

    /// - Parameter hasRules: nil leaves it to the number.
    init(_ number: UInt64, hasRules: Bool? = nil) {
        self.number = number
        self.hasRules = hasRules ?? Plan.hasRules(number)
    }

    /// What says so on the command line, behind `--replay`.
    var options: String {
        if hasRules == Plan.hasRules(number) { return "\(number)" }
        return "\(number) \(hasRules ? "--rules" : "--no-rules")"
    }
}

/// Which stories a run tells: some by name, and then so many in a row.
struct SimulationSeeds: Sendable {
    var named: [SimulationSeed] = []
    var first: UInt64 = 1
    var count: UInt64 = 0
    var hasRules: Bool?

    subscript(index: UInt64) -> SimulationSeed? {
        if index < UInt64(named.count) { return named[Int(index)] }
        let offset = index - UInt64(named.count)
        return offset < count ? SimulationSeed(first &+ offset, hasRules: hasRules) : nil
    }
}

extension SimulationSeeds {
    /// So many with rules that change and so many without, in a row from a number that nobody has chosen.
    static func drawn(_ count: UInt64, hasRules: Bool) -> SimulationSeeds {
        SimulationSeeds(first: SeedList.drawn(), count: count, hasRules: hasRules)
    }

    /// Those of a list of seeds that failed once: a line each, the number alone or with `rules` or `open` behind it.
    static func failedOnce(_ list: SeedList) throws -> SimulationSeeds {
        SimulationSeeds(
            named: try list.lines.map { words in
                guard let number = words.first.flatMap({ UInt64($0) }) else { throw list.unreadable(words) }
                switch words.dropFirst() {
                case []: return SimulationSeed(number)
                case ["rules"]: return SimulationSeed(number, hasRules: true)
                case ["open"]: return SimulationSeed(number, hasRules: false)
                default: throw list.unreadable(words)
                }
            })
    }
}
