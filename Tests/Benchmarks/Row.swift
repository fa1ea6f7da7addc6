import Foundation

/// One line of the table: what we took, what the peer took in the same run, and what we aim at.
struct Row: Codable {
    var group: String
    var name: String
    var unit: String
    var ours: Double
    var peer: Double?
    var peerName: String?
    /// Above one means that ours is better.
    var ratio: Double?
    /// The least ratio to reach; for a row with an absolute aim, the most `unit`s to take, or the fewest to reach where
    /// the name says so.
    var target: Double?
    var met: Bool?

    /// A time or a size, where less is better.
    static func less(
        _ group: String, _ name: String, _ unit: String, ours: Double, peer: (name: String, value: Double)? = nil,
        ratioTarget: Double? = nil, most: Double? = nil
    ) -> Row {
        let ratio = peer.map { $0.value / ours }
        let met = ratioTarget.map { (ratio ?? 0) >= $0 } ?? most.map { ours <= $0 }
        return Row(
            group: group, name: name, unit: unit, ours: ours, peer: peer?.value, peerName: peer?.name, ratio: ratio,
            target: ratioTarget ?? most, met: met)
    }

    /// A rate, where more is better.
    static func more(
        _ group: String, _ name: String, _ unit: String, ours: Double, peer: (name: String, value: Double)? = nil,
        ratioTarget: Double? = nil, least: Double? = nil
    ) -> Row {
        let ratio = peer.map { ours / $0.value }
        let met = ratioTarget.map { (ratio ?? 0) >= $0 } ?? least.map { ours >= $0 }
        return Row(
            group: group, name: name, unit: unit, ours: ours, peer: peer?.value, peerName: peer?.name, ratio: ratio,
            target: ratioTarget ?? least, met: met)
    }

    /// Nil is written as null, so that every row has every key.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(group, forKey: .group)
        try container.encode(name, forKey: .name)
        try container.encode(unit, forKey: .unit)
        try container.encode(ours, forKey: .ours)
        try container.encode(peer, forKey: .peer)
        try container.encode(peerName, forKey: .peerName)
        try container.encode(ratio, forKey: .ratio)
        try container.encode(target, forKey: .target)
        try container.encode(met, forKey: .met)
    }
}

extension Row {
    static let header = line("group", "name", "ours", "peer", "ratio", "target")

    var text: String {
        let aim: String
        if let target, let met {
            let amount = "\(Self.number(target)) \(unit)"
            let wanted =
                if name.contains("at least") {
                    "≥ \(amount)"
                } else if ratio == nil || name.contains("at most") {
                    "≤ \(amount)"
                } else {
                    "≥ \(Self.number(target))×"
                }
            aim = wanted + (met ? "" : "  missed")
        } else {
            aim = "-"
        }
        return Self.line(
            group, name, "\(Self.number(ours)) \(unit)",
            peer.map { "\(Self.number($0)) \(unit) \(peerName ?? "")" } ?? "-",
            ratio.map { "\(Self.number($0))×" } ?? "-", aim)
    }

    private static func number(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 1_000 ? "%.1f" : "%.0f", value)
    }

    private static func line(_ fields: String...) -> String {
        zip(fields, [8, 68, 18, 24, 9, 0])
            .map { field, width in field + String(repeating: " ", count: max(1, width - field.count)) }
            .joined()
    }
}
