import CausewaySeeds

/// One story: a number, whether rules change in it, and how many nodes the server has.
struct SimulationSeed: Hashable, Sendable {
    let number: UInt64
    let hasRules: Bool
    let nodes: Int

    /// - Parameters: nil leaves it to the number.
    init(_ number: UInt64, hasRules: Bool? = nil, nodes: Int? = nil) {
        self.number = number
        self.hasRules = hasRules ?? Plan.hasRules(number)
        self.nodes = nodes ?? ClusterPlan.nodes(number)
    }

    /// What says so on the command line, behind `--replay`.
    var options: String {
        var options = "\(number)"
        if hasRules != Plan.hasRules(number) { options += hasRules ? " --rules" : " --no-rules" }
        if nodes != ClusterPlan.nodes(number) { options += " --nodes \(nodes)" }
        return options
    }
}

/// Which stories a run tells: some by name, and then so many in a row.
struct SimulationSeeds: Sendable {
    var named: [SimulationSeed] = []
    var first: UInt64 = 1
    var count: UInt64 = 0
    var hasRules: Bool?
    var nodes: Int?

    subscript(index: UInt64) -> SimulationSeed? {
        if index < UInt64(named.count) { return named[Int(index)] }
        let offset = index - UInt64(named.count)
        return offset < count ? SimulationSeed(first &+ offset, hasRules: hasRules, nodes: nodes) : nil
    }
}

extension SimulationSeeds {
    /// So many with rules that change and so many without, in a row from a number that nobody has chosen.
    static func drawn(_ count: UInt64, hasRules: Bool, nodes: Int? = nil) -> SimulationSeeds {
        SimulationSeeds(first: SeedList.drawn(), count: count, hasRules: hasRules, nodes: nodes)
    }

    /// Those of a list of seeds that failed once: a line each, the number alone, or with `rules` or `open`, and how many
    /// nodes there are, behind it. Without that there is one server.
    static func failedOnce(_ list: SeedList) throws -> SimulationSeeds {
        SimulationSeeds(
            named: try list.lines.map { words in
                guard let number = words.first.flatMap({ UInt64($0) }) else { throw list.unreadable(words) }
                var (hasRules, nodes) = (Bool?.none, 1)
                for word in words.dropFirst() {
                    switch word {
                    case "rules": hasRules = true
                    case "open": hasRules = false
                    default:
                        guard let count = Int(word), (1...4).contains(count) else { throw list.unreadable(words) }
                        nodes = count
                    }
                }
                return SimulationSeed(number, hasRules: hasRules, nodes: nodes)
            })
    }
}
