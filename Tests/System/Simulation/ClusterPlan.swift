import CausewaySeeds

/// What kind of cluster a seed gives, beside its `Plan`.
struct ClusterPlan: CustomStringConvertible {
    let nodes: Int
    /// Of a hundred appends the answers of so many are lost, before or after they were done.
    let lostAppendPercent: Int
    /// Of a hundred calls of the journal so many find nobody.
    let awayPercent: Int
    /// After how long at most a node hears of what others appended.
    let lagMax: Int
    /// Before so many of a hundred steps a fault of `NodeFault` strikes.
    let faultPercent: Int
    /// At which multiples of positions nodes compare their states.
    let digestEvery: UInt64

    init(seed: UInt64, nodes: Int) {
        self.nodes = nodes
        var random = SeededNumbers(seed: seed &* 0x9E37_79B9 &+ 29)
        lostAppendPercent = random.one(of: [0, 2, 10])
        awayPercent = random.one(of: [0, 0, 2, 10])
        lagMax = random.one(of: [5, 50, 500, 3_000])
        faultPercent = random.one(of: [0, 4, 12])
        digestEvery = random.one(of: [1, 2, 8])
    }

    var description: String {
        "\(nodes) nodes; \(lostAppendPercent) % of appends unanswered, \(awayPercent) % find no journal, up to \(lagMax) ms "
            + "behind; digests at each \(digestEvery). entry"
    }

    /// Where nobody says how many nodes there are, the number does.
    static func nodes(_ seed: UInt64) -> Int { seed % 4 == 3 ? 2 + Int(seed / 4 % 3) : 1 }
}
