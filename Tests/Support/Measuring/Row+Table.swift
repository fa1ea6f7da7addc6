import Foundation

extension Row {
    package static let header = line("group", "name", "ours", "peer", "ratio", "threads", "cache", "runs", "target")

    package var text: String {
        Self.line(
            group, name, "\(Self.number(ours)) \(unit)",
            peer.map { "\(Self.number($0)) \(unit) \(peerName ?? "")" } ?? "-",
            ratio.map { "\(Self.number($0))×" } ?? "-", Self.pair(threads, peer == nil ? nil : peerThreads),
            cache?.rawValue ?? "-", Self.pair(runs, peer == nil ? nil : peerRuns), aim)
    }

    private var aim: String {
        guard let target, let met else { return "-" }
        let wanted =
            if isRatioTarget == true {
                "≥ \(Self.number(target))×"
            } else {
                "\(better == .more ? "≥" : "≤") \(Self.number(target)) \(unit)"
            }
        return wanted + (met ? "" : "  missed")
    }

    /// For each group, in the order of its rows, the geometric mean of its ratios to SQLite; none where it has one row.
    package static func means(_ rows: [Row]) -> [String] {
        var groups: [String] = []
        for row in rows where !groups.contains(row.group) { groups.append(row.group) }
        return groups.compactMap { group in
            let ratios = rows.filter { $0.group == group && $0.peerName?.hasPrefix("SQLite") == true }
                .compactMap(\.ratio).filter { $0 > 0 && $0.isFinite }
            guard ratios.count > 1 else { return nil }
            let mean = exp(ratios.reduce(0) { $0 + log($1) } / Double(ratios.count))
            return "\(group): \(number(mean))× SQLite, the geometric mean of \(ratios.count) rows"
        }
    }

    /// Ours, and the peer's where it is another one.
    private static func pair(_ ours: Int?, _ peers: Int?) -> String {
        guard let ours else { return "-" }
        guard let peers, peers != ours else { return "\(ours)" }
        return "\(ours)/\(peers)"
    }

    static func number(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 1_000 ? "%.1f" : "%.0f", value)
    }

    private static func line(_ fields: String...) -> String {
        pad(fields, [8, 78, 20, 32, 9, 9, 7, 11, 0])
    }

    /// Each field in a column of its width; a longer one moves what follows it.
    static func pad(_ fields: [String], _ widths: [Int]) -> String {
        zip(fields, widths)
            .map { field, width in field + String(repeating: " ", count: max(1, width - field.count)) }
            .joined()
    }
}
