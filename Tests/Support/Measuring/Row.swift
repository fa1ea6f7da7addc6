package import Foundation

/// One line of the table: what we took, what the peer took in the same run, under what conditions, and what we aim at.
package struct Row: Codable, Equatable {
    package enum Better: String, Codable { case less, more }

    package var group: String
    package var name: String
    package var unit: String
    /// Nil in the files of older runs.
    package var better: Better?
    package var ours: Double
    package var peer: Double?
    package var peerName: String?
    /// Above one means that ours is better.
    package var ratio: Double?
    /// The least ratio to reach; for a row with an absolute aim, the most `unit`s to take, or the fewest to reach where
    /// the name says so.
    package var target: Double?
    /// Whether the target is a ratio. Nil without a target, and in the files of older runs.
    package var isRatioTarget: Bool?
    package var met: Bool?
    package var threads: Int?
    package var peerThreads: Int?
    package var cache: Conditions.Cache?
    package var runs: Int?
    package var peerRuns: Int?

    /// A time or a size, where less is better.
    package static func less(
        _ group: String, _ name: String, _ unit: String, ours: Double, peer: (name: String, value: Double)? = nil,
        ratioTarget: Double? = nil, most: Double? = nil, under conditions: Conditions = .none
    ) -> Row {
        let ratio = peer.map { $0.value / ours }
        let met = ratioTarget.map { (ratio ?? 0) >= $0 } ?? most.map { ours <= $0 }
        return Row(
            group, name, unit, .less, ours, peer, ratio, target: ratioTarget ?? most, isRatio: ratioTarget != nil,
            met: met, under: conditions)
    }

    /// A rate, where more is better.
    package static func more(
        _ group: String, _ name: String, _ unit: String, ours: Double, peer: (name: String, value: Double)? = nil,
        ratioTarget: Double? = nil, least: Double? = nil, under conditions: Conditions = .none
    ) -> Row {
        let ratio = peer.map { ours / $0.value }
        let met = ratioTarget.map { (ratio ?? 0) >= $0 } ?? least.map { ours >= $0 }
        return Row(
            group, name, unit, .more, ours, peer, ratio, target: ratioTarget ?? least, isRatio: ratioTarget != nil,
            met: met, under: conditions)
    }

    private init(
        _ group: String, _ name: String, _ unit: String, _ better: Better, _ ours: Double,
        _ peer: (name: String, value: Double)?, _ ratio: Double?, target: Double?, isRatio: Bool, met: Bool?,
        under conditions: Conditions
    ) {
        (self.group, self.name, self.unit, self.better, self.ours) = (group, name, unit, better, ours)
        (self.peer, peerName, self.ratio, self.target, self.met) = (peer?.value, peer?.name, ratio, target, met)
        isRatioTarget = target == nil ? nil : isRatio
        (threads, peerThreads, cache) = (conditions.threads, conditions.peerThreads, conditions.cache)
        (runs, peerRuns) = (conditions.runs, conditions.peerRuns)
    }

    /// Nil is written as null, so that every row has every key.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(group, forKey: .group)
        try container.encode(name, forKey: .name)
        try container.encode(unit, forKey: .unit)
        try container.encode(better, forKey: .better)
        try container.encode(ours, forKey: .ours)
        try container.encode(peer, forKey: .peer)
        try container.encode(peerName, forKey: .peerName)
        try container.encode(ratio, forKey: .ratio)
        try container.encode(target, forKey: .target)
        try container.encode(isRatioTarget, forKey: .isRatioTarget)
        try container.encode(met, forKey: .met)
        try container.encode(threads, forKey: .threads)
        try container.encode(peerThreads, forKey: .peerThreads)
        try container.encode(cache, forKey: .cache)
        try container.encode(runs, forKey: .runs)
        try container.encode(peerRuns, forKey: .peerRuns)
    }
}

// MARK: - Files

extension Row {
    package static func write(_ rows: [Row], to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(rows).write(to: file)
    }

    /// Files of older runs lack what was not known then.
    package static func read(_ file: URL) throws -> [Row] {
        try JSONDecoder().decode([Row].self, from: Data(contentsOf: file))
    }
}
